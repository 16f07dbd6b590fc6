package queue

import (
	"iter"
	"math"
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// WindowedBackoff ends backoffs in windows, which are looked through when they are over (1.33 and later). Who was
// rejected by plugins may be popped before (SchedulerPopFromBackoffQ); who came back from an error may not.
type WindowedBackoff struct {
	Window time.Duration
	Count  func(*Item) int // the failures that lengthen the backoff of an item
}

// EveryAttempt counts all attempts, also those that an error ended (1.33 and earlier).
func EveryAttempt(item *Item) int { return item.Attempts }

// FailuresOfOneKind counts the failures that plugins caused, or after an error the errors in a row (1.34 and later).
func FailuresOfOneKind(item *Item) int {
	if item.ErrorCount > 0 {
		return item.ErrorCount
	}
	return item.UnschedulableCount
}

// End is the window in which the backoff ends, counted from Since: the first failure costs the initial backoff, each
// further one twice the last, up to the limit, which is longer for a group: it grows with the square root of the number
// of its pods.
func (b WindowedBackoff) End(item *Item, initial, limit time.Duration) time.Time {
	failures := b.Count(item)
	if limit == 0 || failures == 0 {
		return time.Time{}
	}
	return item.Since.Add(backoffAfter(failures, initial, limitOf(item, limit))).Truncate(b.Window)
}

// limitOf is the longest backoff of an item, which for a group grows with the square root of the number of its pods.
func limitOf(item *Item, limit time.Duration) time.Duration {
	if size := len(item.Members); size > 1 {
		return time.Duration(float64(limit) * math.Sqrt(float64(size)))
	}
	return limit
}

// ExactBackoff ends backoffs to the moment; backoffQ is looked through once in a period that begins with the queue
// (1.32 and earlier, and later without SchedulerPopFromBackoffQ). No entity is popped before.
type ExactBackoff struct {
	Every time.Duration
	Count func(*Item) int // how many failures the backoff is for
}

// End is the moment at which the backoff ends: the first failure costs the initial backoff, each further one twice the
// last, up to the limit, which is longer for a group.
func (b ExactBackoff) End(item *Item, initial, limit time.Duration) time.Time {
	failures := b.Count(item)
	if failures == 0 {
		return time.Time{}
	}
	return item.Since.Add(backoffAfter(failures, initial, limitOf(item, limit)))
}

// Lasts is true until the backoff ends.
func (ExactBackoff) Lasts(end, now time.Time) bool { return end.After(now) }

// Flush is the first beat of the period after now, unless the backoff ends later.
func (b ExactBackoff) Flush(end, now, start time.Time) time.Time {
	beats := now.Sub(start)/b.Every + 1
	if until := end.Sub(start); until > beats*b.Every {
		beats = (until + b.Every - 1) / b.Every
	}
	return start.Add(beats * b.Every)
}

// Early holds for no item.
func (ExactBackoff) Early(*Item) bool { return false }

// backoffAfter is initial doubled failures-1 times, and at most limit. The limit is halved in the comparison, so that
// nothing overflows.
func backoffAfter(failures int, initial, limit time.Duration) time.Duration {
	doublings := failures - 1
	if initial > limit>>doublings {
		return limit
	}
	return initial << doublings
}

// Lasts is true throughout the window in which the backoff ends.
func (b WindowedBackoff) Lasts(end, now time.Time) bool { return !end.Before(now.Truncate(b.Window)) }

// Flush is the end of the window, or of the one that is now.
func (b WindowedBackoff) Flush(end, now, _ time.Time) time.Time {
	return later(now.Truncate(b.Window).Add(b.Window), end.Add(b.Window))
}

// Early holds for pods that plugins rejected.
func (WindowedBackoff) Early(item *Item) bool { return item.Rejected() }

// ByHints runs the hints of the plugins that rejected an item (SchedulerQueueingHints, on by default since 1.32).
type ByHints struct{}

// judge runs the hints of the plugins that rejected an item for an event, until the decision cannot change any more
// (isPodWorthRequeuing, 1.37, in the profile's order).
func (b ByHints) judge(item *Item, h happening, at Moment) (decision, []trace.Fact) {
	if item.Group != nil {
		return b.judgeMembers(item, h, at)
	}
	switch {
	case !item.Rejected():
		return decision{strategy: afterBackoff}, nil
	case h.event.IsWildcard():
		if h.concerns(item.Pod) {
			return decision{strategy: afterBackoff}, nil
		}
		return decision{}, nil
	case item.profile.unknown:
		return decision{strategy: afterBackoff}, nil
	}
	j := judgement{item: item, happening: h, at: at}
	j.askRows()
	j.askRowless()
	return j.decision, j.facts
}

// judgeMembers judges one member after the other: the most eager decision is the group's (isEntityWorthRequeuing,
// 1.37).
func (b ByHints) judgeMembers(group *Item, h happening, at Moment) (decision, []trace.Fact) {
	var best decision
	var facts []trace.Fact
	for _, m := range group.Members {
		d, hinted := b.judge(m, h, at)
		facts = append(facts, hinted...)
		if d.strategy > best.strategy {
			best = d
		}
		if best.strategy == immediately {
			break
		}
	}
	return best, facts
}

// replay takes the most eager answer about any of the events.
func (b ByHints) replay(item *Item, missed iter.Seq[happening], at Moment) (decision, cause, []trace.Fact) {
	var best decision
	var why cause
	var facts []trace.Fact
	for h := range missed {
		d, hinted := b.judge(item, h, at)
		facts = append(facts, hinted...)
		if d.strategy > best.strategy {
			best = d
			why.plugin, why.reason = d.plugin, whileInFlight(h.event.Label())
		}
		if !(d.strategy == skip || d.strategy == afterBackoff && len(item.Pending) > 0) {
			break
		}
	}
	return best, why, facts
}

// concerns reports whether a wildcard event is meant for the pod: for all, unless it carries an object.
func (h happening) concerns(pod *cluster.Pod) bool {
	c := h.change
	if c == nil || c.NewPod == nil && c.NewNode == nil && c.New == nil {
		return true
	}
	return c.NewPod != nil && c.NewPod.UID() == pod.UID()
}

// judgement collects the answers of hints for one item and one event.
type judgement struct {
	item *Item
	happening
	at Moment

	decision
	final bool // no further answer counts
	facts []trace.Fact
}

func (j *judgement) askRows() {
	for _, row := range j.item.profile.Hints {
		if !j.item.blamed(row.Plugin) {
			continue
		}
		for _, hint := range row.Hints {
			if j.final {
				return
			}
			if !hint.Event.Matches(j.event) {
				continue
			}
			helps, err := true, error(nil)
			if hint.Helps != nil {
				helps, err = hint.Helps(j.item.Pod, j.change, j.at.Known)
			}
			j.hear(row.Plugin, helps, err)
		}
	}
}

// askRowless speaks for the plugins that named no events.
func (j *judgement) askRowless() {
	if j.item.blame&(1<<sharedBit) == 0 || !j.item.profile.watchedForAll(j.event) {
		return
	}
	for _, names := range [][]string{j.item.Rejectors, j.item.Pending} {
		for _, name := range names {
			if j.final {
				return
			}
			if _, has := j.item.profile.bits[name]; !has {
				j.hear(name, true, nil)
			}
		}
	}
}

// hear adds the answer of one hint; an error counts as Queue.
func (j *judgement) hear(plugin string, helps bool, err error) {
	if j.at.Detail >= trace.Full {
		f := trace.Hinted{Entity: j.item.Entity(), Event: j.event.Label(), Plugin: plugin, Queue: helps || err != nil}
		if err != nil {
			f.Err = err.Error()
		}
		j.facts = append(j.facts, f)
	}
	switch {
	case !helps && err == nil:
	case slices.Contains(j.item.Pending, plugin):
		j.decision, j.final = decision{immediately, plugin}, true
	case j.strategy == skip:
		j.decision, j.final = decision{afterBackoff, plugin}, len(j.item.Pending) == 0
	}
}
