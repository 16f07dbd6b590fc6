package defaultpreemption

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/preemption"
	"github.com/schedstep/schedstep/core/trace"
)

// groupPrefix begins every message of the plugin about a group.
const groupPrefix = "pod group preemption: "

// PodGroupPostFilter looks for the pods that have to leave, wherever they are, for the group to get what it needs, and
// nominates its members where they would then go.
func (p *Plugin) PodGroupPostFilter(ask framework.GroupPostFilterAsk) framework.GroupPostFilterAnswer {
	if p.mayNot(ask.Group) {
		return groupAnswer(trace.Unschedulable, reasonNever)
	}
	priority := cluster.GroupPriority(ask.Group.API)
	if underWay(ask, priority) {
		a := groupAnswer(trace.Success, "ongoing preemption on nominated nodes")
		for _, m := range ask.Group.Members {
			a.Nodes = append(a.Nodes, trace.MemberNode{Pod: m.Key, Node: m.Nominated})
		}
		return a
	}
	found := preemption.RunGroup(
		preemption.GroupAsk{Snapshot: ask.Snapshot, Priority: priority, Trial: ask.Trial, Now: ask.Now},
	)
	if !found.Verdict.OK() {
		return groupAnswer(found.Verdict.Code, found.Verdict.Message())
	}
	a := groupAnswer(
		trace.Success, fmt.Sprintf("found a placement for podgroup, preempting %d victims", len(found.Victims)),
	)
	a.Nodes, a.Victims = found.Nodes, found.Victims
	a.Facts = []trace.Fact{trace.GroupPreempted{
		Victims: keys(found.Victims), Violating: found.Violating, Reprieved: keys(found.Reprieved), Nodes: found.Nodes,
	}}
	return a
}

func groupAnswer(code trace.Code, message string) framework.GroupPostFilterAnswer {
	return framework.GroupPostFilterAnswer{Verdict: trace.Verdict{Code: code, Reasons: []string{groupPrefix + message}}}
}

// groupMayNot reports whether the group forbids preemption; the policies of its pods do not count.
func groupMayNot(group framework.Group) bool {
	policy := group.API.Spec.PreemptionPolicy
	return policy != nil && *policy == schedulingv1beta1.PreemptNever
}

// memberMayNot reports whether any pod of the group forbids preemption.
func memberMayNot(group framework.Group) bool {
	for _, m := range group.Members {
		if policy := m.API.Spec.PreemptionPolicy; policy != nil && *policy == corev1.PreemptNever {
			return true
		}
	}
	return false
}

// underWay reports whether an earlier preemption made room on a node that a member is nominated to, and that room is
// not free yet.
func underWay(ask framework.GroupPostFilterAsk, priority int32) bool {
	for _, m := range ask.Group.Members {
		node, known := ask.Snapshot.Node(m.Nominated)
		if !known {
			continue
		}
		for _, other := range node.Pods {
			if preemption.PriorityOf(other, ask.Snapshot) < priority && goesByPreemption(other) {
				return true
			}
		}
	}
	return false
}
