package remedy

import (
	"cmp"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/play/request"
	"github.com/schedstep/schedstep/replay/session"
)

// mostScaled is how many replicas fewer a workload may have.
const mostScaled = 3

// scalings scale workloads of others with a pod on the node down, until the controller gives up that pod. They are for
// pods that an eviction does not help against: what is made in their place comes back.
func (a at) scalings() []Change {
	if a.node == nil {
		return nil
	}
	var all []Change
	seen := []request.Object{owner.PlaceOf(a.pod).On}
	for _, p := range a.node.Pods {
		live, is := a.state.Pod(p.Key)
		if !is || live.API.UID == "" || !session.Recreated(live) {
			continue
		}
		on := owner.PlaceOf(live).On
		if !owner.Scales(on.Kind) || slices.Contains(seen, on) {
			continue
		}
		seen = append(seen, on)
		if c, can := a.scaling(on); can {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(x, y Change) int {
		return cmp.Or(cmp.Compare(x.Cost, y.Cost), cmp.Compare(x.Line, y.Line))
	})
	return all
}

// scaling is the change of one workload; false where it would have to have too few, and while it is rolled out.
func (a at) scaling(on request.Object) (Change, bool) {
	pods := session.PodsOf(a.state, on)
	by := metav1.GetControllerOf(pods[0])
	cost, guard := 0, Unguarded
	for i, p := range owner.GivenUp(on, pods, a.here.Now()) {
		live, is := a.state.Pod(cluster.Key(p))
		if c := metav1.GetControllerOf(p); i == mostScaled || !is || c == nil || c.UID != by.UID {
			return Change{}, false
		}
		if cost += costs[ScaleDown]; live.Priority >= a.pod.Priority {
			cost += evictImportant
		}
		if _, refused := request.Draws(session.BudgetsOver(a.state, live), p); refused != nil {
			guard = GuardBudget // it is not asked
		}
		if live.NodeName == a.node.API.Name {
			return Scaling(on, len(pods)-i-1, len(pods), cost).around(guard), true
		}
	}
	return Change{}, false
}

// Scaling has a workload have fewer replicas than now.
func Scaling(on request.Object, replicas, now, cost int) Change {
	if replicas == 0 {
		cost += scaleToNone
	}
	return Change{
		Kind:     ScaleDown,
		What:     phrase.New("%[1]s to %[2]d of its %[3]d replicas", session.Scaling(on), replicas, now),
		Line:     "scale " + session.Scaling(on) + " " + strconv.Itoa(replicas),
		Commands: kubectl(request.Scale(on, int32(replicas))), //nolint:gosec // a workload has fewer replicas
		Cost:     cost, Edit: session.Scale(on, replicas),
	}
}

// ScaleCost is what it costs that a workload has one replica fewer, whatever its priority.
func ScaleCost() int { return costs[ScaleDown] }

// Outdone reports whether a set scales a workload down where other changes do it with evictions.
func (s *Set) Outdone(by []Change) bool {
	return s.has(ScaleDown) && (&Set{Changes: by}).has(EvictPod)
}

func (s *Set) has(k Kind) bool {
	return slices.ContainsFunc(s.Changes, func(c Change) bool { return c.Kind == k })
}
