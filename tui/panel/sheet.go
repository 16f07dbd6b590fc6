package panel

import (
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/tui/widget"
)

// sheet is a filter matrix prepared for drawing. The keys that rows are sorted by are made at once. The cells of a row
// are made when it is first drawn, since most rows of a large cluster never are.
type sheet struct {
	matrix  *trace.Matrix
	plugins int
	states  []trace.CellState // node by node; of rows that are ready
	ready   []bool            // per node
	turns   []int32           // per node: its place in Matrix.Visited, or notVisited
	failing []string          // per node: the short names of the filters that fail; written when first read
	stands  []standing        // per node
	misses  []miss            // per node; nil until read
}

// notVisited is the turn of a node kube-scheduler did not look at: after all others.
const notVisited = 1 << 30

func newSheet(m *trace.Matrix) *sheet {
	s := &sheet{
		matrix: m, plugins: len(m.Plugins), states: make([]trace.CellState, len(m.Nodes)*len(m.Plugins)),
		ready: make([]bool, len(m.Nodes)),
		turns: make([]int32, len(m.Nodes)), failing: make([]string, len(m.Nodes)), stands: make([]standing, len(m.Nodes)),
	}
	begin := 0
	for node := range m.Nodes {
		end := begin
		for end < len(m.Failures) && int(m.Failures[end].Node) == node {
			end++
		}
		s.turns[node], s.stands[node] = notVisited, s.judge(node, m.Failures[begin:end])
		begin = end
	}
	for turn, node := range m.Visited {
		s.turns[node] = int32(turn)
	}
	return s
}

func (s *sheet) state(node int32, plugin int) trace.CellState {
	begin := int(node) * s.plugins
	if !s.ready[node] {
		s.ready[node] = true
		s.matrix.Row(int(node), s.states[begin:begin:begin+s.plugins])
	}
	return s.states[begin+plugin]
}

// fails lists the short names of the filters that fail on a node, or would.
func (s *sheet) fails(node int32) string {
	if s.failing[node] != "" {
		return s.failing[node]
	}
	var names []string
	for _, failure := range s.matrix.OnNode(int(node)) {
		names = append(names, short(s.matrix.Plugins[failure.Plugin]))
	}
	s.failing[node] = strings.Join(names, ", ")
	return s.failing[node]
}

// misses are made for all nodes at once, when the table is sorted by them.
func (s *sheet) miss(node int32) miss {
	if s.misses == nil {
		s.misses = make([]miss, len(s.matrix.Nodes))
		for i := range s.misses {
			s.misses[i] = missOf(s.matrix, i)
		}
	}
	return s.misses[node]
}

// standing is what the Filter phase made of a node.
type standing uint8

// The standings, in the order of ByVerdict.
const (
	chosen     standing = iota
	fits                // found feasible
	fails               // a filter rejected it
	breaks              // a filter broke
	passedOver          // not tried, and every filter would have passed
	wouldFail           // not tried, and a filter would have failed
	unknown             // not tried, and the result is not known
	undecided           // its turn has not come yet, or is not over
)

func (s *sheet) standing(node int32) standing { return s.stands[node] }

// judge takes the node's failing cells.
func (s *sheet) judge(node int, failures []trace.Failure) standing {
	switch first := s.matrix.First[node]; {
	case first == trace.FirstNone:
		return fits
	case first == trace.FirstAhead:
		return undecided
	case first >= 0:
		for i := range failures {
			if failures[i].Plugin == first && failures[i].Verdict.Code == trace.Error && !s.matrix.Skipped[first] {
				return breaks
			}
		}
		return fails
	case !s.matrix.Complete:
		return unknown
	case len(failures) > 0:
		return wouldFail
	}
	return passedOver
}

// final reports whether the filter that kube-scheduler reports for a node leaves preemption no chance.
func (s *sheet) final(node int32) bool {
	first := s.matrix.First[node]
	return first >= 0 && s.state(node, int(first)) == trace.CellUnresolvable
}

// widest is the width of the longest of some names.
func widest(names []string) int {
	width := 1
	for _, name := range names {
		if len(name) > width { // no text is wider than its bytes
			width = max(width, widget.Width(name))
		}
	}
	return width
}
