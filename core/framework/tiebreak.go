package framework

import (
	"math/bits"

	"github.com/schedstep/schedstep/core/trace"
)

// TieBreak chooses between nodes with the highest total.
type TieBreak interface {
	// Pick returns the index of the host, and for the facts how it was chosen among equals.
	Pick(c *Contest) (host int, how trace.Wording)
}

// Contest is the input of a TieBreak: the nodes that were scored.
type Contest struct {
	Totals []int64            // one for each feasible node, in the order in which they were found
	Name   func(i int) string // of the node with that index
	// Lots decide between equal totals where an extender scored; nil: none did.
	Lots   []uint64
	Before uint64          // how many hosts were picked by totals before this one
	Draw   func(n int) int // the next number below n, out of the seed
}

// less reports whether b wins over a.
func (c *Contest) less(a, b int32) bool {
	if c.Totals[a] != c.Totals[b] || c.Lots == nil {
		return c.Totals[a] < c.Totals[b]
	}
	return c.Lots[a] < c.Lots[b]
}

// HeapRoot takes the node at the root of a max-heap that is built over the totals by sifting down from the last parent,
// as kube-scheduler's sorted list of nodes is (1.35 and later). Sifting down prefers the node itself to its left child
// and that to its right one, so the root is the best node that comes first when the tree over the list is walked
// through in pre-order. No heap has to be built to find it.
type HeapRoot struct{}

// Pick is the root.
func (HeapRoot) Pick(c *Contest) (host int, how trace.Wording) {
	how = "heap order"
	if c.Lots != nil {
		how = "seed"
	}
	best, alone := int32(0), true
	for i := int32(1); i < int32(len(c.Totals)); i++ {
		switch {
		case c.less(best, i):
			best, alone = i, true
		case alone && !c.less(i, best):
			alone = false
		}
	}
	if alone || best == 0 {
		return int(best), how
	}
	first, at := best, preorder(best)
	for i := best + 1; i < int32(len(c.Totals)); i++ {
		if c.less(i, first) {
			continue
		}
		if p := preorder(i); p < at {
			first, at = i, p
		}
	}
	return int(first), how
}

// preorder orders the places of a list by the pre-order of the tree in which the children of place i are 2i+1 and 2i+2:
// the binary digits of i+1 are the way from the root, 0 for left and 1 for right, and a beginning comes first.
func preorder(i int32) uint64 {
	n := uint64(i) + 1
	length := bits.Len64(n)
	return n<<(64-length)&^(1<<63) | uint64(length)
}
