package cluster

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Resources is an amount of everything the scheduler counts.
type Resources struct {
	MilliCPU         int64 // millicores
	Memory           int64 // bytes
	EphemeralStorage int64 // bytes
	Pods             int64 // pods; only what a node offers has it
	Scalars          []Scalar
}

// Scalar is an amount of one extended, huge-page, prefixed native or attachable-volume resource. A list of them is
// sorted by name and holds each name once.
type Scalar struct {
	Name  corev1.ResourceName
	Value int64
}

// ResourcesOf reads a resource list; names that kube-scheduler does not count are left out, as its
// framework.Resource does (1.37). CPU is rounded up to millicores, the rest to whole units.
func ResourcesOf(list corev1.ResourceList) Resources {
	var r Resources
	for name, q := range list {
		switch name {
		case corev1.ResourceCPU:
			r.MilliCPU = q.MilliValue()
		case corev1.ResourceMemory:
			r.Memory = q.Value()
		case corev1.ResourceEphemeralStorage:
			r.EphemeralStorage = q.Value()
		case corev1.ResourcePods:
			r.Pods = q.Value()
		default:
			if isScalar(name) {
				r.Scalars = append(r.Scalars, Scalar{name, q.Value()})
			}
		}
	}
	slices.SortFunc(r.Scalars, func(a, b Scalar) int { return strings.Compare(string(a.Name), string(b.Name)) })
	return r
}

// Amount is how much there is of any resource: millicores of processor time, bytes of memory and storage, pieces of
// everything else; 0 when there is none.
func (r *Resources) Amount(name corev1.ResourceName) int64 {
	switch name {
	case corev1.ResourceCPU:
		return r.MilliCPU
	case corev1.ResourceMemory:
		return r.Memory
	case corev1.ResourceEphemeralStorage:
		return r.EphemeralStorage
	case corev1.ResourcePods:
		return r.Pods
	}
	return r.Scalar(name)
}

// Scalar is the amount of a scalar resource, 0 when there is none.
func (r *Resources) Scalar(name corev1.ResourceName) int64 {
	for i := range r.Scalars {
		if r.Scalars[i].Name == name {
			return r.Scalars[i].Value
		}
	}
	return 0
}

// HasScalar reports whether the resource is listed at all, also with 0.
func (r *Resources) HasScalar(name corev1.ResourceName) bool {
	return slices.ContainsFunc(r.Scalars, func(s Scalar) bool { return s.Name == name })
}

// add adds sign times o; Pods stays as it is, because a pod does not request pods.
func (r *Resources) add(o *Resources, sign int64) {
	r.MilliCPU += sign * o.MilliCPU
	r.Memory += sign * o.Memory
	r.EphemeralStorage += sign * o.EphemeralStorage
	for _, s := range o.Scalars {
		i, found := slices.BinarySearchFunc(r.Scalars, s.Name, func(a Scalar, n corev1.ResourceName) int {
			return strings.Compare(string(a.Name), string(n))
		})
		if !found {
			r.Scalars = slices.Insert(r.Scalars, i, Scalar{Name: s.Name})
		}
		r.Scalars[i].Value += sign * s.Value
	}
}

// isScalar reports whether kube-scheduler counts the resource as a scalar: extended, huge pages, prefixed native, or
// attachable volumes (pkg/scheduler/util, 1.37).
func isScalar(name corev1.ResourceName) bool {
	return IsExtended(name) ||
		strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) ||
		strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix) ||
		strings.HasPrefix(string(name), corev1.ResourceAttachableVolumesPrefix)
}

// IsExtended reports whether the name is an extended resource: a domain other than kubernetes.io, no "requests."
// prefix, and short enough to have that prefix put before it in a quota (pkg/apis/core/v1/helper, 1.37).
func IsExtended(name corev1.ResourceName) bool {
	s := string(name)
	if !strings.Contains(s, "/") || strings.Contains(s, corev1.ResourceDefaultNamespacePrefix) ||
		strings.HasPrefix(s, corev1.DefaultResourceRequestsPrefix) {
		return false
	}
	return len(validation.IsQualifiedName(corev1.DefaultResourceRequestsPrefix+s)) == 0
}
