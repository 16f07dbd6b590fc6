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
	Reprieved []*cluster.Pod // pods that may stay, in the order they were let back
	Extended  bool           // an extender had the last word on Victims and Violations

	Violations int       // victims whose eviction a disruption budget does not allow
	Highest    int32     // priority of the first victim
	Sum        int64     // of the victims' priorities
	Earliest   time.Time // when the first of the victims with the highest priority started
	waiting    bool      // it has not: Earliest is now
}

// count fills in what candidates are ranked by.
func (c *Candidate) count(now time.Time) {
	c.Highest = c.Victims[0].Pod.Priority
	highest := c.Highest // of those met so far: they may not be in order
	for i := range c.Victims {
		v := &c.Victims[i]
		if v.Violates {
			c.Violations++
		}
		c.Sum += int64(v.Pod.Priority)
		if v.Pod.Priority >= highest {
			c.meet(v, now, i == 0 || v.Pod.Priority > highest)
			highest = v.Pod.Priority
		}
	}
}

// meet has a victim be the first that started, if it is; anew forgets the others. One that has not started starts now.
func (c *Candidate) meet(v *Victim, now time.Time, anew bool) {
	at, waiting := v.Pod.StartTime(), v.Pod.API.Status.StartTime == nil
	if waiting {
		at = now
	}
	if anew || later(c.Earliest, c.waiting, at, waiting) > 0 {
		c.Earliest, c.waiting = at, waiting
	}
}

// later is positive when a victim started later than another. One that has not started is later than one that started
// at the same moment: kube-scheduler reads the clock for it, which has gone on since.
func later(a time.Time, aWaits bool, b time.Time, bWaits bool) int {
	switch c := a.Compare(b); {
	case c != 0 || aWaits == bWaits:
		return c
	case aWaits:
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

// comparisons are the criteria, by number. Each is negative when a is the better node to make room on.
var comparisons = [...]func(a, b *Candidate) int{
	trace.ByViolations:      func(a, b *Candidate) int { return cmp.Compare(a.Violations, b.Violations) },
	trace.ByHighestPriority: func(a, b *Candidate) int { return cmp.Compare(a.Highest, b.Highest) },
	trace.ByPrioritySum:     func(a, b *Candidate) int { return cmp.Compare(a.weight(), b.weight()) },
	trace.ByVictims:         func(a, b *Candidate) int { return cmp.Compare(len(a.Victims), len(b.Victims)) },
	trace.ByEarliestStart: func(a, b *Candidate) int {
		return later(b.Earliest, b.waiting, a.Earliest, a.waiting)
	},
}

// compare is negative when a is the better node to make room on, and returns which criterion decided; 0 and ByNodeOrder
// when none did.
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
		if c, _ := o.compare(a, b); c != 0 {
			return c
		}
		return cmp.Compare(a.Node.Index(), b.Node.Index())
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
