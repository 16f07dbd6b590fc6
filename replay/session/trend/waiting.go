package trend

import (
	"cmp"
	"slices"
	"time"
)

// Wait is how long a pod waited, and the step of the replay in which it was bound.
type Wait struct {
	Step int
	Took time.Duration // from the queue to the binding, virtual
}

// Waiting is so long as half, 95 and 99 of 100 pods waited at most, in seconds of virtual time.
type Waiting struct {
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
	P99    float64 `json:"p99"`
}

// waited fills in how long the pods had waited that were bound until each point. Waits are in order of steps.
func waited(points []Point, waits []Wait) {
	order := make([]int, len(waits))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(waits[a].Took, waits[b].Took), a-b) })
	ranks := make([]int, len(waits))
	for rank, i := range order {
		ranks[i] = rank
	}
	bound, among := 0, newRanks(len(waits))
	for i := range points {
		for ; bound < len(waits) && waits[bound].Step <= points[i].step; bound++ {
			among.add(ranks[bound])
		}
		points[i].Bound, points[i].Waiting = bound, Waiting{}
		if bound == 0 {
			continue
		}
		of := func(percent int) float64 {
			return waits[order[among.find((bound*percent+99)/100)]].Took.Seconds()
		}
		points[i].Waiting = Waiting{Median: of(50), P95: of(95), P99: of(99)}
	}
}

// ranks is a set of numbers from 0 that finds its n-th smallest in logarithmic time: a Fenwick tree, which is a sum
// over the last 2^k numbers at each index whose lowest bit is k.
type ranks []int

func newRanks(n int) ranks { return make(ranks, n+1) }

func (r ranks) add(rank int) {
	for i := rank + 1; i < len(r); i += i & -i {
		r[i]++
	}
}

// find is the n-th smallest, counted from 1, of at least n.
func (r ranks) find(n int) int {
	at, stride := 0, 1
	for stride*2 < len(r) {
		stride *= 2
	}
	for ; stride > 0; stride /= 2 {
		if next := at + stride; next < len(r) && r[next] < n {
			at, n = next, n-r[next]
		}
	}
	return at
}
