package remedy

import (
	"cmp"
	"slices"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/request"
	"github.com/schedstep/schedstep/replay/session"
)

// mostEvicted is how many pods of one node may be thought of.
const mostEvicted = 8

// evictions are the pods that stand in the way, and those on the node, the cheapest to lose first.
func (a at) evictions() []Change {
	var pods []*cluster.Pod
	add := func(p *cluster.Pod) {
		if p.NodeName != "" && !p.Terminating() && !slices.Contains(pods, p) && session.IsMovable(p) {
			pods = append(pods, p)
		}
	}
	for _, e := range a.broken.Verdict.Evidence {
		if capacity, known := e.Capacity.Number(); known && e.Topic == trace.OfResource && capacity == 0 {
			return nil // the empty node has none of it
		}
		for _, key := range e.By {
			if p, ok := a.state.Pod(key); ok {
				add(p)
			}
		}
	}
	if a.node != nil && len(pods) == 0 {
		for _, p := range a.node.Pods {
			if live, ok := a.state.Pod(p.Key); ok {
				add(live)
			}
		}
	}
	all := make([]Change, len(pods))
	for i, p := range pods {
		all[i] = a.evicting(p)
	}
	slices.SortStableFunc(all, func(x, y Change) int {
		return cmp.Or(cmp.Compare(x.Cost, y.Cost), cmp.Compare(x.Line, y.Line))
	})
	return all[:min(len(all), mostEvicted)]
}

// evicting is the change that takes a pod off its node.
func (a at) evicting(p *cluster.Pod) Change {
	cost := costs[EvictPod]
	if p.Priority >= a.pod.Priority {
		cost += evictImportant
	}
	if protected(a.state, p) {
		cost += evictProtected
	}
	if !session.Recreated(p) {
		cost += evictUnreplaced
	}
	return Change{
		EvictPod, phrase.New("%s from %s", p.Key, p.NodeName), "evict " + p.Key,
		kubectl(request.Evict(p.Namespace(), p.Name())), cost,
		session.Evict(p.Key), Unguarded, a.plugin == "DynamicResources", nil,
	}
}

// protected reports whether a disruption budget does not allow that a pod is evicted.
func protected(state *cluster.State, p *cluster.Pod) bool {
	found := false
	state.Objects().DisruptionBudgets.EachIn(p.Namespace(), func(b *policyv1.PodDisruptionBudget) bool {
		selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
		found = err == nil && selector.Matches(labels.Set(p.API.Labels)) && b.Status.DisruptionsAllowed <= 0
		return !found
	})
	return found
}
