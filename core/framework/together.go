package framework

import (
	"fmt"

	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
)

// GroupBehaviour is what cycles of pod groups do that no plugin decides.
type GroupBehaviour struct {
	Search GroupSearch
	Policy GroupPolicy
}

// GroupSearch decides on which sets of nodes a group is tried. It calls one of the methods of the cycle.
type GroupSearch interface {
	Search(on GroupTries)
}

// GroupTries is what a cycle can try for a group.
type GroupTries interface {
	AllNodes()      // the members on all nodes
	EachPlacement() // the members on each placement that the profile's PlacementGenerate plugin makes; the best is kept
}

// OnAllNodes tries a group on all nodes.
type OnAllNodes struct{}

// Search tries all nodes.
func (OnAllNodes) Search(on GroupTries) { on.AllNodes() }

// OnPlacements tries a group on one placement after the other (TopologyAwareWorkloadScheduling).
type OnPlacements struct{}

// Search tries the placements.
func (OnPlacements) Search(on GroupTries) { on.EachPlacement() }

// GroupPolicy decides which preemption policy the pods of a group must have.
type GroupPolicy interface {
	// Wanted is that policy; "": the one of the group's first pod.
	Wanted(group *schedulingv1beta1.PodGroup) string
	// Wrong is kube-scheduler's message about a pod with another policy.
	Wrong(own, wanted string) string
}

// PodsAgree wants all pods of a group to have the same policy.
type PodsAgree struct{}

// Wanted is nothing: the first pod decides.
func (PodsAgree) Wanted(*schedulingv1beta1.PodGroup) string { return "" }

// Wrong names both policies.
func (PodsAgree) Wrong(own, wanted string) string {
	return fmt.Sprintf(
		"all pods in a single pod group should have the same preemption policy, got %v and %v", own, wanted,
	)
}

// GroupDecides wants the policy of the group (PodGroupPreemptionPolicy).
type GroupDecides struct{}

// Wanted is the group's policy, or the default one.
func (GroupDecides) Wanted(group *schedulingv1beta1.PodGroup) string {
	if own := group.Spec.PreemptionPolicy; own != nil {
		return string(*own)
	}
	return "PreemptLowerPriority"
}

// Wrong names both policies.
func (GroupDecides) Wrong(own, wanted string) string {
	return fmt.Sprintf(
		"all pods in a single pod group should have the same preemption policy as the pod group's preemption policy, "+
			"got %v and %v",
		own, wanted,
	)
}
