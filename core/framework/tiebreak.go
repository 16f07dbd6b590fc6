package framework

import "github.com/schedstep/schedstep/core/trace"

// TieBreak chooses between nodes with the highest total.
type TieBreak interface {
	// Pick is the index of the host, and how it was chosen among equals, as facts say it.
	Pick(c *Contest) (host int, how trace.Wording)
}

// Contest is what a TieBreak is told of the nodes that were scored.
type Contest struct {
	Totals []int64            // one for each feasible node, in the order in which they were found
	Name   func(i int) string // of the node with that index
	// Lots decide between equal totals where an extender scored; nil: none did.
	Lots   []uint64
	Before uint64          // how many hosts were picked by totals before this one
	Draw   func(n int) int // the next number below n, out of the seed
}

// less says whether b wins over a.
func (c *Contest) less(a, b int32) bool {
	if c.Totals[a] != c.Totals[b] || c.Lots == nil {
		return c.Totals[a] < c.Totals[b]
	}
	return c.Lots[a] < c.Lots[b]
}

// HeapRoot takes the node at the root of a max-heap that is built over the totals by sifting down from the last parent,
// as kube-scheduler's sorted list of nodes is (1.35 and later).
type HeapRoot struct{}

// Pick is the root.
func (HeapRoot) Pick(c *Contest) (host int, how trace.Wording) {
	how = "heap order"
	if c.Lots != nil {
		how = "seed"
	}
	heap := make([]int32, len(c.Totals))
	for i := range heap {
		heap[i] = int32(i)
	}
	for root := len(heap)/2 - 1; root >= 0; root-- {
		for at := root; ; {
			child := 2*at + 1
			if child >= len(heap) {
				break
			}
			if right := child + 1; right < len(heap) && c.less(heap[child], heap[right]) {
				child = right
			}
			if !c.less(heap[at], heap[child]) {
				break
			}
			heap[at], heap[child] = heap[child], heap[at]
			at = child
		}
	}
	return int(heap[0]), how
}
