package queue

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Ask is an event that may help parked entities.
type Ask struct {
	Event cluster.ClusterEvent
	// what it was about; nil for events no object causes. It is kept and must not be written any more
	Change *cluster.Change
	Only   func(*Item) bool // says which pods the event may help; nil: all
}

// Wake runs the hints of the plugins that rejected a parked entity, and requeues the entity if a hint returns Queue.
// Entities are taken in the order of their arrival; kube-scheduler takes them in the order of a map. Gated ones are
// taken only for events that their gate waits for. A wildcard event wakes all entities; if it names a pod, only that
// pod. The event is kept for those in flight (MoveAllToActiveOrBackoffQueue, 1.37).
func (q *Queue) Wake(ask Ask, at Moment) []trace.Fact {
	interested := make([]pluginSet, len(q.rules.profiles))
	matters := ask.Event.IsWildcard()
	for i, p := range q.rules.profiles {
		interested[i] = p.interested(ask.Event)
		matters = matters || interested[i] != 0 && !p.unknown
	}
	if !matters {
		return nil
	}
	q.moved = true
	var facts []trace.Fact
	h := happening{ask.Event, ask.Change}
	for _, item := range q.candidates(ask, interested) {
		facts = append(facts, q.wake(item, h, at)...)
	}
	q.remember(h)
	return facts
}

// candidates are the parked items that the event may concern, by arrival. No hint runs here: most events concern few.
func (q *Queue) candidates(ask Ask, interested []pluginSet) []*Item {
	wildcard := ask.Event.IsWildcard()
	gates := map[string]bool{}
	opens := func(gate string) bool {
		open, ok := gates[gate]
		if !ok {
			open = q.rules.ungates(gate, ask.Event)
			gates[gate] = open
		}
		return open
	}
	var found []*Item
	q.parked.Scan(func(_ uint64, item *Item) bool {
		switch {
		case wildcard, q.rules.EventsMoveEveryPod:
		case item.Group == nil && item.blame&interested[item.profile.index] == 0:
			return true
		case item.Group != nil && !item.concerned(interested):
			return true
		case item.Gate != "" && !opens(item.Gate):
			return true
		}
		if ask.Only == nil || item.any(ask.Only) {
			found = append(found, item)
		}
		return true
	})
	return found
}

// any reports whether f holds of the pod, or of any member of the group.
func (i *Item) any(f func(*Item) bool) bool {
	if i.Group == nil {
		return f(i)
	}
	return slices.ContainsFunc(i.Members, f)
}

// concerned reports whether the event may help a group: some member was rejected by a plugin that waits for it, or by
// none at all.
func (i *Item) concerned(interested []pluginSet) bool {
	return slices.ContainsFunc(i.Members, func(m *Item) bool {
		return !m.Rejected() || m.blame&interested[m.profile.index] != 0
	})
}

// wake judges one parked item and moves it if it is worth it.
func (q *Queue) wake(item *Item, h happening, at Moment) []trace.Fact {
	d, facts := q.rules.Requeue.judge(item, h, at)
	if d.strategy == skip {
		return facts
	}
	_, moved := q.resettle(spot{item, inParked}, d, cause{event: h.event.Label(), plugin: d.plugin}, at)
	return append(facts, moved...)
}

// remember keeps an event for those in flight.
func (q *Queue) remember(h happening) {
	if q.flights.Len() > 0 {
		q.missed.Set(q.nextTurn(), h)
	}
}

// Activate puts pods into activeQ, without regard to backoff and hints; a gate still holds them back, unless they come
// from backoffQ. One that is in flight is tried again when it is parked; one the queue does not know is passed over
// (Activate, 1.37).
func (q *Queue) Activate(pods []*cluster.Pod, at Moment) []trace.Fact {
	var facts []trace.Fact
	why := cause{event: cluster.EventForceActivate.Label()}
	for _, pod := range pods {
		s, ok := q.home.Get(q.homeOf(pod))
		switch {
		case !ok || s.place == inActive:
			q.activateInFlight(pod)
		case s.place == inParked:
			_, moved := q.resettle(s, decision{strategy: immediately}, why, at)
			facts = append(facts, moved...)
		default:
			facts = append(facts, q.ready(s, why, at)...)
		}
	}
	return facts
}

func (q *Queue) activateInFlight(pod *cluster.Pod) {
	if _, flying := q.flightOf.Get(pod.UID()); flying {
		change := &cluster.Change{Kind: cluster.KindPod, Action: cluster.Update, NewPod: pod, New: pod.API}
		q.missed.Set(q.nextTurn(), happening{cluster.EventForceActivate, change})
	}
}

// ready moves an item from backoffQ to activeQ, unless a gate that runs only now holds it back.
func (q *Queue) ready(s spot, why cause, at Moment) []trace.Fact {
	q.take(s.item.Key())
	if q.rules.GatesRunAfterBackoff {
		_, moved := q.settle(s.item.copy(), s.name(), immediately, why, at)
		return moved
	}
	_, moved := q.arrive(s.item, s.name(), inActive, why)
	return moved
}
