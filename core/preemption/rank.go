package preemption

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
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
}

// count fills in what candidates are ranked by.
func (c *Candidate) count(now time.Time) {
	c.Highest, c.Earliest = c.Victims[0].Pod.Priority, c.Victims[0].started(now)
	for i := range c.Victims {
		v := &c.Victims[i]
		if v.Violates {
			c.Violations++
		}
		c.Sum += int64(v.Pod.Priority)
		if start := v.started(now); v.Pod.Priority == c.Highest && start.Before(c.Earliest) {
			c.Earliest = start
		}
	}
}

// started is when the victim started, or now.
func (v *Victim) started(now time.Time) time.Time {
	if v.Pod.API.Status.StartTime == nil {
		return now
	}
	return v.Pod.StartTime()
}

// weight is the sum of the victims' priorities, each moved up so that none is negative: otherwise more victims could
// weigh less.
func (c *Candidate) weight() int64 {
	return c.Sum + int64(len(c.Victims))*(math.MaxInt32+1)
}

// compare is negative when a is the better node to make room on, and 0 when no criterion tells (pickOneNodeForPreemption,
// 1.37).
func compare(a, b *Candidate) int {
	return cmp.Or(
		cmp.Compare(a.Violations, b.Violations),
		cmp.Compare(a.Highest, b.Highest),
		cmp.Compare(a.weight(), b.weight()),
		cmp.Compare(len(a.Victims), len(b.Victims)),
		b.Earliest.Compare(a.Earliest),
	)
}

// rank sorts by the criteria, then in the order of the snapshot, where kube-scheduler has the order of a map.
func rank(candidates []Candidate) {
	slices.SortFunc(candidates, func(a, b Candidate) int {
		return cmp.Or(compare(&a, &b), cmp.Compare(a.Node.Index(), b.Node.Index()))
	})
}

// tied is how many candidates are as good as the first.
func tied(ranked []Candidate) int {
	n := 0
	for n < len(ranked) && compare(&ranked[0], &ranked[n]) == 0 {
		n++
	}
	return n
}
