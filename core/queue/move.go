package queue

import (
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// place is where an item is stored. What is parked is called gated or unschedulable by what holds it.
type place uint8

const (
	inActive place = iota
	inBackoff
	inFailed
	inParked
)

type spot struct {
	item  *Item
	place place
}

// name is what facts call the place.
func (s spot) name() trace.QueueName {
	switch {
	case s.place == inActive:
		return ActiveQ
	case s.place != inParked:
		return BackoffQ
	case s.item.Gate != "":
		return Gated
	}
	return Unschedulable
}

// put stores an item, which from now on must not change.
func (q *Queue) put(item *Item, where place) spot {
	s := spot{item, where}
	q.home.Set(item.Key(), s)
	for _, m := range item.Members {
		q.memberOf.Set(m.Pod.Key, item.Key())
	}
	switch where {
	case inActive:
		q.active.Set(item)
	case inBackoff:
		q.backoff.Set(item)
	case inFailed:
		q.failed.Set(item)
	case inParked:
		q.parked.Set(item.arrival, item)
		if q.sweeps(item) {
			q.waiting.Set(item)
		}
		if item.Gate != "" {
			q.gated++
		}
	}
	return s
}

// take removes the item with that key from wherever it is queued.
func (q *Queue) take(key string) (spot, bool) {
	s, ok := q.home.Delete(key)
	if !ok {
		return s, false
	}
	for _, m := range s.item.Members {
		q.memberOf.Delete(m.Pod.Key)
	}
	switch s.place {
	case inActive:
		q.active.Delete(s.item)
	case inBackoff:
		q.backoff.Delete(s.item)
	case inFailed:
		q.failed.Delete(s.item)
	case inParked:
		q.parked.Delete(s.item.arrival)
		if q.sweeps(s.item) {
			q.waiting.Delete(s.item)
		}
		if s.item.Gate != "" {
			q.gated--
		}
	}
	return s, true
}

// cause is why an entity moves, as facts record it.
type cause struct {
	event, plugin string
	reason        phrase.Text
}

// whileInFlight is the reason of a move by an event that came during the cycle of the entity.
func whileInFlight(event string) phrase.Text { return phrase.Textf("%s while it was in flight", event) }

// settle puts an item that is in no queue where the strategy wants it, unless a gate holds it back
// (requeueEntityWithQueueingStrategy, 1.37).
func (q *Queue) settle(item *Item, from trace.QueueName, s strategy, why cause, at Moment) (spot, []trace.Fact) {
	switch {
	case s == skip:
		return q.arrive(item, from, inParked, why)
	case q.rules.GatesRunAfterBackoff && s == afterBackoff && q.rules.backingOff(item, at.Now):
		return q.arrive(item, from, inFailed, why)
	case q.gate(item, at.Known):
		why.plugin, why.reason = item.Gate, phrase.Verbatim(item.GateText)
		return q.arrive(item, from, inParked, why)
	case s == afterBackoff && q.rules.backingOff(item, at.Now) && q.rules.Backoff.Early(item):
		return q.arrive(item, from, inBackoff, why)
	case s == afterBackoff && q.rules.backingOff(item, at.Now):
		return q.arrive(item, from, inFailed, why)
	}
	item.enter(at.Now)
	if q.rules.FIFOOnly {
		item.arrival = q.nextTurn()
	}
	return q.arrive(item, from, inActive, why)
}

// arrive puts an item into a queue, and returns the fact about it when it is another queue than before.
func (q *Queue) arrive(item *Item, from trace.QueueName, where place, why cause) (spot, []trace.Fact) {
	s := q.put(item, where)
	to := s.name()
	if to == from {
		return s, nil
	}
	f := trace.Moved{Entity: item.Entity(), From: from, To: to, Event: why.event, Plugin: why.plugin, Reason: why.reason}
	if to == BackoffQ {
		f.Until = item.BackoffUntil
	}
	return s, []trace.Fact{f}
}

// enter notes the first time the item, and each member, gets into activeQ.
func (i *Item) enter(now time.Time) {
	if i.FirstAttempt.IsZero() {
		i.FirstAttempt = now
	}
	for k, m := range i.Members {
		if m.FirstAttempt.IsZero() {
			m = m.copy()
			m.FirstAttempt = now
			i.Members[k] = m
		}
	}
}

// retellGate renews the message of the plugin that holds the item back, for the pod as it is now. It decides nothing:
// kube-scheduler keeps no such text, and runs the plugin again only after an event that the plugin waits for.
func (i *Item) retellGate(known *cluster.State) {
	for _, g := range i.profile.PreEnqueue {
		if g.Plugin != i.Gate {
			continue
		}
		if verdict := g.Check(i.Pod, known); !verdict.OK() {
			i.GateText = verdict.Message()
		}
	}
}

// gate runs the PreEnqueue plugins, first the one that gates the item now, and reports whether one holds it back. The
// plugin stays among the rejectors after it let go, until the next cycle (runPreEnqueuePluginsForPod, 1.37). A group is
// held back when any of its members is; the plugins run for all of them.
func (q *Queue) gate(item *Item, known *cluster.State) bool {
	if item.Group != nil {
		item.Gate, item.GateText = "", ""
		for k, m := range item.Members {
			m = m.copy()
			if q.gate(m, known) {
				item.Gate, item.GateText = m.Gate, m.GateText
			}
			item.Members[k] = m
		}
		return item.Gate != ""
	}
	before := item.Gate
	holds := func(g Gate) bool {
		verdict := g.Check(item.Pod, known)
		if verdict.OK() {
			return false
		}
		item.Gate, item.GateText = g.Plugin, verdict.Message()
		item.reject(g.Plugin)
		return true
	}
	for _, g := range item.profile.PreEnqueue {
		if g.Plugin == before && holds(g) {
			return true
		}
	}
	for _, g := range item.profile.PreEnqueue {
		if g.Plugin != before && holds(g) {
			return true
		}
	}
	item.Gate, item.GateText = "", ""
	return false
}
