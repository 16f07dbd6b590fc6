package core_test

import (
	"container/heap"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/internal/law"
)

// rising is a heap of nodes by their totals, the highest first, as kube-scheduler keeps the scores of a batch.
type rising [][2]int // total and node

func (s rising) Len() int           { return len(s) }
func (s rising) Less(i, j int) bool { return s[i][0] > s[j][0] }
func (s rising) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *rising) Push(n any)        { *s = append(*s, n.([2]int)) }

func (s *rising) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}

// TestANodeThatRisesIsWhereANewHeapHasIt is why the scores of a batch need not be sorted anew for one node that joins
// them: kube-scheduler appends it and makes the heap again, which comes to the same order.
func TestANodeThatRisesIsWhereANewHeapHasIt(t *testing.T) {
	law.Check(t, func(rt *rapid.T) {
		totals := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 200).Draw(rt, "totals")
		var rises rising
		for node, total := range totals {
			rises = append(rises, [2]int{total, node})
		}
		heap.Init(&rises)
		for node := range rapid.IntRange(1, 20).Draw(rt, "joins") {
			if len(rises) > 0 {
				heap.Pop(&rises)
			}
			joins := [2]int{rapid.IntRange(0, 9).Draw(rt, "total"), -node}
			anew := append(slices.Clone(rises), joins)
			heap.Init(&anew)
			heap.Push(&rises, joins)
			if !slices.Equal(rises, anew) {
				rt.Fatalf("got %v, want %v", rises, anew)
			}
		}
	})
}
