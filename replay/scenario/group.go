package scenario

import (
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/internal/phrase"
)

// freshGroup is a group before its words: its pods need not be placed together.
func freshGroup(g *schedulingv1beta1.PodGroup) {
	g.Spec.SchedulingPolicy.Basic = &schedulingv1beta1.BasicSchedulingPolicy{}
}

func groupWords() []word[schedulingv1beta1.PodGroup] {
	return []word[schedulingv1beta1.PodGroup]{
		{
			name: "gang", value: "NUMBER",
			does: "minCount: so many of its pods must have a node for any of them to be bound. Without it the group is basic.",
			read: groupGang,
		},
		{
			name: "topology", value: "LABEL", does: "Its pods must be within one domain of this node label.",
			read: func(v string) (func(*schedulingv1beta1.PodGroup), error) {
				key := longLabel(v)
				return func(g *schedulingv1beta1.PodGroup) {
					g.Spec.SchedulingConstraints = &schedulingv1beta1.PodGroupSchedulingConstraints{
						Topology: []schedulingv1beta1.TopologyConstraint{{Key: key}},
					}
				}, nil
			},
		},
		{
			name: "disruption", value: "MODE", does: "Whom preemption may evict: Single pods of it, or All or none.",
			read: groupDisruption,
		},
		{
			name: "priority", value: "NUMBER", does: "The priority, without a PriorityClass.", late: true,
			read: func(v string) (func(*schedulingv1beta1.PodGroup), error) {
				n, err := integer(v)
				return func(g *schedulingv1beta1.PodGroup) { g.Spec.Priority = ptr.To(int32(n)) }, err
			},
		},
		{
			name: "class", value: "NAME", does: "The PriorityClass.",
			read: func(v string) (func(*schedulingv1beta1.PodGroup), error) {
				return func(g *schedulingv1beta1.PodGroup) { g.Spec.PriorityClassName = v }, nil
			},
		},
		{
			name: "preempts", value: "POLICY",
			does: "The preemptionPolicy: Never or PreemptLowerPriority. It counts where the gate PodGroupPreemptionPolicy is " +
				"on.",
			late: true, read: func(v string) (func(*schedulingv1beta1.PodGroup), error) {
				policy, err := preemptionPolicy(v)
				return func(g *schedulingv1beta1.PodGroup) {
					g.Spec.PreemptionPolicy = ptr.To(schedulingv1beta1.PreemptionPolicy(policy))
				}, err
			},
		},
	}
}

func groupGang(v string) (func(*schedulingv1beta1.PodGroup), error) {
	n, err := integer(v)
	if err == nil && n < 1 {
		err = phrase.Errorf("a gang needs at least one pod")
	}
	return func(g *schedulingv1beta1.PodGroup) {
		g.Spec.SchedulingPolicy.Basic = nil
		g.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: int32(n)}
	}, err
}

func groupDisruption(v string) (func(*schedulingv1beta1.PodGroup), error) {
	mode := &schedulingv1beta1.DisruptionMode{}
	switch v {
	case "Single":
		mode.Single = &schedulingv1beta1.SingleDisruptionMode{}
	case "All":
		mode.All = &schedulingv1beta1.AllDisruptionMode{}
	default:
		return nil, phrase.Errorf("%q is no disruption mode (want Single or All)", v)
	}
	return func(g *schedulingv1beta1.PodGroup) { g.Spec.DisruptionMode = mode }, nil
}
