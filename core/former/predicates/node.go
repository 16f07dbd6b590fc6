package predicates

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// byNode is a rule about the pod and one node.
type byNode struct {
	name string
	rule func(pod *cluster.Pod, node *cluster.Node) trace.Verdict
}

// Name is the predicate's.
func (b byNode) Name() string { return b.name }

// Filter returns the rule's verdict.
func (b byNode) Filter(pod *cluster.Pod, node *cluster.Node) trace.Verdict { return b.rule(pod, node) }

// outOfDisk is a condition of nodes until 1.12.
const outOfDisk corev1.NodeConditionType = "OutOfDisk"

// Condition is CheckNodeCondition: the node is ready, has room on its disk, reaches the network and is not cordoned.
// Preemption can help a node without room on its disk: kube-scheduler 1.10 forgets this reason in its list of those
// that it cannot help.
func Condition(ways Ways) *Plugin {
	const name = "CheckNodeCondition"
	return Of(name, ways, byNode{name, func(_ *cluster.Pod, node *cluster.Node) trace.Verdict {
		var v trace.Verdict
		for i := range node.API.Status.Conditions {
			reason, code := ill(&node.API.Status.Conditions[i])
			if reason == "" {
				continue
			}
			v.Code = max(v.Code, code)
			v.Reasons = append(v.Reasons, reason)
			v.Evidence = append(v.Evidence, conditionEvidence(&node.API.Status.Conditions[i]))
		}
		if cordoned := unschedulable(node); !cordoned.OK() {
			v.Code = cordoned.Code
			v.Reasons, v.Evidence = append(v.Reasons, cordoned.Reasons...), append(v.Evidence, cordoned.Evidence...)
		}
		return v
	}})
}

// ill is the reason of a condition that keeps pods away; "": it does not.
func ill(c *corev1.NodeCondition) (string, trace.Code) {
	switch {
	case c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue:
		return reasonNotReady, trace.UnschedulableAndUnresolvable
	case c.Type == outOfDisk && c.Status != corev1.ConditionFalse:
		return reasonOutOfDisk, trace.Unschedulable
	case c.Type == corev1.NodeNetworkUnavailable && c.Status != corev1.ConditionFalse:
		return reasonNetwork, trace.UnschedulableAndUnresolvable
	}
	return "", trace.Success
}

// conditionEvidence names the status that the condition should have.
func conditionEvidence(c *corev1.NodeCondition) trace.Evidence {
	want := corev1.ConditionFalse
	if c.Type == corev1.NodeReady {
		want = corev1.ConditionTrue
	}
	return trace.Evidence{
		What: phrase.Textf("condition %s", string(c.Type)), Want: trace.Text(string(want)),
		Have: trace.Text(string(c.Status)),
	}
}

// unschedulable is the verdict on a cordoned node.
func unschedulable(node *cluster.Node) trace.Verdict {
	if !node.Unschedulable {
		return trace.Verdict{}
	}
	return trace.Verdict{
		Code: trace.UnschedulableAndUnresolvable, Reasons: []string{reasonCordoned},
		Evidence: []trace.Evidence{{
			Topic: trace.OfField, What: "spec.unschedulable", Want: trace.Text("false"), Have: trace.Text("true"),
		}},
	}
}

// Unschedulable is CheckNodeUnschedulable: the node is not cordoned, whatever the pod tolerates.
func Unschedulable(ways Ways) *Plugin {
	const name = "CheckNodeUnschedulable"
	return Of(name, ways, byNode{name, func(_ *cluster.Pod, node *cluster.Node) trace.Verdict {
		return unschedulable(node)
	}})
}

// MemoryPressure is CheckNodeMemoryPressure: pods that request nothing stay away from nodes that are short of memory.
func MemoryPressure(ways Ways) *Plugin {
	const name = "CheckNodeMemoryPressure"
	return Of(name, ways, byNode{name, func(pod *cluster.Pod, node *cluster.Node) trace.Verdict {
		if !bestEffort(&pod.API.Spec) {
			return trace.Verdict{}
		}
		return pressed(node, corev1.NodeMemoryPressure, reasonMemory)
	}})
}

// DiskPressure is CheckNodeDiskPressure: no pod goes where the disk is nearly full.
func DiskPressure(ways Ways) *Plugin {
	const name = "CheckNodeDiskPressure"
	return Of(name, ways, byNode{name, func(_ *cluster.Pod, node *cluster.Node) trace.Verdict {
		return pressed(node, corev1.NodeDiskPressure, reasonPressure)
	}})
}

// pressed rejects a node with a condition; of several of one type the last counts.
func pressed(node *cluster.Node, condition corev1.NodeConditionType, reason string) trace.Verdict {
	status := corev1.ConditionUnknown
	for i := range node.API.Status.Conditions {
		if c := &node.API.Status.Conditions[i]; c.Type == condition {
			status = c.Status
		}
	}
	if status != corev1.ConditionTrue {
		return trace.Verdict{}
	}
	return trace.Verdict{
		Code: trace.Unschedulable, Reasons: []string{reason},
		Evidence: []trace.Evidence{{
			What: phrase.Textf("condition %s", string(condition)), Want: trace.Text(string(corev1.ConditionFalse)),
			Have: trace.Text(string(status)),
		}},
	}
}

// bestEffort reports whether no container requests or limits CPU or memory; init containers do not count.
func bestEffort(spec *corev1.PodSpec) bool {
	for i := range spec.Containers {
		of := &spec.Containers[i].Resources
		for _, list := range []corev1.ResourceList{of.Requests, of.Limits} {
			if list.Cpu().Sign() > 0 || list.Memory().Sign() > 0 {
				return false
			}
		}
	}
	return true
}

// Healthy leaves nodes out that have a condition which keeps pods away, or are cordoned (getNodeConditionPredicate,
// 1.6): for a cycle they are not there.
type Healthy struct{}

// Scope is the others.
func (Healthy) Scope(snapshot *cluster.Snapshot) []int32 {
	scope := make([]int32, 0, len(snapshot.Nodes))
	for i, node := range snapshot.Nodes {
		if healthy(node) {
			scope = append(scope, int32(i))
		}
	}
	return scope
}

func healthy(node *cluster.Node) bool {
	for i := range node.API.Status.Conditions {
		if reason, _ := ill(&node.API.Status.Conditions[i]); reason != "" {
			return false
		}
	}
	return !node.Unschedulable
}
