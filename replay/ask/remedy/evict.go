package remedy

import (
	"cmp"
	"slices"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/play/request"
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
	var all []Change
	for _, p := range pods {
		over := session.BudgetsOver(a.state, p)
		if budget, refused := request.Draws(over, p.API); refused == nil {
			all = append(all, a.evicting(p))
		} else if c, can := easing(budget); can {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(x, y Change) int {
		return cmp.Or(cmp.Compare(x.Cost, y.Cost), cmp.Compare(x.Line, y.Line))
	})
	all = slices.CompactFunc(all, func(x, y Change) bool { return x.Line == y.Line })
	return all[:min(len(all), mostEvicted)]
}

// evicting is the change that takes a pod off its node.
func (a at) evicting(p *cluster.Pod) Change {
	cost := costs[EvictPod]
	if p.Priority >= a.pod.Priority {
		cost += evictImportant
	}
	if !session.Recreated(p) {
		cost += evictUnreplaced
	}
	return Change{
		Kind: EvictPod, What: phrase.New("%s from %s", p.Key, p.NodeName), Line: "evict " + p.Key,
		Commands: kubectl(request.Evict(p.Namespace(), p.Name())), Cost: cost,
		Edit: session.EvictAllowed(p.Key), slow: a.plugin == "DynamicResources",
	}
}

// easing has a disruption budget that refuses an eviction allow one, by the smallest amount; false where there is none,
// and where what made the budget would write it again.
func easing(b *policyv1.PodDisruptionBudget) (Change, bool) {
	if b == nil || owner.OfBudget(b) != owner.User {
		return Change{}, false
	}
	e, can := request.EasingOf(b)
	if !can {
		return Change{}, false
	}
	cost := costs[EaseBudget] + easeMore*int(e.Less-1)
	if e.Stay == 0 {
		cost += easeAll
	}
	key := cluster.Key(b)
	return Change{
		Kind: EaseBudget, What: phrase.New("%[2]s of the disruption budget %[1]s to %[3]s, so that %[4]d of its %[5]d pods have to stay",
			key, e.Field, e.To.String(), e.Stay, b.Status.ExpectedPods),
		Line:     "set budget " + key + " " + e.Field + "=" + e.To.String(),
		Commands: kubectl(request.Budgeting(b, e.Field, e.To), request.AwaitDisruptions(b, e.Allowed)), Cost: cost,
		Edit: session.SetBudget(key, e.Field, e.To),
	}, true
}

// LeadsTo reports whether a change is worth a try after those of a set: a budget is eased for an eviction.
func (s *Set) LeadsTo(c *Change) bool {
	return len(s.Changes) == 0 || s.Changes[len(s.Changes)-1].Kind != EaseBudget || c.Kind == EvictPod
}
