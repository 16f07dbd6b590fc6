package podtopologyspread

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
)

// Hints wait for matching pods that come, go or change their labels, for the pod's own labels and tolerations, and
// for nodes of the domains.
func (p *Plugin) Hints() []queue.Hint {
	return []queue.Hint{
		{
			Event: cluster.ClusterEvent{
				Resource: cluster.AssignedPod, Action: cluster.Added | cluster.UpdatePodLabel | cluster.Deleted,
			},
			Helps: p.otherPodHelps,
		},
		{
			Event: cluster.ClusterEvent{
				Resource: cluster.TargetPod, Action: cluster.UpdatePodToleration | cluster.UpdatePodLabel,
			},
			Helps: p.ownChangeHelps,
		},
		{
			Event: cluster.ClusterEvent{
				Resource: cluster.NodeResource,
				Action:   cluster.Added | cluster.Deleted | cluster.UpdateNodeLabel | cluster.UpdateNodeTaint,
			},
			Helps: p.nodeHelps,
		},
	}
}

// otherPodHelps reports whether a placed pod of the same namespace that came or went matches a constraint, or one that
// was relabelled matches another set of constraints than before.
func (p *Plugin) otherPodHelps(pod *cluster.Pod, change *cluster.Change, known *cluster.State) (bool, error) {
	was, is := change.OldPod, change.NewPod
	if was != nil && !p.counts(was, pod) || is != nil && !p.counts(is, pod) {
		return false, nil
	}
	constraints, err := p.hard(pod, known.Objects())
	if err != nil {
		return true, err
	}
	switch {
	case was != nil && is != nil:
		return matchesOthers(constraints, was, is), nil
	case is != nil:
		return matchesAny(constraints, is), nil
	}
	return matchesAny(constraints, was), nil
}

// ownChangeHelps reports whether the pod's new tolerations may let more nodes take part, or its new labels change which
// constraints it matches itself.
func (p *Plugin) ownChangeHelps(pod *cluster.Pod, change *cluster.Change, known *cluster.State) (bool, error) {
	constraints, err := p.hard(pod, known.Objects())
	if err != nil {
		return true, err
	}
	was, is := change.OldPod, change.NewPod
	tolerations := !equality.Semantic.DeepEqual(was.API.Spec.Tolerations, is.API.Spec.Tolerations)
	if tolerations && slices.ContainsFunc(constraints, func(c constraint) bool { return c.honorTaints }) {
		return true, nil
	}
	return matchesOthers(constraints, was, is), nil
}

// nodeHelps reports whether a node with all topology keys came or went, or one changed its keys, its domain or its
// taints.
func (p *Plugin) nodeHelps(pod *cluster.Pod, change *cluster.Change, known *cluster.State) (bool, error) {
	constraints, err := p.hard(pod, known.Objects())
	if err != nil {
		return true, err
	}
	was := change.OldNode != nil && hasKeys(change.OldNode.API.Labels, constraints)
	is := change.NewNode != nil && hasKeys(change.NewNode.API.Labels, constraints)
	if change.OldNode == nil || change.NewNode == nil || was != is {
		return was || is, nil
	}
	if !is {
		return false, nil
	}
	before, after := change.OldNode.API, change.NewNode.API
	moved := slices.ContainsFunc(constraints, func(c constraint) bool {
		return before.Labels[c.key] != after.Labels[c.key]
	})
	return moved || !equality.Semantic.DeepEqual(before.Spec.Taints, after.Spec.Taints), nil
}

// counts reports whether a pod has a node, also a nominated one, in the namespace in which the pod's constraints count.
func (p *Plugin) counts(other, pod *cluster.Pod) bool {
	has := other.NodeName != "" || other.Nominated != "" && !p.ways.HintsReadPlacedPodsOnly
	return has && other.Namespace() == pod.Namespace()
}

func matchesAny(constraints []constraint, pod *cluster.Pod) bool {
	return slices.ContainsFunc(constraints, func(c constraint) bool {
		return c.selector.Matches(labels.Set(pod.API.Labels))
	})
}

// matchesOthers reports whether some constraint matches the pod either as it was or as it is, and not both.
func matchesOthers(constraints []constraint, was, is *cluster.Pod) bool {
	if equality.Semantic.DeepEqual(was.API.Labels, is.API.Labels) {
		return false
	}
	return slices.ContainsFunc(constraints, func(c constraint) bool {
		return c.selector.Matches(labels.Set(was.API.Labels)) != c.selector.Matches(labels.Set(is.API.Labels))
	})
}
