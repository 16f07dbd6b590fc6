package podtopologyspread

import (
	"math"
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// Reasons of the plugin for a node that it rejects.
const (
	reasonSkew  = "node(s) didn't match pod topology spread constraints"
	reasonLabel = "node(s) didn't match pod topology spread constraints (missing required label)"
)

var (
	reasonsSkew  = [...]string{reasonSkew}
	reasonsLabel = [...]string{reasonLabel}
)

// PreFilter counts the matching pods by domain for every DoNotSchedule constraint; a pod without one is skipped.
func (p *Plugin) PreFilter(pod *cluster.Pod, snapshot *cluster.Snapshot) framework.Study {
	constraints, err := p.hard(pod, snapshot.Objects())
	if err != nil {
		return framework.Study{
			Verdict: trace.Verdict{Code: trace.Error, Reasons: []string{"get constraints from pod: " + err.Error()}},
		}
	}
	if len(constraints) == 0 {
		return framework.Study{Verdict: trace.Verdict{Code: trace.Skip}}
	}
	all := newCensus(pod, snapshot, constraints, everyKey)
	all.anywhere = p.ways.ExcludedNodesCounted
	return framework.Study{Check: newCheck(all)}
}

// check compares a node's domain with the emptiest one. The tallies are shared by every check that With and Without
// derive; what these differ by is a short list of changes, looked at only when it is not empty.
type check struct {
	census  *census
	tallies []tally // by constraint
	changes []change
}

// tally is one constraint's matching pods by domain.
type tally struct {
	counts        []int32 // by domain; absent: no node of the domain takes part
	domains       int32   // those that are not absent
	least, second int32   // the two domains with the fewest pods, the first of equals; absent when there are not as many
	self          int32   // 1 when the pod matches the selector itself
	told          story
}

const absent int32 = -1

// change is what a pod more or less makes of the count in one domain of one constraint.
type change struct {
	constraint int
	domain     int32
	delta      int32
}

var _ framework.Disturbable = (*check)(nil)

func newCheck(c *census) *check {
	f := &check{census: c, tallies: make([]tally, len(c.constraints))}
	for k := range c.constraints {
		own := &c.constraints[k]
		t := &f.tallies[k]
		t.found(c, k)
		c.count(k, c.matching(own.selector), t.counts)
		t.rank()
		if own.selector.Matches(c.pod.Labels.Labels) {
			t.self = 1
		}
	}
	for k := range f.tallies {
		f.tell(k)
	}
	return f
}

// found prepares the counts: 0 for each domain with a node that takes part, absent for the others.
func (t *tally) found(c *census, k int) {
	topology := c.topologies[k]
	t.counts = make([]int32, len(topology.Values))
	if c.everywhere(k) {
		t.domains = int32(len(t.counts))
		return
	}
	for d := range t.counts {
		t.counts[d] = absent
	}
	for node, d := range topology.Of {
		if t.domains == int32(len(t.counts)) {
			return
		}
		if d >= 0 && t.counts[d] == absent && c.includes(k, node) {
			t.counts[d] = 0
			t.domains++
		}
	}
}

func (t *tally) rank() {
	t.least, t.second = absent, absent
	for d, n := range t.counts {
		switch {
		case n == absent:
		case t.least == absent || n < t.counts[t.least]:
			t.least, t.second = int32(d), t.least
		case t.second == absent || n < t.counts[t.second]:
			t.second = int32(d)
		}
	}
}

// Filter rejects a node in whose domain the skew would be too great, or that lacks a topology key. The first
// constraint that fails decides; the evidence is that of all that fail.
func (f *check) Filter(node *cluster.Node) trace.Verdict {
	for k := range f.tallies {
		d := f.census.topologies[k].Of[node.Index()]
		if d < 0 || f.skew(k, d) > int64(f.census.constraints[k].maxSkew) {
			return f.failed(k, node)
		}
	}
	return trace.Verdict{}
}

// skew is how many pods more than the emptiest domain this one would have with the pod.
func (f *check) skew(k int, d int32) int64 {
	least, _ := f.minimum(k)
	return f.count(k, d) + int64(f.tallies[k].self) - least
}

// count is how many matching pods a domain has.
func (f *check) count(k int, d int32) int64 {
	n := int64(max(0, f.tallies[k].counts[d]))
	for i := range f.changes {
		if c := &f.changes[i]; c.domain == d && c.constraint == k {
			n += int64(c.delta)
		}
	}
	return n
}

// minimum is the fewest matching pods in any domain, and that domain. With fewer domains than the constraint's
// minDomains, it is 0 and there is no domain.
func (f *check) minimum(k int) (int64, int32) {
	t := &f.tallies[k]
	if t.domains < f.census.constraints[k].minDomains {
		return 0, absent
	}
	if t.least == absent {
		return math.MaxInt32, absent
	}
	if len(f.changes) == 0 {
		return int64(t.counts[t.least]), t.least
	}
	return f.changedMinimum(k)
}

// changedMinimum takes the changes into account. One changed domain leaves the least of the others known; with more
// of them every domain is looked at.
func (f *check) changedMinimum(k int) (int64, int32) {
	t := &f.tallies[k]
	only, changed := absent, 0
	for i := range f.changes {
		if f.changes[i].constraint == k {
			only = f.changes[i].domain
			changed++
		}
	}
	switch changed {
	case 0:
		return int64(t.counts[t.least]), t.least
	case 1:
		other := t.least
		if other == only {
			other = t.second
		}
		n := f.count(k, only)
		if other == absent || n < int64(t.counts[other]) {
			return n, only
		}
		return int64(t.counts[other]), other
	}
	least, where := int64(math.MaxInt32), absent
	for d := range t.counts {
		if t.counts[d] == absent {
			continue
		}
		if n := f.count(k, int32(d)); n < least {
			least, where = n, int32(d)
		}
	}
	return least, where
}

// With counts one pod more where it matches, also when it is terminating, as kube-scheduler does.
func (f *check) With(pod *cluster.Pod, node *cluster.Node) framework.Check {
	return f.changed(pod, node, 1)
}

// Without counts one pod less where it matches, also when it is terminating, as kube-scheduler does.
func (f *check) Without(pod *cluster.Pod, node *cluster.Node) framework.Check {
	return f.changed(pod, node, -1)
}

// changed is the check with one count changed for each constraint that the pod matters to; the check itself when it
// matters to none. It costs as much as there are constraints and changed domains.
func (f *check) changed(pod *cluster.Pod, node *cluster.Node, delta int32) framework.Check {
	if pod.Namespace() != f.census.pod.Namespace() {
		return f
	}
	after := f
	for k := range f.tallies {
		i := node.Index()
		d := f.census.topologies[k].Of[i]
		if d < 0 || !f.census.constraints[k].selector.Matches(pod.Labels.Labels) || !f.takes(k, i, d) {
			continue
		}
		if after == f {
			after = &check{census: f.census, tallies: f.tallies, changes: slices.Clone(f.changes)}
		}
		after.change(change{constraint: k, domain: d, delta: delta})
	}
	return after
}

// takes reports whether a pod on the node with that index counts.
func (f *check) takes(k, node int, domain int32) bool {
	if f.census.anywhere {
		return f.tallies[k].counts[domain] != absent && f.census.hasEveryKey(node)
	}
	return f.census.includes(k, node)
}

// change adds to the list; a change that is undone leaves it.
func (f *check) change(c change) {
	for i := range f.changes {
		was := &f.changes[i]
		if was.constraint != c.constraint || was.domain != c.domain {
			continue
		}
		if was.delta += c.delta; was.delta == 0 {
			f.changes = slices.Delete(f.changes, i, i+1)
		}
		return
	}
	f.changes = append(f.changes, c)
}
