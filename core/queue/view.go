package queue

import (
	"fmt"
	"iter"
	"time"

	"github.com/schedstep/schedstep/core/trace"
)

// Counts is how many entities each queue holds.
func (q *Queue) Counts() trace.QueueCounts {
	return trace.QueueCounts{
		Active:        q.active.Len(),
		Backoff:       q.backoff.Len() + q.failed.Len(),
		Unschedulable: q.parked.Len() - q.gated,
		Gated:         q.gated,
		InFlight:      q.flights.Len(),
		Incomplete:    q.incomplete.Len(),
	}
}

// InLine reports whether it is a FIFO: a pod that failed waits for its backoff and returns to the end; none is parked.
func (q *Queue) InLine() bool { return q.rules.FIFOOnly }

// CutsShort reports whether a backoff may end early because no other item is ready.
func (q *Queue) CutsShort() bool { return q.rules.Backoff.Early(&Item{Rejectors: []string{"any"}}) }

// Terms are how long an entity backs off after its first failure, and at most; 0 where none does.
func (q *Queue) Terms() (initial, longest time.Duration) {
	switch b := q.rules.Backoff.(type) {
	case BackoffOfPod:
		return b.Initial, b.Limit
	case NoBackoff:
		return 0, 0
	}
	return q.rules.InitialBackoff, q.rules.MaxBackoff
}

// Patience is how long an entity stays unschedulable or gated before it is tried again anyway; 0: for ever.
func (q *Queue) Patience() time.Duration {
	if q.rules.Sweep.Never {
		return 0
	}
	return q.rules.Sweep.After
}

// Find is the item queued under the key of a pod or a group, or else the one in flight that was popped last, and the
// queue it is in. A member of a group is where its group is.
func (q *Queue) Find(key string) (*Item, trace.QueueName, bool) {
	if item, where, ok := q.queued(key); ok {
		return item, where, true
	}
	var found *Item
	q.flights.Reverse(func(_ uint64, item *Item) bool {
		if item.Key() == key {
			found = item
		}
		return found == nil
	})
	if found == nil {
		return nil, trace.Outside, false
	}
	return found, InFlight, true
}

// Active ranges over activeQ in the order of Pop. No view may be ranged over while the queue changes.
func (q *Queue) Active() iter.Seq[*Item] { return q.active.Scan }

// Backoff ranges over backoffQ in the order backoffs end; after it come those that failed by an error, likewise.
func (q *Queue) Backoff() iter.Seq[*Item] {
	return func(yield func(*Item) bool) {
		on := true
		see := func(item *Item) bool {
			on = yield(item)
			return on
		}
		q.backoff.Scan(see)
		if on {
			q.failed.Scan(see)
		}
	}
}

// Unschedulable ranges over those that wait for an event, in the order of their arrival.
func (q *Queue) Unschedulable() iter.Seq[*Item] {
	return q.parkedThat(func(item *Item) bool { return item.Gate == "" })
}

// Gated ranges over those that a PreEnqueue plugin holds back, in the order of their arrival.
func (q *Queue) Gated() iter.Seq[*Item] {
	return q.parkedThat(func(item *Item) bool { return item.Gate != "" })
}

func (q *Queue) parkedThat(are func(*Item) bool) iter.Seq[*Item] {
	return func(yield func(*Item) bool) {
		q.parked.Scan(func(_ uint64, item *Item) bool { return !are(item) || yield(item) })
	}
}

// InFlight ranges over those that were popped and are neither parked nor done, in the order they were popped.
func (q *Queue) InFlight() iter.Seq[*Item] {
	return func(yield func(*Item) bool) {
		q.flights.Scan(func(_ uint64, item *Item) bool { return yield(item) })
	}
}

// Check looks for what must never be: an entity in two places or in none, an index that disagrees with what it
// indexes. It reads everything; a checkpoint read from a file is worth it.
func (q *Queue) Check() error {
	seen := map[string]bool{}
	for _, view := range []struct {
		name  trace.QueueName
		items iter.Seq[*Item]
	}{{ActiveQ, q.Active()}, {BackoffQ, q.Backoff()}, {Unschedulable, q.Unschedulable()}, {Gated, q.Gated()}} {
		for item := range view.items {
			s, ok := q.home.Get(item.Key())
			if !ok || s.item != item || s.name() != view.name || seen[item.Key()] {
				return fmt.Errorf("queue %s: %s is not only there", view.name, item.Key())
			}
			seen[item.Key()] = true
		}
	}
	if len(seen) != q.home.Len() {
		return fmt.Errorf("queue: %d entities are known and %d are queued", q.home.Len(), len(seen))
	}
	if err := q.checkMembers(); err != nil {
		return err
	}
	swept := q.parked.Len()
	if !q.rules.Sweep.RetriesGated {
		swept -= q.gated
	}
	if q.waiting.Len() != swept {
		return fmt.Errorf("queue: %d entities are to be tried again in time, and %d wait for it", swept, q.waiting.Len())
	}
	return q.checkFlights()
}

func (q *Queue) checkFlights() error {
	for item := range q.InFlight() {
		turn, _ := q.flightOf.Get(item.Pod.UID())
		if there, _ := q.flights.Get(turn); there != item {
			return fmt.Errorf("queue: %s flies and is not found by its UID", item.Key())
		}
	}
	if q.flights.Len() != q.flightOf.Len() || q.flights.Len() == 0 && q.missed.Len() > 0 {
		return fmt.Errorf(
			"queue: %d entities are in flight by turn, %d by UID, with %d events", q.flights.Len(), q.flightOf.Len(),
			q.missed.Len(),
		)
	}
	nominated := 0
	q.nominatedOn.Scan(func(_ string, list []nomination) bool {
		nominated += len(list)
		return true
	})
	if nominated != q.nominations.Len() {
		return fmt.Errorf("queue: %d pods are nominated and nodes are kept for %d", q.nominations.Len(), nominated)
	}
	return nil
}
