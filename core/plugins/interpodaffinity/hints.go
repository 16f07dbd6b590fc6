package interpodaffinity

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
)

// Hints wait for pods that come near or go away, for the pod's own labels, and for nodes that change domain.
func (p *Plugin) Hints() []queue.Hint {
	return []queue.Hint{
		{
			Event: cluster.ClusterEvent{
				Resource: cluster.AssignedPod, Action: cluster.Added | cluster.UpdatePodLabel | cluster.Deleted,
			},
			Helps: p.otherPodHelps,
		},
		{Event: cluster.ClusterEvent{Resource: cluster.TargetPod, Action: cluster.UpdatePodLabel}, Helps: p.ownLabels()},
		{
			Event: cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.Added | cluster.UpdateNodeLabel},
			Helps: p.nodeHelps,
		},
	}
}

// otherPodHelps reports whether a placed pod came that matches the pod's affinity, or one went that had anti-affinity
// against the pod or the pod against it, or a change of labels has one of these effects.
func (p *Plugin) otherPodHelps(pod *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	was, is := change.OldPod, change.NewPod
	if was != nil && !p.hasPlace(was) || is != nil && !p.hasPlace(is) {
		return false, nil
	}
	if err := requiredErr(pod); err != nil {
		return true, err
	}
	near, away := pod.RequiredAffinity, pod.RequiredAntiAffinity
	shun := anyMatches
	if p.ways.HintsJoinAntiAffinity {
		shun = allMatch
	}
	switch {
	case was != nil && is != nil:
		return !allMatch(near, was) && allMatch(near, is) || shun(away, was) && !shun(away, is), nil
	case is != nil:
		return allMatch(near, is), nil
	case shun(away, was):
		return true, nil
	}
	if was.Affinity == nil || p.ways.HintsReadOwnTermsOnly {
		return false, nil
	}
	if err := was.Affinity.RequiredAntiAffinityErr; err != nil {
		return true, err
	}
	return shun(was.RequiredAntiAffinity, pod), nil
}

// nodeHelps reports whether a node came that the pod's terms can use, or one changed a label that a term uses as its
// topology key.
func (p *Plugin) nodeHelps(pod *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	if err := requiredErr(pod); err != nil {
		return true, err
	}
	is := labels.Set(change.NewNode.API.Labels)
	reaches := func(t cluster.AffinityTerm) bool { return is.Has(t.TopologyKey) }
	if p.ways.HintsIgnoreOldValue {
		return slices.ContainsFunc(pod.RequiredAffinity, reaches) ||
			slices.ContainsFunc(pod.RequiredAntiAffinity, reaches), nil
	}
	if change.OldNode == nil {
		return len(pod.RequiredAntiAffinity) > 0 || slices.ContainsFunc(pod.RequiredAffinity, reaches), nil
	}
	was := labels.Set(change.OldNode.API.Labels)
	joined := slices.ContainsFunc(pod.RequiredAffinity, func(t cluster.AffinityTerm) bool {
		return is.Has(t.TopologyKey) && (!was.Has(t.TopologyKey) || was[t.TopologyKey] != is[t.TopologyKey])
	})
	left := slices.ContainsFunc(pod.RequiredAntiAffinity, func(t cluster.AffinityTerm) bool {
		return was.Has(t.TopologyKey) && (!is.Has(t.TopologyKey) || was[t.TopologyKey] != is[t.TopologyKey])
	})
	return joined || left, nil
}

// requiredErr is why the pod's required terms cannot be parsed.
func requiredErr(pod *cluster.Pod) error {
	if pod.Affinity == nil {
		return nil
	}
	if err := pod.Affinity.RequiredAffinityErr; err != nil {
		return err
	}
	return pod.Affinity.RequiredAntiAffinityErr
}

func (p *Plugin) hasPlace(pod *cluster.Pod) bool {
	return pod.NodeName != "" || pod.Nominated != "" && !p.ways.HintsReadOwnTermsOnly
}

// ownLabels is the hint for a change of the pod's own labels; nil: such a change always helps.
func (p *Plugin) ownLabels() func(*cluster.Pod, *cluster.Change, *cluster.State) (bool, error) {
	if !p.ways.HintsReadOwnTermsOnly {
		return nil
	}
	return func(*cluster.Pod, *cluster.Change, *cluster.State) (bool, error) { return false, nil }
}

// allMatch and anyMatches take every namespace for one without labels: kube-scheduler's hints do not look them up.
func allMatch(terms []cluster.AffinityTerm, pod *cluster.Pod) bool {
	return len(terms) > 0 &&
		!slices.ContainsFunc(terms, func(t cluster.AffinityTerm) bool { return !t.Matches(pod.Labels, nil) })
}

func anyMatches(terms []cluster.AffinityTerm, pod *cluster.Pod) bool {
	return slices.ContainsFunc(terms, func(t cluster.AffinityTerm) bool { return t.Matches(pod.Labels, nil) })
}
