package core

import (
	"cmp"
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// keepMatrix turns the search into a fact, when facts of that detail are kept.
func (c *cycle) keepMatrix(start int) {
	if c.scheduler.detail < trace.Reported {
		return
	}
	if c.search.first == nil { // PreFilter rejected the pod: no filter ran
		c.search.first = c.blank()
	}
	m := &trace.Matrix{
		Nodes: c.snapshot.Names, Plugins: c.profile.filters, Skipped: make([]bool, len(c.studied.judge.Checks)),
		Start: start, Visited: c.search.visited, First: c.search.first,
	}
	for i, check := range c.studied.judge.Checks {
		m.Skipped[i] = check == nil
	}
	if c.search.wholeOf != nil {
		if c.scheduler.home != nil {
			c.search.agree()
		}
		m.Complete, m.Failures = true, c.search.whole
	} else {
		m.Failures = byNode(c.search.failed)
	}
	c.addExtenders(m)
	m.Guesses = c.guesses(m)
	if c.scheduler.detail == trace.Reasoned {
		m.Advice = c.advice(m)
		m.Spreads = c.spreads()
	}
	c.fact(trace.Filtered{Matrix: m})
}

// byNode copies failures in the order of nodes, then of plugins. A search goes from some node to the last one and on
// from the first, so that mostly two parts change places.
func byNode(failed []trace.Failure) []trace.Failure {
	around := 1
	for around < len(failed) && failed[around-1].Node <= failed[around].Node {
		around++
	}
	around = min(around, len(failed))
	sorted := slices.Grow(failed[:0:0], len(failed))
	sorted = append(append(sorted, failed[around:]...), failed[:around]...)
	slices.SortFunc(sorted, func(a, b trace.Failure) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Plugin, b.Plugin))
	})
	return sorted
}

// agree puts what was answered in the search in the place of what was answered beforehand. A guest with a memory may
// answer the same question otherwise the second time.
func (s *search) agree() {
	answered := make([][]trace.Failure, len(s.first))
	for _, f := range s.failed {
		answered[f.Node] = append(answered[f.Node], f)
	}
	whole, starts := make([]trace.Failure, 0, len(s.whole)), make([]int32, len(s.wholeOf))
	for node, first := range s.first {
		starts[node] = int32(len(whole))
		if first == trace.FirstNotVisited {
			whole = append(whole, s.whole[s.wholeOf[node]:s.wholeOf[node+1]]...)
			continue
		}
		whole = append(whole, answered[node]...)
		for _, f := range s.whole[s.wholeOf[node]:s.wholeOf[node+1]] {
			passed := first == trace.FirstNone || f.Plugin <= first
			if !passed && !slices.ContainsFunc(answered[node], func(a trace.Failure) bool { return a.Plugin == f.Plugin }) {
				whole = append(whole, f)
			}
		}
		slices.SortFunc(whole[starts[node]:], func(a, b trace.Failure) int { return cmp.Compare(a.Plugin, b.Plugin) })
	}
	starts[len(s.first)] = int32(len(whole))
	s.whole, s.wholeOf = whole, starts
}

// spreads collects what the checks that compare domains counted in them.
func (c *cycle) spreads() []trace.Spread {
	var all []trace.Spread
	for _, check := range c.studied.judge.Checks {
		if s, ok := check.(framework.Spreader); ok {
			all = append(all, s.Spreads()...)
		}
	}
	return all
}

// advice collects what the checks behind the failures of a matrix know besides. Extenders have no check.
func (c *cycle) advice(m *trace.Matrix) []trace.Advice {
	all := make([]trace.Advice, len(m.Failures))
	wanted := func(int32) bool { return true }
	if c.near != nil {
		near := make([]bool, len(m.Nodes))
		for _, node := range c.near(m) {
			near[node] = true
		}
		wanted = func(node int32) bool { return near[node] }
	}
	for i := range m.Failures {
		f := &m.Failures[i]
		if int(f.Plugin) >= len(c.studied.judge.Checks) || !wanted(f.Node) {
			continue
		}
		node := c.snapshot.Nodes[f.Node]
		if a, ok := c.studied.judge.Checks[f.Plugin].(framework.Accountant); ok {
			found, nominated := c.studied.judge.Found(node, int(f.Plugin))
			all[i].Users = a.Users(found, f.Verdict)
			for k := range all[i].Users {
				u := &all[i].Users[k]
				u.Nominated = slices.ContainsFunc(nominated, func(p *cluster.Pod) bool { return p.Key == u.Pod })
			}
		}
		if a, ok := c.studied.judge.Checks[f.Plugin].(framework.Adviser); ok {
			all[i].Changes = a.Changes(node, f.Verdict)
		}
	}
	return all
}
