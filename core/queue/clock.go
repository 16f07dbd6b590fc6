package queue

import (
	"cmp"
	"slices"
	"time"

	"github.com/tidwall/btree"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// backoffEnd is when the backoff of an item ends.
func (d *discipline) backoffEnd(item *Item) time.Time {
	return d.Backoff.End(item, d.InitialBackoff, d.MaxBackoff)
}

// backingOff reports whether the item's backoff goes on.
func (d *discipline) backingOff(item *Item, now time.Time) bool {
	return !item.BackoffUntil.IsZero() && d.Backoff.Lasts(item.BackoffUntil, now)
}

// Advance does what time does by itself between from (exclusive) and at.Now (inclusive), in order: pods whose backoff
// is over leave backoffQ, and pods that wait longer than the timeout are tried again. When both fall on one moment,
// backoff is first; kube-scheduler leaves that to chance.
func (q *Queue) Advance(from time.Time, at Moment) []trace.Fact {
	var facts []trace.Fact
	for {
		flush, sweep := q.nextFlush(from), q.nextOverdue(from)
		next, ok := soonest(flush, sweep)
		if !ok || next.After(at.Now) {
			return facts
		}
		then := at
		then.Now = next
		if next.Equal(flush) {
			facts = append(facts, q.endBackoffs(then)...)
		}
		if next.Equal(sweep) {
			facts = append(facts, q.sweep(then)...)
		}
		from = next
	}
}

// Next is the first moment after now at which Advance has something to do: a backoff ends, or an entity is tried again
// because it waited too long, which for a gated one may change nothing. False: never, if nothing else happens.
func (q *Queue) Next(now time.Time) (time.Time, bool) {
	return soonest(q.nextFlush(now), q.nextOverdue(now))
}

// soonest is the earlier of two moments, of which zero is none; false: both are.
func soonest(a, b time.Time) (time.Time, bool) {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		a = b
	}
	return a, !a.IsZero()
}

// nextFlush is the first moment after now at which some backoff is found to be over; zero: none is going on.
func (q *Queue) nextFlush(now time.Time) time.Time {
	var next time.Time
	for _, tree := range []*btree.BTreeG[*Item]{q.backoff, q.failed} {
		if item, ok := tree.Min(); ok {
			next, _ = soonest(next, q.rules.Backoff.Flush(item.BackoffUntil, now, q.start))
		}
	}
	return next
}

// nextOverdue is the first moment after now at which a pod is found to wait too long; zero: no pod waits.
func (q *Queue) nextOverdue(now time.Time) time.Time {
	item, ok := q.waiting.Min()
	if !ok {
		return time.Time{}
	}
	return q.nextSweep(later(now, item.waitingSince().Add(q.rules.Sweep.After)))
}

// endBackoffs moves those to activeQ whose backoff is over (flushBackoffQCompleted, 1.37).
func (q *Queue) endBackoffs(at Moment) []trace.Fact {
	var facts []trace.Fact
	for _, tree := range []place{inBackoff, inFailed} {
		for {
			item, ok := q.backoff.Min()
			if tree == inFailed {
				item, ok = q.failed.Min()
			}
			if !ok || q.rules.backingOff(item, at.Now) {
				break
			}
			facts = append(facts, q.ready(spot{item, tree}, cause{event: q.rules.Labels.BackoffOver}, at)...)
		}
	}
	return facts
}

// sweeps reports whether a parked item is tried again when it waits too long.
func (q *Queue) sweeps(item *Item) bool {
	return !q.rules.Sweep.Never && (q.rules.Sweep.RetriesGated || item.Gate == "")
}

// nextSweep is the first moment after t at which the queue looks for pods that wait too long.
func (q *Queue) nextSweep(t time.Time) time.Time {
	every := q.rules.Sweep.Every
	phase := q.start.Sub(q.start.Truncate(every))
	return t.Add(-phase).Truncate(every).Add(every + phase)
}

// sweep requeues the pods that wait longer than the timeout, in the order of their arrival. Gated ones stay if their
// gate stays shut, and wait from anew (flushUnschedulableEntitiesLeftover, 1.37).
func (q *Queue) sweep(at Moment) []trace.Fact {
	var overdue []*Item
	q.waiting.Scan(func(item *Item) bool {
		if at.Now.Sub(item.waitingSince()) <= q.rules.Sweep.After {
			return false
		}
		overdue = append(overdue, item)
		return true
	})
	if len(overdue) == 0 {
		return nil
	}
	slices.SortFunc(overdue, func(a, b *Item) int { return cmp.Compare(a.arrival, b.arrival) })
	h := happening{event: cluster.EventUnschedulableTimeout}
	var facts []trace.Fact
	for _, item := range overdue {
		s, _ := q.take(item.Key())
		flushed := item.copy()
		flushed.Flushed = at.Now
		_, moved := q.settle(flushed, s.name(), afterBackoff, cause{event: h.event.Label()}, at)
		facts = append(facts, moved...)
	}
	q.remember(h)
	return facts
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
