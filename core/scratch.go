package core

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// scratch is memory that one cycle after the other uses: for what is as long as the list of nodes and is not kept in
// facts. A fork has its own.
type scratch struct {
	feasible []*cluster.Node
	places   []int32
	visited  []int32
	first    []int16
	blank    []int16 // trace.FirstNotVisited for each node
	kinds    []uint8 // by node
	totals   []int64
	scores   [256]int64 // different raw scores, to be normalised
	table    [256]int64 // what becomes of raw scores, by their places in a column.Strip
}

// borrow has the cycle use the scheduler's memory, unless something of it may outlive the cycle: in facts, or in the
// cycle of a group, which comes back to what it found for its members.
func (c *cycle) borrow() {
	if c.group != nil || c.scheduler.detail >= trace.Reported {
		return
	}
	s, nodes := &c.scheduler.scratch, len(c.snapshot.Nodes)
	for len(s.blank) < nodes {
		s.blank = append(s.blank, trace.FirstNotVisited)
	}
	s.feasible, s.places = slices.Grow(s.feasible[:0], nodes), slices.Grow(s.places[:0], nodes)
	s.visited, s.first = slices.Grow(s.visited[:0], nodes), slices.Grow(s.first[:0], nodes)
	s.totals = slices.Grow(s.totals[:0], nodes)
	c.scratch = s
	c.search.feasible, c.search.places, c.search.visited = s.feasible, s.places, s.visited
}

// blank is trace.FirstNotVisited for each node.
func (c *cycle) blank() []int16 {
	nodes := len(c.snapshot.Nodes)
	if c.scratch != nil {
		first := c.scratch.first[:nodes]
		copy(first, c.scratch.blank)
		return first
	}
	first := make([]int16, nodes)
	for i := range first {
		first[i] = trace.FirstNotVisited
	}
	return first
}

// kindRoom is room for a kind of rejection for each node.
func (c *cycle) kindRoom() []uint8 {
	nodes := len(c.snapshot.Nodes)
	if c.scratch == nil {
		return make([]uint8, nodes)
	}
	c.scratch.kinds = slices.Grow(c.scratch.kinds[:0], nodes)
	return c.scratch.kinds[:nodes]
}

// zeros is a total for each feasible node.
func (c *cycle) zeros() []int64 {
	if c.scratch == nil || cap(c.scratch.totals) < len(c.search.feasible) {
		return make([]int64, len(c.search.feasible))
	}
	totals := c.scratch.totals[:len(c.search.feasible)]
	clear(totals)
	return totals
}
