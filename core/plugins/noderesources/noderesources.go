// Package noderesources is kube-scheduler's NodeResourcesFit and NodeResourcesBalancedAllocation plugins (1.37): what
// pods request against what nodes can give. Whether the devices behind an extended resource that a DeviceClass stands
// for (DRA) are free it leaves to DynamicResources as kube-scheduler does; a scoring strategy that lists such a
// resource counts them.
package noderesources

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// resource is one resource that nodes are scored by.
type resource struct {
	name   corev1.ResourceName
	kind   resourceKind
	weight int64
}

type resourceKind uint8

const (
	cpu resourceKind = iota
	memory
	ephemeralStorage
	scalar
)

func resourcesOf(specs []configv1.ResourceSpec) []resource {
	resources := make([]resource, len(specs))
	for i, spec := range specs {
		name := corev1.ResourceName(spec.Name)
		resources[i] = resource{name: name, kind: kindOf(name), weight: spec.Weight}
	}
	return resources
}

func kindOf(name corev1.ResourceName) resourceKind {
	switch name {
	case corev1.ResourceCPU:
		return cpu
	case corev1.ResourceMemory:
		return memory
	case corev1.ResourceEphemeralStorage:
		return ephemeralStorage
	}
	return scalar
}

// of is the resource's amount in r, 0 when there is none.
func (r *resource) of(amounts *cluster.Resources) int64 {
	switch r.kind {
	case cpu:
		return amounts.MilliCPU
	case memory:
		return amounts.Memory
	case ephemeralStorage:
		return amounts.EphemeralStorage
	}
	return amounts.Scalar(r.name)
}

// value is an amount of the resource in its unit.
func (r *resource) value(n int64) trace.Value {
	switch {
	case r.kind == cpu:
		return trace.MilliCPU(n)
	case r.kind != scalar, strings.HasPrefix(string(r.name), corev1.ResourceHugePagesPrefix):
		return trace.Bytes(n)
	}
	return trace.Count(n)
}
