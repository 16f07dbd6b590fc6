package cluster

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/node/topology"
)

// Node is a node with what its pods hold of it. A Node reached through a Snapshot is read only; With and Without
// give changed copies.
type Node struct {
	API  *corev1.Node // read only; nil for a node that pods name but that has no Node object
	Name string
	Zone string // region and zone in one key, as the node order groups by; empty without either label

	Taints        []corev1.Taint // API.Spec.Taints; read only
	Unschedulable bool           // API.Spec.Unschedulable: the node is cordoned

	Allocatable Resources
	Requested   Resources // sum over Pods; Requested.Pods stays 0, len(Pods) counts them
	NonZeroCPU  int64     // millicores, sum of Pod.NonZeroCPU
	NonZeroMem  int64     // bytes, sum of Pod.NonZeroMem

	Pods                     []*Pod // in order of arrival; one that leaves is replaced by the last
	WithAffinity             []*Pod // those of Pods with any affinity or anti-affinity to pods
	WithRequiredAntiAffinity []*Pod // those of Pods with required anti-affinity
	WithPorts                []*Pod // those of Pods that hold host ports
	WithVolumes              []*Pod // those of Pods with claims or disks
	Sets                     []SetCount
	Ports                    []HostPort // sorted by nothing; each once

	seen   []Image  // under the same index as images; nil unless Reading.ImagesOnce; replaced, never written
	images []string // names of API.Status.Images, sorted, each once; replaced, never written

	index  int   // position in the snapshot's order; -1 outside it
	serial int32 // dense number within its State, for its lifetime
	// how often its State had changed nodes when this one changed last, and how often this one has changed
	generation, changes int64
	owner               *owner // the State that may change it in place
}

// SetCount is how many pods of one LabelSet are on a node.
type SetCount struct {
	Set         *LabelSet
	Count       int32 // all of them
	Terminating int32 // those being deleted
}

// owner marks what one State may change in place; a fork gets another.
type owner struct{ _ byte }

// Index is the node's position in the snapshot's order, -1 when it is in none.
func (n *Node) Index() int { return n.index }

// Labels of the node.
func (n *Node) Labels() labels.Set { return n.API.Labels }

// Label is one label's value; false when the node does not have it.
func (n *Node) Label(key string) (string, bool) {
	v, ok := n.API.Labels[key]
	return v, ok
}

// PodLimit is how many pods the node admits.
func (n *Node) PodLimit() int64 { return n.Allocatable.Pods }

// HasImage reports whether the node reports an image under that name.
func (n *Node) HasImage(name string) bool {
	if len(n.images) == 0 {
		return false
	}
	_, found := slices.BinarySearch(n.images, name)
	return found
}

// ImageSeen is what the node knows of an image of its own, if it has knowledge of its own (Reading.ImagesOnce).
func (n *Node) ImageSeen(name string) (Image, bool) {
	i, found := slices.BinarySearch(n.images, name)
	if !found || i >= len(n.seen) {
		return Image{}, false
	}
	return n.seen[i], true
}

// CountPods is how many of the node's pods are of a namespace, have labels that a selector takes, and are not on their
// way out.
func (n *Node) CountPods(namespace string, selector labels.Selector) (count int64) {
	for _, pod := range n.Pods {
		if pod.Namespace() == namespace && !pod.Terminating() && selector.Matches(labels.Set(pod.API.Labels)) {
			count++
		}
	}
	return count
}

// With is the node as it would be with one pod more. The receiver stays as it is.
func (n *Node) With(pod *Pod) *Node {
	c := n.clone(nil)
	c.add(pod)
	return c
}

// Without is the node as it would be with one pod less. The receiver stays as it is.
func (n *Node) Without(pod *Pod) *Node {
	c := n.clone(nil)
	c.remove(pod)
	return c
}

// NewNode parses a node that no State holds: the subject of a hint, or of a what-if. It has no pods.
func NewNode(api *corev1.Node) *Node {
	n := &Node{Name: api.Name, index: -1}
	n.describe(api)
	return n
}

// Described is a node of a snapshot as an extender hands it back: at the same place, with the data of the object, and
// without pods and images.
func (n *Node) Described(api *corev1.Node) *Node {
	d := NewNode(api)
	d.index, d.serial, d.images, d.seen = n.index, n.serial, nil, nil
	return d
}

func (n *Node) describe(api *corev1.Node) {
	n.API = api
	n.Allocatable = ResourcesOf(api.Status.Allocatable)
	n.Zone = topology.GetZoneKey(api)
	n.Taints, n.Unschedulable = api.Spec.Taints, api.Spec.Unschedulable
	n.images = imageNames(api)
}

// forget undoes describe: the node is gone, and its name still holds pods.
func (n *Node) forget() {
	n.API, n.Zone, n.Taints, n.Unschedulable, n.Allocatable, n.images = nil, "", nil, false, Resources{}, nil
	n.index = -1
}

// clone copies the node for an owner; every list is its own.
func (n *Node) clone(o *owner) *Node {
	c := *n
	c.owner = o
	c.Pods = slices.Clone(n.Pods)
	c.WithAffinity = slices.Clone(n.WithAffinity)
	c.WithRequiredAntiAffinity = slices.Clone(n.WithRequiredAntiAffinity)
	c.WithPorts = slices.Clone(n.WithPorts)
	c.WithVolumes = slices.Clone(n.WithVolumes)
	c.Sets = slices.Clone(n.Sets)
	c.Ports = slices.Clone(n.Ports)
	c.Requested.Scalars = slices.Clone(n.Requested.Scalars)
	return &c
}

func (n *Node) add(p *Pod) {
	n.Pods = append(n.Pods, p)
	if p.HasAffinity {
		n.WithAffinity = append(n.WithAffinity, p)
	}
	if hasRequiredAntiAffinity(p) {
		n.WithRequiredAntiAffinity = append(n.WithRequiredAntiAffinity, p)
	}
	if len(p.Ports) > 0 {
		n.WithPorts = append(n.WithPorts, p)
	}
	if len(p.Claims)+len(p.Disks) > 0 {
		n.WithVolumes = append(n.WithVolumes, p)
	}
	n.count(p, 1)
	for _, port := range p.Ports {
		if !slices.Contains(n.Ports, port) {
			n.Ports = append(n.Ports, port)
		}
	}
}

// remove takes the pod with the same UID off the node and returns it as it was there; nil when it was not.
func (n *Node) remove(p *Pod) *Pod {
	var gone *Pod
	n.Pods, gone = without(n.Pods, p.UID())
	if gone == nil {
		return nil
	}
	n.WithAffinity, _ = without(n.WithAffinity, p.UID())
	n.WithRequiredAntiAffinity, _ = without(n.WithRequiredAntiAffinity, p.UID())
	n.WithPorts, _ = without(n.WithPorts, p.UID())
	n.WithVolumes, _ = without(n.WithVolumes, p.UID())
	n.count(gone, -1)
	for _, port := range gone.Ports {
		n.Ports = slices.DeleteFunc(n.Ports, func(o HostPort) bool { return o == port })
	}
	return gone
}

func (n *Node) count(p *Pod, sign int64) {
	n.Requested.add(&p.Requests, sign)
	n.NonZeroCPU += sign * p.NonZeroCPU
	n.NonZeroMem += sign * p.NonZeroMem
	terminating := int32(0)
	if p.Terminating() {
		terminating = int32(sign)
	}
	for i := range n.Sets {
		s := &n.Sets[i]
		if s.Set != p.Labels {
			continue
		}
		s.Count += int32(sign)
		s.Terminating += terminating
		if s.Count == 0 {
			n.Sets = slices.Delete(n.Sets, i, i+1)
		}
		return
	}
	n.Sets = append(n.Sets, SetCount{Set: p.Labels, Count: int32(sign), Terminating: terminating})
}

func hasRequiredAntiAffinity(p *Pod) bool {
	a := p.API.Spec.Affinity
	return a != nil && a.PodAntiAffinity != nil &&
		len(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0
}

// without takes the pod with that uid out of the list, putting the last in its place.
func without(pods []*Pod, uid string) ([]*Pod, *Pod) {
	for i, p := range pods {
		if p.UID() == uid {
			last := len(pods) - 1
			pods[i] = pods[last]
			pods[last] = nil
			return pods[:last], p
		}
	}
	return pods, nil
}

// TaintText is a taint as kubectl writes it: key=value:Effect, or key:Effect.
func TaintText(t *corev1.Taint) string {
	var b strings.Builder
	b.WriteString(t.Key)
	if t.Value != "" {
		b.WriteString("=")
		b.WriteString(t.Value)
	}
	b.WriteString(":")
	b.WriteString(string(t.Effect))
	return b.String()
}
