package view

import (
	"strings"

	"github.com/schedstep/schedstep/core/trace"
)

// Sheet is a filter matrix prepared for drawing. The keys that rows are sorted by are made at once. The cells of a row
// are made when it is first drawn, since most rows of a large cluster never are.
type Sheet struct {
	Matrix  *trace.Matrix
	plugins int
	states  []trace.CellState // node by node; of rows that are ready
	ready   []bool            // per node
	Turns   []int32           // per node: its place in Matrix.Visited, or notVisited
	failing []string          // per node: the short names of the filters that fail; written when first read
	stands  []Standing        // per node
	misses  []miss            // per node; nil until read
}

// NotVisited is the turn of a node kube-scheduler did not look at: after all others.
const NotVisited = 1 << 30

func newSheet(m *trace.Matrix) *Sheet {
	s := &Sheet{
		Matrix: m, plugins: len(m.Plugins), states: make([]trace.CellState, len(m.Nodes)*len(m.Plugins)),
		ready: make([]bool, len(m.Nodes)),
		Turns: make([]int32, len(m.Nodes)), failing: make([]string, len(m.Nodes)), stands: make([]Standing, len(m.Nodes)),
	}
	begin := 0
	for node := range m.Nodes {
		end := begin
		for end < len(m.Failures) && int(m.Failures[end].Node) == node {
			end++
		}
		s.Turns[node], s.stands[node] = NotVisited, s.judge(node, m.Failures[begin:end])
		begin = end
	}
	for turn, node := range m.Visited {
		s.Turns[node] = int32(turn)
	}
	return s
}

// State is the state of the cell of a plugin and a node, by their places in the matrix.
func (s *Sheet) State(node int32, plugin int) trace.CellState {
	begin := int(node) * s.plugins
	if !s.ready[node] {
		s.ready[node] = true
		s.Matrix.Row(int(node), s.states[begin:begin:begin+s.plugins])
	}
	return s.states[begin+plugin]
}

// fails lists the short names of the filters that fail on a node, or would.
func (s *Sheet) fails(node int32) string {
	if s.failing[node] != "" {
		return s.failing[node]
	}
	var names []string
	for _, failure := range s.Matrix.OnNode(int(node)) {
		names = append(names, Short(s.Matrix.Plugins[failure.Plugin]))
	}
	s.failing[node] = strings.Join(names, ", ")
	return s.failing[node]
}

// misses are made for all nodes at once, when the table is sorted by them.
func (s *Sheet) miss(node int32) miss {
	if s.misses == nil {
		s.misses = make([]miss, len(s.Matrix.Nodes))
		for i := range s.misses {
			s.misses[i] = missOf(s.Matrix, i)
		}
	}
	return s.misses[node]
}

// Standing is what the Filter phase made of a node.
type Standing uint8

// The standings, in the order of ByVerdict.
const (
	Chosen     Standing = iota
	Fits                // found feasible
	Fails               // a filter rejected it
	Breaks              // a filter broke
	PassedOver          // not tried, and every filter would have passed
	WouldFail           // not tried, and a filter would have failed
	Unknown             // not tried, and the result is not known
	Undecided           // its turn has not come yet, or is not over
)

func (s *Sheet) standing(node int32) Standing { return s.stands[node] }

// judge takes the node's failing cells.
func (s *Sheet) judge(node int, failures []trace.Failure) Standing {
	switch first := s.Matrix.First[node]; {
	case first == trace.FirstNone:
		return Fits
	case first == trace.FirstAhead:
		return Undecided
	case first >= 0:
		for i := range failures {
			if failures[i].Plugin == first && failures[i].Verdict.Code == trace.Error && !s.Matrix.Skipped[first] {
				return Breaks
			}
		}
		return Fails
	case !s.Matrix.Complete:
		return Unknown
	case len(failures) > 0:
		return WouldFail
	}
	return PassedOver
}

// Final reports whether the filter that kube-scheduler reports for a node leaves preemption no chance.
func (s *Sheet) Final(node int32) bool {
	first := s.Matrix.First[node]
	return first >= 0 && s.State(node, int(first)) == trace.CellUnresolvable
}
