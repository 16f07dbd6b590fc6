package queue

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

const (
	// window is what ends of backoff are rounded down to, and how often backoffQ is looked through, at whole seconds.
	window = time.Second
	// sweepEvery is how often those are looked for who wait too long.
	sweepEvery = 30 * time.Second
)

// backoffEnd is the window in which the backoff of an item ends, counted from Since: the first failure costs the
// initial backoff, each further one twice the last, up to the maximum. Errors in a row count on their own.
func (d *discipline) backoffEnd(item *Item) time.Time {
	failures := item.UnschedulableCount
	if item.ErrorCount > 0 {
		failures = item.ErrorCount
	}
	if d.MaxBackoff == 0 || failures == 0 {
		return time.Time{}
	}
	return item.Since.Add(backoffAfter(failures, d.InitialBackoff, item.longest(d.MaxBackoff))).Truncate(window)
}

// longest is the longest backoff of the item: a group's grows with the square root of the number of its pods.
func (i *Item) longest(limit time.Duration) time.Duration {
	if size := len(i.Members); size > 1 {
		return time.Duration(float64(limit) * math.Sqrt(float64(size)))
	}
	return limit
}

// backoffAfter is initial doubled failures-1 times, and at most limit. The limit is halved in the comparison, so that
// nothing overflows.
func backoffAfter(failures int, initial, limit time.Duration) time.Duration {
	doublings := failures - 1
	if initial > limit>>doublings {
		return limit
	}
	return initial << doublings
}

// backingOff says whether the item's backoff goes on; it does throughout the window it ends in.
func backingOff(item *Item, now time.Time) bool {
	return !item.BackoffUntil.IsZero() && !item.BackoffUntil.Before(now.Truncate(window))
}

// Advance does what time does by itself between from (exclusive) and at.Now (inclusive), in order: at each whole
// second those leave backoffQ whose window is over, and every 30 s those who wait longer than the timeout are tried
// again. When both fall on one moment, backoff is first; kube-scheduler leaves that to chance.
func (q *Queue) Advance(from time.Time, at Moment) []trace.Fact {
	var facts []trace.Fact
	for {
		next, ok := q.Next(from)
		if !ok || next.After(at.Now) {
			return facts
		}
		then := at
		then.Now = next
		if next.Equal(next.Truncate(window)) {
			facts = append(facts, q.endBackoffs(next)...)
		}
		if next.Equal(q.nextSweep(next.Add(-1))) {
			facts = append(facts, q.sweep(then)...)
		}
		from = next
	}
}

// Next is the first moment after now at which Advance has something to do: a backoff ends, or an entity is tried again
// because it waited too long, which for a gated one may change nothing. False: never, if nothing else happens.
func (q *Queue) Next(now time.Time) (time.Time, bool) {
	var next time.Time
	found := false
	candidate := func(t time.Time) {
		if !found || t.Before(next) {
			next, found = t, true
		}
	}
	flush := now.Truncate(window).Add(window)
	if item, ok := q.backoff.Min(); ok {
		candidate(later(flush, item.BackoffUntil.Add(window)))
	}
	if item, ok := q.failed.Min(); ok {
		candidate(later(flush, item.BackoffUntil.Add(window)))
	}
	if item, ok := q.waiting.Min(); ok {
		candidate(q.nextSweep(later(now, item.waitingSince().Add(q.rules.UnschedulableTimeout))))
	}
	return next, found
}

// endBackoffs moves those to activeQ whose backoff is over (flushBackoffQCompleted, 1.37).
func (q *Queue) endBackoffs(now time.Time) []trace.Fact {
	var facts []trace.Fact
	for _, tree := range []place{inBackoff, inFailed} {
		for {
			item, ok := q.backoff.Min()
			if tree == inFailed {
				item, ok = q.failed.Min()
			}
			if !ok || backingOff(item, now) {
				break
			}
			facts = append(facts, q.ready(spot{item, tree}, cause{event: eventBackoffDone})...)
		}
	}
	return facts
}

// nextSweep is the first moment after t at which those are looked for who wait too long.
func (q *Queue) nextSweep(t time.Time) time.Time {
	return t.Add(-q.phase).Truncate(sweepEvery).Add(sweepEvery + q.phase)
}

// sweep tries those again who wait longer than the timeout, in the order of their arrival. Gated ones stay if their
// gate stays shut, and wait from anew (flushUnschedulableEntitiesLeftover, 1.37).
func (q *Queue) sweep(at Moment) []trace.Fact {
	var overdue []*Item
	q.waiting.Scan(func(item *Item) bool {
		if at.Now.Sub(item.waitingSince()) <= q.rules.UnschedulableTimeout {
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
