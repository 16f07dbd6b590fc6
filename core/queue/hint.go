package queue

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
)

// Hint is one event a plugin waits for on behalf of the pods it rejected, and how it reports whether the event helps.
type Hint struct {
	Event cluster.ClusterEvent
	// Helps reports whether the change may make the pod schedulable. An error counts as yes, as in kube-scheduler.
	// nil: always.
	Helps func(pod *cluster.Pod, change *cluster.Change, known *cluster.State) (bool, error)
}

// ClaimNamed is the Helps of a plugin that reads the claims which the pod's spec names, and not those that were made
// for its ephemeral volumes.
func ClaimNamed(pod *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	return pod.Namespace() == change.New.GetNamespace() &&
		slices.Contains(pod.Claims, cluster.ClaimUse{Name: change.New.GetName()}), nil
}

// ClaimUsed is the Helps of a plugin that reads every claim of the pod.
func ClaimUsed(pod *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	return pod.Namespace() == change.New.GetNamespace() &&
		slices.ContainsFunc(pod.Claims, func(use cluster.ClaimUse) bool { return use.Name == change.New.GetName() }), nil
}

// Sorter orders activeQ. All profiles of a scheduler share one.
type Sorter interface {
	// Less reports whether a is to be popped before b.
	Less(a, b *Item) bool
}
