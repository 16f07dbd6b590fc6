package panel

import (
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/tui/widget"
)

// sheet is a filter matrix made ready for drawing: every cell by its place. It is made once for a matrix.
type sheet struct {
	matrix   *trace.Matrix
	plugins  int
	states   []trace.CellState // node by node
	turns    []int32           // per node: its place in Matrix.Visited, or notVisited
	failing  []string          // per node: the short names of what fails; written when first asked for
	stands   []standing        // per node
	misses   []miss            // per node; nil until asked for
	rejected bool              // PreFilter rejected the pod
}

// notVisited is the turn of a node kube-scheduler did not look at: after all others.
const notVisited = 1 << 30

func newSheet(c *trace.Cycle) *sheet {
	m := c.Matrix
	s := &sheet{
		matrix: m, plugins: len(m.Plugins), rejected: c.PreFilterRejected(),
		states: make([]trace.CellState, 0, len(m.Nodes)*len(m.Plugins)), turns: make([]int32, len(m.Nodes)), failing: make([]string, len(m.Nodes)),
	}
	row := make([]trace.CellState, 0, len(m.Plugins))
	for node := range m.Nodes {
		row = m.Row(node, row)
		s.states = append(s.states, row...)
		s.turns[node] = notVisited
	}
	for turn, node := range m.Visited {
		s.turns[node] = int32(turn)
	}
	s.stands = make([]standing, len(m.Nodes))
	for node := range s.stands {
		s.stands[node] = s.judge(int32(node))
	}
	return s
}

func (s *sheet) state(node int32, plugin int) trace.CellState {
	return s.states[int(node)*s.plugins+plugin]
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

// misses are made for all nodes at once, when somebody sorts by them.
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
	fails               // a filter said no
	breaks              // a filter broke
	passedOver          // nobody looked, and every filter would have passed
	wouldFail           // nobody looked, and a filter would have failed
	unknown             // nobody looked, and nobody knows
	undecided           // its turn has not come yet, or is not over
)

func (s *sheet) standing(node int32) standing { return s.stands[node] }

func (s *sheet) judge(node int32) standing {
	first := s.matrix.First[node]
	switch {
	case first == trace.FirstNone:
		return fits
	case first >= 0 && s.state(node, int(first)) == trace.CellError:
		return breaks
	case first >= 0:
		return fails
	case !s.matrix.Complete:
		return unknown
	case len(s.matrix.OnNode(int(node))) > 0:
		return wouldFail
	}
	return passedOver
}

// final says whether the filter that kube-scheduler reports for a node leaves preemption no chance.
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
