package queue

import "time"

// ForgetfulBackoff is ExactBackoff that counts the backoffs of a pod, and not its attempts: a pod that fails while one
// still goes on waits for its end. What is known of a pod is forgotten when its last backoff began more than twice the
// longest one ago; then they begin anew (PodBackoffMap, 1.17).
type ForgetfulBackoff struct{ ExactBackoff }

// End is that of the backoff that goes on, or of the next.
func (b ForgetfulBackoff) End(item *Item, initial, limit time.Duration) time.Time {
	if item.backoffs > 0 && !item.BackoffUntil.Before(item.Since) {
		return item.BackoffUntil
	}
	return item.Since.Add(backoffAfter(b.count(item, initial, limit), initial, limit))
}

// count is which backoff in a row it is that begins when the item came back.
func (ForgetfulBackoff) count(item *Item, initial, limit time.Duration) int {
	if item.backoffs == 0 {
		return 1
	}
	began := item.BackoffUntil.Add(-backoffAfter(item.backoffs, initial, limit))
	if began.Add(2 * limit).Before(item.Since) {
		return 1
	}
	return item.backoffs + 1
}
