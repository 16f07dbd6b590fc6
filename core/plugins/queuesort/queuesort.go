// Package queuesort is PrioritySort, the order in which waiting pods are tried. It knows no other order: a scheduler
// has one for all its profiles.
package queuesort

import "github.com/schedstep/schedstep/core/queue"

// Name is kube-scheduler's name of the plugin.
const Name = "PrioritySort"

// PrioritySort tries the pod with the higher priority first, and among equals the one that waits longer (PrioritySort,
// 1.37).
type PrioritySort struct{}

// New needs nothing.
func New() PrioritySort { return PrioritySort{} }

// Name is PrioritySort.
func (PrioritySort) Name() string { return Name }

// Less compares priorities, then the times the items were put into the queue.
func (PrioritySort) Less(a, b *queue.Item) bool {
	if x, y := a.Priority(), b.Priority(); x != y {
		return x > y
	}
	return a.Since.Before(b.Since)
}
