package compare

import (
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
)

// moment is an event that may change the decisions about other pods.
type moment struct {
	before *core.Scheduler // only ever forked or read
	event  cluster.Event
	binds  string // the pod that the event places, or gives devices; "" for none
	turn   turn   // of that pod
	seen   int    // the number of its entry in the log
}

// reserves is the pod that an event gives the devices of a claim, on its way to its node; "" for none.
func reserves(e cluster.Event) string {
	claim, is := e.Object.(*resourcev1.ResourceClaim)
	if !is || e.Action != cluster.Update || len(claim.Status.ReservedFor) != 1 ||
		claim.Status.ReservedFor[0].Resource != "pods" {
		return ""
	}
	return claim.Namespace + "/" + claim.Status.ReservedFor[0].Name
}

// turn is when a pod's turn comes, by the order of activeQ: the higher priority first, then the earlier arrival. The
// order is only that of pods which are in activeQ together.
type turn struct {
	priority int32
	came     int // 0: its arrival is not in the log
	gated    bool
	ready    int // the number of the entry with which it came, lost its gates, or was last woken
}

// before reports whether the other's turn comes later. Nothing is known of a pod whose arrival is not in the log.
func (t turn) before(other turn) bool {
	if t.came == 0 || other.came == 0 {
		return false
	}
	if t.priority != other.priority {
		return t.priority > other.priority
	}
	return t.came < other.came
}

// comesAfter reports whether the pod was not ready yet when a decision was seen as the entry with that number: whatever
// the order of activeQ, its own decision came later.
func (t turn) comesAfter(seen int) bool { return t.ready >= seen }

// turns are those of the pods that wait.
type turns struct {
	of   map[string]turn
	came int // how many times a pod came
	seen int // the number of the last entry of the log
}

// wake has a pod ready from now on: it was not in activeQ before.
func (t *turns) wake(pod string) {
	if own, waits := t.of[pod]; waits {
		own.ready = t.seen
		t.of[pod] = own
	}
}

// see takes an event after it was compared. A pod whose turn ended without a node comes again.
func (t *turns) see(e cluster.Event, decided bool) {
	t.seen++
	p, is := e.Object.(*corev1.Pod)
	if !is {
		return
	}
	key := cluster.Key(p)
	if e.Action == cluster.Delete || p.Spec.NodeName != "" {
		delete(t.of, key)
		return
	}
	gated := len(p.Spec.SchedulingGates) > 0
	if own, waits := t.of[key]; waits && !decided {
		if own.gated && !gated {
			own.gated, own.ready = false, t.seen // its place is still that of when it came (1.37, backend/queue)
			t.of[key] = own
		}
		return
	}
	t.came++
	comes := turn{came: t.came, ready: t.seen, gated: gated}
	if p.Spec.Priority != nil {
		comes.priority = *p.Spec.Priority
	}
	t.of[key] = comes
}

// inOrder is the state without the last binds of pods whose turn comes after a turn, and the keys of these pods: those
// binds were decided later, and arrived earlier.
func (h *Hindsight) inOrder(own turn) (ordered *core.Scheduler, undone []string) {
	left := map[string]bool{}
	for _, m := range h.past {
		if m.binds != "" && own.before(m.turn) && !own.comesAfter(m.seen) {
			if ordered == nil {
				ordered = m.before.Fork()
			}
			undone = append(undone, m.binds)
			left[m.binds] = true
			continue
		}
		about := cluster.Key(m.event.Object)
		if _, isPod := m.event.Object.(*corev1.Pod); ordered != nil && (!isPod || !left[about]) {
			ordered.Apply(m.event)
		}
	}
	if ordered == nil {
		ordered = h.now.Fork()
	}
	return ordered, undone
}

// bindsSince is the state so many events ago with the binds since then that were not decided after a turn, and how many
// these are: a scheduler knows its own decisions at once, and learns of other events later.
func (h *Hindsight) bindsSince(own turn, back int) (bound *core.Scheduler, binds int) {
	since := h.past[len(h.past)-back:]
	for _, m := range since {
		if m.binds == "" || own.before(m.turn) && !own.comesAfter(m.seen) {
			continue
		}
		if bound == nil {
			bound = since[0].before.Fork()
		}
		bound.Apply(m.event)
		binds++
	}
	return bound, binds
}
