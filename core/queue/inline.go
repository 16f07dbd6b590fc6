package queue

import "time"

// BackoffOfPod is the backoff that belongs to a pod, whatever its attempts: each one is twice the last, up to a limit.
// A pod that fails during a backoff, because it changed and was tried early, waits for its end. After the longest the
// backoff begins anew, for what is known of a pod is forgotten after that time (pkg/scheduler/util.PodBackoff, 1.10).
type BackoffOfPod struct{ Initial, Limit time.Duration }

// End is that of the backoff that goes on, or of the next.
func (b BackoffOfPod) End(item *Item, _, _ time.Duration) time.Time {
	if item.BackoffUntil.After(item.Since) {
		return item.BackoffUntil
	}
	round := 1
	for length := b.Initial; length < b.Limit; length *= 2 {
		round++
	}
	return item.Since.Add(backoffAfter(item.backoffs%round+1, b.Initial, b.Limit))
}

// Lasts is true until the backoff ends.
func (BackoffOfPod) Lasts(end, now time.Time) bool { return end.After(now) }

// Flush is the end: each backoff has a clock of its own.
func (BackoffOfPod) Flush(end, now, _ time.Time) time.Time { return later(end, now.Add(1)) }

// Early is false for every pod.
func (BackoffOfPod) Early(*Item) bool { return false }

// NoBackoff has no backoff (1.10 with PodPriority).
type NoBackoff struct{}

// End is none.
func (NoBackoff) End(*Item, time.Duration, time.Duration) time.Time { return time.Time{} }

// Lasts is never true.
func (NoBackoff) Lasts(_, _ time.Time) bool { return false }

// Flush is never called.
func (NoBackoff) Flush(_, now, _ time.Time) time.Time { return now.Add(1) }

// Early is false for every pod.
func (NoBackoff) Early(*Item) bool { return false }
