package queue

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Pop takes the entity out that is to be placed next; it is in flight from now on. While activeQ is empty that is the
// first of backoffQ, though its backoff goes on (SchedulerPopFromBackoffQ), but never one that came back from an error.
func (q *Queue) Pop(now time.Time) (*Item, []trace.Fact, bool) {
	var facts []trace.Fact
	for {
		first, ok := q.active.Min()
		if !ok {
			first, ok = q.backoff.Min()
		}
		if !ok {
			return nil, facts, false
		}
		s, _ := q.take(first.Key())
		f := trace.Moved{Entity: first.Entity(), From: s.name(), To: InFlight}
		if s.place == inBackoff {
			f.Event = q.rules.Labels.PoppedEarly
		}
		if first.Group != nil {
			item, left := q.popGroup(first, s.name())
			facts = append(facts, left...)
			if item == nil {
				continue
			}
			return item, append(facts, f), true
		}
		if _, twice := q.flightOf.Get(first.Pod.UID()); twice {
			f.To, f.Reason = "", "it is in flight already"
			facts = append(facts, f)
			continue
		}
		item := first.copy()
		item.Attempts++
		item.PoppedFrom = s.name()
		q.fly(item)
		return item, append(facts, f), true
	}
}

// fly puts a pod in flight.
func (q *Queue) fly(item *Item) {
	q.moved = false
	turn := q.nextTurn()
	q.flights.Set(turn, item)
	q.flightOf.Set(item.Pod.UID(), turn)
}

// Rejection is why a cycle placed nothing. With both lists empty it was an error, for which no event can help.
type Rejection struct {
	Plugins []string // that rejected the entity (UnschedulablePlugins)
	Pending []string // that answered Pending: what helps one of them makes the backoff void
}

// Parked is where Park put an entity.
type Parked struct {
	Queue trace.QueueName // Outside when it was not queued again
	Until time.Time       // the end of its backoff when it is in backoffQ, else zero
}

// Park queues an entity again that its cycle did not place, in the version of its pod that is known now, and ends its
// flight. What happened while it was in flight counts as if it happened now. A pod that is gone, has a node, was made
// again, or is queued under its key already is only done (handleSchedulingFailure and
// AddUnschedulablePodIfNotPresent, 1.37).
func (q *Queue) Park(item *Item, because Rejection, at Moment) (Parked, []trace.Fact) {
	turn, flying := q.flightOf.Get(item.Pod.UID())
	defer q.Done(item.Pod.UID())
	from := trace.Outside
	if flying {
		from = InFlight
	}
	pod, gone := q.latest(item, at.Known)
	if gone != "" {
		return Parked{}, []trace.Fact{
			trace.Moved{Entity: item.Entity(), From: from, Event: q.rules.Labels.Failed, Reason: gone},
		}
	}
	parked := item.copy()
	parked.Rejectors, parked.Pending = ordered(because.Plugins), ordered(because.Pending)
	parked.Gate, parked.GateText = "", ""
	parked.describe(pod, q.rules)
	if parked.Rejected() {
		parked.UnschedulableCount++
		parked.ErrorCount = 0
	} else {
		parked.ErrorCount++
	}
	parked.Since, parked.Flushed, parked.arrival = at.Now, time.Time{}, q.nextTurn()
	if q.together(pod) {
		q.Done(item.Pod.UID())
		facts := q.addMember(parked, from, q.rules.Labels.Failed, at)
		result := Parked{}
		if key, queued := q.memberOf.Get(pod.Key); queued {
			s, _ := q.home.Get(key)
			result.Queue = s.name()
		}
		return result, facts
	}
	before, count := parked.BackoffUntil, parked.backoffs+1
	forgetful, forgets := q.rules.Backoff.(ForgetfulBackoff)
	if forgets {
		count = forgetful.count(parked, q.rules.InitialBackoff, q.rules.MaxBackoff)
	}
	parked.BackoffUntil = q.rules.backoffEnd(parked)
	if (q.rules.FIFOOnly || forgets) && !parked.BackoffUntil.Equal(before) {
		parked.backoffs = count
	}

	d, why, facts := q.replay(parked, turn, at)
	s, moved := q.settle(parked, from, d.strategy, why, at)
	result := Parked{Queue: s.name()}
	if result.Queue == BackoffQ {
		result.Until = s.item.BackoffUntil
	}
	return result, append(facts, moved...)
}

// latest is the newest version of an item's pod, or why it must not be queued again.
func (q *Queue) latest(item *Item, known *cluster.State) (pod *cluster.Pod, gone phrase.Text) {
	if s, queued := q.home.Get(q.homeOf(item.Pod)); queued && q.holds(s.item, item.Pod) {
		return nil, phrase.Textf("it is in %s already", s.name().Text())
	}
	if known == nil {
		return item.Pod, ""
	}
	pod, ok := known.Pod(item.Key())
	switch {
	case !ok:
		return nil, "it does not exist any more"
	case pod.NodeName != "":
		return nil, phrase.Textf("it is on %s", pod.NodeName)
	case pod.UID() != item.Pod.UID():
		return nil, "it was deleted and made again"
	}
	return pod, ""
}

// replay judges an item by what happened since it was popped. After an error, or for one that was done already, there
// is nothing to judge by, and it is to be tried again. When nothing happened it waits.
func (q *Queue) replay(item *Item, turn uint64, at Moment) (decision, cause, []trace.Fact) {
	why := cause{event: q.rules.Labels.Failed}
	if q.rules.FIFOOnly {
		return decision{strategy: afterBackoff}, why, nil
	}
	if q.rules.MovesSincePopCount {
		if !q.moved {
			return decision{}, why, nil
		}
		why.reason = "an event came since the last pop"
		return decision{strategy: afterBackoff}, why, nil
	}
	if !item.Rejected() && !q.rules.EventsMoveEveryPod {
		why.reason = "no plugin rejected it"
		return decision{strategy: afterBackoff}, why, nil
	}
	if turn == 0 {
		why.reason = "it was not in flight"
		return decision{strategy: afterBackoff}, why, nil
	}
	if last, _, some := q.missed.Max(); !some || last < turn {
		return decision{}, why, nil
	}
	missed := func(yield func(happening) bool) {
		q.missed.Ascend(turn, func(_ uint64, h happening) bool { return yield(h) })
	}
	best, why, facts := q.rules.Requeue.replay(item, missed, at)
	why.event = q.rules.Labels.Failed
	return best, why, facts
}

// Done ends the flight of the pod with that UID, if it is in flight: it was placed, or is not to be tried again.
func (q *Queue) Done(uid string) {
	turn, ok := q.flightOf.Delete(uid)
	if !ok {
		return
	}
	q.flights.Delete(turn)
	earliest, _, flying := q.flights.Min()
	for {
		turn, _, ok := q.missed.Min()
		if !ok || flying && turn > earliest {
			return
		}
		q.missed.Delete(turn)
	}
}

// ordered is a sorted copy without repetitions; nil for nothing.
func ordered(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	s := slices.Clone(names)
	slices.Sort(s)
	return slices.Compact(s)
}
