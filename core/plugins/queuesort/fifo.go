package queuesort

import "github.com/schedstep/schedstep/core/queue"

// FIFO tries pods in the order in which they came, whatever their priority (1.10 and earlier, without PodPriority).
type FIFO struct{}

// NewFIFO needs nothing.
func NewFIFO() FIFO { return FIFO{} }

// Name is FIFO.
func (FIFO) Name() string { return "FIFO" }

// Less leaves it to the order of arrival.
func (FIFO) Less(_, _ *queue.Item) bool { return false }

// PriorityOnly tries the pod with the higher priority first; equals in the order in which they came, which is chance in
// kube-scheduler (1.10 with PodPriority).
type PriorityOnly struct{}

// NewPriorityOnly needs nothing.
func NewPriorityOnly() PriorityOnly { return PriorityOnly{} }

// Name is PriorityQueue.
func (PriorityOnly) Name() string { return "PriorityQueue" }

// Less compares priorities.
func (PriorityOnly) Less(a, b *queue.Item) bool { return a.Priority() > b.Priority() }
