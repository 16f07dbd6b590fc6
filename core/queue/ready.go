package queue

import (
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Ready reports whether Pop would return an item.
func (q *Queue) Ready() bool { return q.active.Len() > 0 || q.backoff.Len() > 0 }

// SetAside parks a pod as after a cycle that rejected it, wherever it waits. What happened before does not wake it.
func (q *Queue) SetAside(pod *cluster.Pod, because Rejection, at Moment) []trace.Fact {
	_, facts := q.Park(q.PopOutOfTurn(pod, at.Now), because, at)
	return facts
}

// PopOutOfTurn takes a pod out as if it were next, wherever it waits; a pod the queue does not hold gets an item of its
// own, and for one in flight a new flight takes the place of the old. kube-scheduler has nothing like it: it serves to
// find out what a cycle would do.
func (q *Queue) PopOutOfTurn(pod *cluster.Pod, now time.Time) *Item {
	q.Done(pod.UID())
	item := &Item{Since: now, arrival: q.nextTurn()}
	if member, from, ok := q.leaveGroup(pod); ok {
		item = member.copy()
		item.PoppedFrom = from
	} else if s, queued := q.take(pod.Key); queued {
		item = s.item.copy()
		item.PoppedFrom = s.name()
	}
	item.describe(pod, q.rules)
	item.Attempts++
	q.fly(item)
	return item
}
