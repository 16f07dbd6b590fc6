package noderesources

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// check rejects nodes that lack something the pod requests.
type check struct {
	milliCPU, memory, ephemeralStorage int64
	scalars                            []demand // sorted by name; none is 0

	resolvable bool  // a node that is too small is left to preemption
	oneReason  bool  // only the first reason is reported
	exempt     int64 // the most of a resource that is never too much: 0, or -1 where 0 of something may be

	room  trace.Room
	brief bool // no evidence
}

// demand is an amount of a scalar resource that the pod requests.
type demand struct {
	resource
	amount  int64
	reason  string
	devices bool // a DeviceClass stands for it: nodes that do not offer it themselves are DynamicResources' affair
}

// newCheck adds up the pod's requests as kube-scheduler's Filter does: from the spec only, not from the status.
func newCheck(pod *cluster.Pod, objects *cluster.Objects) *check {
	requests := pod.SpecRequests()
	c := &check{milliCPU: requests.MilliCPU, memory: requests.Memory, ephemeralStorage: requests.EphemeralStorage}
	for _, s := range requests.Scalars {
		if s.Value != 0 {
			c.scalars = append(c.scalars, demand{
				resource: resource{name: s.Name, kind: scalar}, amount: s.Value,
				reason: "Insufficient " + string(s.Name), devices: objects.DeviceClassFor(s.Name) != nil,
			})
		}
	}
	return c
}

// Fits reports whether the node has room for what the pod's spec requests.
func Fits(pod *cluster.Pod, node *cluster.Node, objects *cluster.Objects) bool {
	return newCheck(pod, objects).Filter(node).OK()
}

// The bits of what a node may lack; scalars follow, counted only.
const (
	lacksPods = 1 << iota
	lacksCPU
	lacksMemory
	lacksEphemeralStorage
	lacksSets
)

// reasons holds the reasons for every set of these bits, in kube-scheduler's order.
var reasons = [lacksSets][]string{
	1:  {"Too many pods"},
	2:  {"Insufficient cpu"},
	3:  {"Too many pods", "Insufficient cpu"},
	4:  {"Insufficient memory"},
	5:  {"Too many pods", "Insufficient memory"},
	6:  {"Insufficient cpu", "Insufficient memory"},
	7:  {"Too many pods", "Insufficient cpu", "Insufficient memory"},
	8:  {"Insufficient ephemeral-storage"},
	9:  {"Too many pods", "Insufficient ephemeral-storage"},
	10: {"Insufficient cpu", "Insufficient ephemeral-storage"},
	11: {"Too many pods", "Insufficient cpu", "Insufficient ephemeral-storage"},
	12: {"Insufficient memory", "Insufficient ephemeral-storage"},
	13: {"Too many pods", "Insufficient memory", "Insufficient ephemeral-storage"},
	14: {"Insufficient cpu", "Insufficient memory", "Insufficient ephemeral-storage"},
	15: {"Too many pods", "Insufficient cpu", "Insufficient memory", "Insufficient ephemeral-storage"},
}

// Filter compares every request with what the node has left, and lists all that it lacks: pods, CPU, memory, ephemeral
// storage, scalars by name (in kube-scheduler scalars have no order). A request beyond the whole node is
// UnschedulableAndUnresolvable, for preemption cannot help; too many pods never are. The evidence does not list the
// pods that use the node; Users does.
func (c *check) Filter(node *cluster.Node) trace.Verdict {
	have, used := &node.Allocatable, &node.Requested
	lacks := 0
	if int64(len(node.Pods))+1 > have.Pods {
		lacks |= lacksPods
	}
	if c.milliCPU > c.exempt && c.milliCPU > have.MilliCPU-used.MilliCPU {
		lacks |= lacksCPU
	}
	if c.memory > c.exempt && c.memory > have.Memory-used.Memory {
		lacks |= lacksMemory
	}
	if c.ephemeralStorage > c.exempt && c.ephemeralStorage > have.EphemeralStorage-used.EphemeralStorage {
		lacks |= lacksEphemeralStorage
	}
	scalars := 0
	for i := range c.scalars {
		if c.scalars[i].lackedBy(node) {
			scalars++
		}
	}
	switch {
	case lacks == 0 && scalars == 0:
		return trace.Verdict{}
	case scalars == 0 && c.brief:
		return trace.Verdict{Code: c.code(node, lacks), Reasons: c.said(reasons[lacks])}
	}
	verdict := c.rejection(node, lacks, scalars)
	if c.oneReason {
		verdict.Reasons = c.said(verdict.Reasons)
	}
	if c.resolvable {
		verdict.Code = trace.Unschedulable
	}
	return verdict
}

// said returns the reasons that the verdict reports.
func (c *check) said(all []string) []string {
	switch {
	case !c.oneReason:
		return all
	case all[0] == reasons[lacksPods][0]:
		return onlyPods[:]
	}
	return all[:1:1]
}

// onlyPods is the one reason where the node has too many pods already.
var onlyPods = [...]string{"Insufficient pods"}

// Brief leaves the evidence out, except where scalars are short.
func (c *check) Brief() framework.Check {
	return &check{
		milliCPU: c.milliCPU, memory: c.memory, ephemeralStorage: c.ephemeralStorage, scalars: c.scalars, brief: true,
		resolvable: c.resolvable, oneReason: c.oneReason, exempt: c.exempt,
	}
}

// code is what these shortages mean for preemption.
func (c *check) code(node *cluster.Node, lacks int) trace.Code {
	have := &node.Allocatable
	if c.resolvable {
		return trace.Unschedulable
	}
	if lacks&lacksCPU != 0 && c.milliCPU > have.MilliCPU || lacks&lacksMemory != 0 && c.memory > have.Memory ||
		lacks&lacksEphemeralStorage != 0 && c.ephemeralStorage > have.EphemeralStorage {
		return trace.UnschedulableAndUnresolvable
	}
	return trace.Unschedulable
}

// lackedBy reports whether the node has not enough of the scalar left.
func (d *demand) lackedBy(node *cluster.Node) bool {
	have := node.Allocatable.Scalar(d.name)
	if d.devices && have <= 0 {
		return false
	}
	return d.amount > have-node.Requested.Scalar(d.name)
}

// rejection is the verdict on a node with these shortages.
func (c *check) rejection(node *cluster.Node, lacks, scalars int) trace.Verdict {
	verdict := trace.Verdict{Code: trace.Unschedulable, Reasons: reasons[lacks]}
	verdict.Evidence = c.room.Evidence(len(verdict.Reasons) + scalars)
	if lacks&lacksPods != 0 {
		used := int64(len(node.Pods))
		verdict.Evidence = append(verdict.Evidence, trace.Evidence{
			Topic: trace.OfResource, What: phrase.Text(corev1.ResourcePods), Want: trace.Count(1),
			Have: trace.Count(node.Allocatable.Pods - used),
			Used: trace.Count(used), Capacity: trace.Count(node.Allocatable.Pods),
		})
	}
	if lacks&lacksCPU != 0 {
		shortage(&verdict, node, &resource{name: corev1.ResourceCPU, kind: cpu}, c.milliCPU)
	}
	if lacks&lacksMemory != 0 {
		shortage(&verdict, node, &resource{name: corev1.ResourceMemory, kind: memory}, c.memory)
	}
	if lacks&lacksEphemeralStorage != 0 {
		shortage(&verdict, node, &resource{name: corev1.ResourceEphemeralStorage, kind: ephemeralStorage}, c.ephemeralStorage)
	}
	if scalars == 0 {
		return verdict
	}
	verdict.Reasons = append(make([]string, 0, len(verdict.Reasons)+scalars), verdict.Reasons...)
	for i := range c.scalars {
		if d := &c.scalars[i]; d.lackedBy(node) {
			verdict.Reasons = append(verdict.Reasons, d.reason)
			shortage(&verdict, node, &d.resource, d.amount)
		}
	}
	return verdict
}

// shortage adds the evidence for one resource to a verdict, and what it means for preemption.
func shortage(verdict *trace.Verdict, node *cluster.Node, r *resource, want int64) {
	capacity, used := r.of(&node.Allocatable), r.of(&node.Requested)
	if want > capacity {
		verdict.Code = trace.UnschedulableAndUnresolvable
	}
	verdict.Evidence = append(verdict.Evidence, trace.Evidence{
		Topic: trace.OfResource, What: phrase.Text(r.name), Want: r.value(want), Have: r.value(capacity - used),
		Used:     r.value(used),
		Capacity: r.value(capacity),
	})
}
