package framework_test

import (
	"container/heap"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/internal/law"
)

// sorted is a list of nodes as kube-scheduler's heap has it: the places of the totals, the largest first.
type sorted struct {
	totals []int64
	at     []int
}

func (s sorted) Len() int           { return len(s.at) }
func (s sorted) Less(i, j int) bool { return s.totals[s.at[i]] > s.totals[s.at[j]] }
func (s sorted) Swap(i, j int)      { s.at[i], s.at[j] = s.at[j], s.at[i] }
func (s sorted) Push(any)           {}
func (s sorted) Pop() any           { return nil }

func root(totals []int64) int {
	s := sorted{totals: totals, at: make([]int, len(totals))}
	for i := range s.at {
		s.at[i] = i
	}
	heap.Init(s)
	return s.at[0]
}

func pick(totals []int64) int {
	host, _ := framework.HeapRoot{}.Pick(&framework.Contest{Totals: totals})
	return host
}

func TestTheRootIsThatOfAHeap(t *testing.T) {
	law.Check(t, func(rt *rapid.T) {
		highest := rapid.Int64Range(0, 4).Draw(rt, "highest")
		totals := rapid.SliceOfN(rapid.Int64Range(0, highest), 1, 300).Draw(rt, "totals")
		if got, want := pick(totals), root(totals); got != want {
			rt.Fatalf("%v: got %d, want %d", totals, got, want)
		}
	})
}

func TestTheRootOfEveryShortListIsThatOfAHeap(t *testing.T) {
	for size := 1; size <= 14; size++ {
		for bits := range 1 << size {
			totals := make([]int64, size)
			for i := range totals {
				totals[i] = int64(bits >> i & 1)
			}
			if got, want := pick(totals), root(totals); got != want {
				t.Fatalf("%v: got %d, want %d", totals, got, want)
			}
		}
	}
}

func TestTheLargestLotWinsAmongEqualTotals(t *testing.T) {
	contest := framework.Contest{Totals: []int64{5, 7, 7, 7}, Lots: []uint64{9, 1, 3, 2}}
	if host, how := (framework.HeapRoot{}).Pick(&contest); host != 2 || how != "seed" {
		t.Errorf("got %d by %s, want 2 by seed", host, how)
	}
}
