package queue

import "github.com/schedstep/schedstep/core/cluster"

// Hint is one event a plugin waits for on behalf of the pods it rejected, and how it tells whether the event helps.
type Hint struct {
	Event cluster.ClusterEvent
	// Helps says whether the change may make the pod schedulable. An error counts as yes, as in kube-scheduler.
	// nil: always.
	Helps func(pod *cluster.Pod, change *cluster.Change, known *cluster.State) (bool, error)
}

// Sorter orders activeQ. All profiles of a scheduler share one.
type Sorter interface {
	// Less says whether a is to be popped before b.
	Less(a, b *Item) bool
}
