package preemption

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Candidate is a node on which the pod fits once the victims have left.
type Candidate struct {
	Node      *cluster.Node
	Victims   []Victim       // the most important first; one or more
	Reprieved []*cluster.Pod // who may stay, in the order they were let back
	Extended  bool           // an extender had the last word on Victims and Violations

	Violations int       // victims whose eviction a disruption budget does not allow
	Highest    int32     // priority of the first victim
	Sum        int64     // of the victims' priorities
	Earliest   time.Time // when the first of the victims with the highest priority started
	waiting    bool      // none of them has: Earliest is now, and yet after a start at this very moment
}

// count fills in what candidates are ranked by.
func (c *Candidate) count(now time.Time) {
	c.Highest = c.Victims[0].Pod.Priority
	c.start(&c.Victims[0], now)
	for i := range c.Victims {
		v := &c.Victims[i]
		if v.Violates {
			c.Violations++
		}
		c.Sum += int64(v.Pod.Priority)
		if v.Pod.Priority == c.Highest && v.before(c, now) {
			c.start(v, now)
		}
	}
}

// start has a victim be the one that started first.
func (c *Candidate) start(v *Victim, now time.Time) { c.Earliest, c.waiting = v.started(now) }

// before says whether a victim started before the one of the candidate that is the first so far.
func (v *Victim) before(c *Candidate, now time.Time) bool {
	start, waiting := v.started(now)
	return later(c.Earliest, c.waiting, start, waiting) > 0
}

// started is when the victim started, or now and true: kube-scheduler then reads the clock, which has gone on since
// the last pod started.
func (v *Victim) started(now time.Time) (start time.Time, waiting bool) {
	if v.Pod.API.Status.StartTime == nil {
		return now, true
	}
	return v.Pod.StartTime(), false
}

// later is positive when a started later than b, where one of those that start at the same moment has not started yet.
func later(a time.Time, waitingA bool, b time.Time, waitingB bool) int {
	switch {
	case waitingA == waitingB || !a.Equal(b):
		return a.Compare(b)
	case waitingA:
		return 1
	}
	return -1
}

// weight is the sum of the victims' priorities, each moved up so that none is negative: otherwise more victims could
// weigh less.
func (c *Candidate) weight() int64 {
	return c.Sum + int64(len(c.Victims))*(math.MaxInt32+1)
}

// Order is the criteria that candidates are compared by, one after the other.
type Order []trace.Criterion

// comparisons are the criteria. Each is negative when a is the better node to make room on.
var comparisons = map[trace.Criterion]func(a, b *Candidate) int{
	trace.ByViolations:      func(a, b *Candidate) int { return cmp.Compare(a.Violations, b.Violations) },
	trace.ByHighestPriority: func(a, b *Candidate) int { return cmp.Compare(a.Highest, b.Highest) },
	trace.ByPrioritySum:     func(a, b *Candidate) int { return cmp.Compare(a.weight(), b.weight()) },
	trace.ByVictims:         func(a, b *Candidate) int { return cmp.Compare(len(a.Victims), len(b.Victims)) },
	trace.ByEarliestStart:   func(a, b *Candidate) int { return later(b.Earliest, b.waiting, a.Earliest, a.waiting) },
}

// compare is negative when a is the better node to make room on, and says which criterion told; 0 and ByNodeOrder when
// none did.
func (o Order) compare(a, b *Candidate) (int, trace.Criterion) {
	for _, criterion := range o {
		if c := comparisons[criterion](a, b); c != 0 {
			return c, criterion
		}
	}
	return 0, trace.ByNodeOrder
}

// Behind is the criterion that puts a candidate behind one of a better rank.
func (o Order) Behind(c, better *Candidate) trace.Criterion {
	_, by := o.compare(better, c)
	return by
}

// rank sorts by the criteria, then in the order of the snapshot, where kube-scheduler has the order of a map.
// Candidates are large: their pointers are sorted, and each of them is moved once.
func (o Order) rank(candidates []Candidate) {
	order := make([]*Candidate, len(candidates))
	for i := range candidates {
		order[i] = &candidates[i]
	}
	slices.SortFunc(order, func(a, b *Candidate) int {
		c, _ := o.compare(a, b)
		return cmp.Or(c, cmp.Compare(a.Node.Index(), b.Node.Index()))
	})
	ranked := make([]Candidate, len(candidates))
	for i, c := range order {
		ranked[i] = *c
	}
	copy(candidates, ranked)
}

// tied is how many candidates are as good as the first.
func (o Order) tied(ranked []Candidate) int {
	n := 0
	for n < len(ranked) && o.Behind(&ranked[n], &ranked[0]) == trace.ByNodeOrder {
		n++
	}
	return n
}
