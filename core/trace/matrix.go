package trace

import (
	"sort"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Matrix is every filter's answer on every node in one cycle, kept as columns. Nodes are in the order of the snapshot,
// plugins in the order of the profile. It keeps two things apart: what kube-scheduler did (it visits nodes from Start
// on, runs a node's filters until one fails, and stops when it has found enough), and, with detail Full, what every
// filter would have returned.
type Matrix struct {
	Nodes   []string // shared with other cycles; read only
	Plugins []string // filter plugins, in order; shared; read only
	Skipped []bool   // per plugin: its PreFilter answered Skip, so it is not asked
	// Extenders is true where the last of Plugins stands for all extenders together. They are called after the others,
	// for the nodes that passed all others; what they return for another node is not known.
	Extenders bool

	Start    int     // where in Nodes kube-scheduler began
	Visited  []int32 // indexes of the nodes kube-scheduler evaluated, in the order it did
	First    []int16 // per node: the plugin that failed first, FirstNone, FirstNotVisited, or FirstAhead
	answered int     // how many of Plugins have answered about the last of Visited, where its First is FirstAhead

	Complete bool      // Failures holds every failing cell (detail Full), not only the first of each visited node
	Failures []Failure // ascending by node, then plugin
	Advice   []Advice  // with detail Reasoned: of each of Failures; else nil
	Spreads  []Spread  // with detail Reasoned: the rules about how evenly pods are spread; else nil
	// Guesses are what the verdicts rest on that is only assumed; nil: nothing that they read is.
	Guesses *Guesses
}

// Values of Matrix.First that are not a plugin.
const (
	FirstNone int16 = -1 // visited and feasible
	// kube-scheduler would not have looked: sampled out, outside the node set, or rejected before
	FirstNotVisited int16 = -2
	// the walk over the cells that UpTo stopped has not come to the end of the node
	FirstAhead int16 = -3
)

// Failure is one failing cell.
type Failure struct {
	Node    int32
	Plugin  int16
	Verdict Verdict
}

// CellState is the result in one cell of the matrix.
type CellState uint8

// The states of a cell.
const (
	CellUnknown      CellState = iota // not asked, and not computed either (detail Reported)
	CellPass                          // asked and passed
	CellFail                          // asked and failed; preemption may resolve it
	CellUnresolvable                  // asked and failed for good
	CellError                         // asked and broke
	CellSkipped                       // skipped by PreFilter
	CellWouldPass                     // not reached; would have passed
	CellWouldFail                     // not reached; would have failed
	CellWouldUnresolvable
	CellWouldError
	CellAhead // the walk over the cells has not come to it
)

// Reached reports whether kube-scheduler itself evaluated the cell.
func (c CellState) Reached() bool { return c >= CellPass && c <= CellError }

// Feasible reports whether kube-scheduler found the node feasible.
func (m *Matrix) Feasible(node int) bool { return m.First[node] == FirstNone }

// Evaluated reports whether kube-scheduler looked at the node, and is done with it.
func (m *Matrix) Evaluated(node int) bool { return m.First[node] >= FirstNone }

// Ahead reports whether the result for the node is not known yet: see UpTo.
func (m *Matrix) Ahead(node int) bool { return m.First[node] == FirstAhead }

// Asking reports whether some filters have run on the node and others have not run yet.
func (m *Matrix) Asking(node int) bool {
	n := len(m.Visited)
	return m.Ahead(node) && n > 0 && int(m.Visited[n-1]) == node
}

// OnNode is the node's failing cells, in plugin order; a part of Failures, read only.
func (m *Matrix) OnNode(node int) []Failure {
	lo, hi := m.within(node)
	return m.Failures[lo:hi]
}

// AdviceOn is the advice about the node's failing cells, in the order of OnNode; nil where it was not requested.
func (m *Matrix) AdviceOn(node int) []Advice {
	if m.Advice == nil {
		return nil
	}
	lo, hi := m.within(node)
	return m.Advice[lo:hi]
}

// within is where in Failures the node's are.
func (m *Matrix) within(node int) (lo, hi int) {
	lo = sort.Search(len(m.Failures), func(i int) bool { return m.Failures[i].Node >= int32(node) })
	hi = lo
	for hi < len(m.Failures) && m.Failures[hi].Node == int32(node) {
		hi++
	}
	return lo, hi
}

// Verdict is the failing verdict of a cell; false when the cell passes, was skipped or is unknown.
func (m *Matrix) Verdict(node, plugin int) (Verdict, bool) {
	for _, f := range m.OnNode(node) {
		if int(f.Plugin) == plugin {
			return f.Verdict, true
		}
	}
	return Verdict{}, false
}

// Cell is the state of one cell.
func (m *Matrix) Cell(node, plugin int) CellState {
	v, failed := m.Verdict(node, plugin)
	return m.state(node, plugin, v.Code, failed)
}

// Row fills states (one per plugin) with the states of a node's cells and returns it.
func (m *Matrix) Row(node int, states []CellState) []CellState {
	states = states[:0]
	failures := m.OnNode(node)
	for p := range m.Plugins {
		failed := len(failures) > 0 && int(failures[0].Plugin) == p
		code := Success
		if failed {
			code = failures[0].Verdict.Code
			failures = failures[1:]
		}
		states = append(states, m.state(node, p, code, failed))
	}
	return states
}

func (m *Matrix) state(node, plugin int, code Code, failed bool) CellState {
	if m.Ahead(node) && !(m.Asking(node) && plugin < m.answered) {
		return CellAhead
	}
	if m.Skipped[plugin] {
		return CellSkipped
	}
	first := m.First[node]
	reached := first == FirstNone || first == FirstAhead || (first >= 0 && plugin <= int(first))
	if !failed {
		switch {
		case reached:
			return CellPass
		case m.Complete && (!m.Extenders || plugin < len(m.Plugins)-1):
			return CellWouldPass
		}
		return CellUnknown
	}
	state := CellFail
	switch code {
	case UnschedulableAndUnresolvable:
		state = CellUnresolvable
	case Error:
		state = CellError
	}
	if !reached {
		state += CellWouldPass - CellPass
	}
	return state
}

// FeasibleCount is how many nodes kube-scheduler found feasible.
func (m *Matrix) FeasibleCount() int {
	n := 0
	for _, node := range m.Visited {
		if m.First[node] == FirstNone {
			n++
		}
	}
	return n
}

// Phrase is the phase in one line.
func (m *Matrix) Phrase() phrase.Phrase {
	return phrase.New(
		"%s: %d of %d nodes evaluated from index %d, %d feasible", PhaseFilter, len(m.Visited), len(m.Nodes), m.Start,
		m.FeasibleCount(),
	)
}

// Scores is every score plugin's answer on every feasible node of one cycle, kept as columns.
type Scores struct {
	Nodes   []string // all nodes of the snapshot; shared; read only
	Index   []int32  // indexes in Nodes of the nodes that were scored, in the order they were found feasible
	Columns []ScoreColumn
	Totals  []int64 // per scored node: the sum of the weighted scores
}

// ScoreColumn is one plugin's scores; the slices run parallel to Scores.Index and are nil when the plugin was skipped.
type ScoreColumn struct {
	Plugin     string
	Weight     int64
	Skipped    bool         // by PreScore
	Raw        []int64      // as the plugin returned it
	Normalized []int64      // 0 to 100
	Why        [][]Evidence // with detail Reasoned: the comparisons behind each raw score; else nil
}

// Weighted is the k-th scored node's normalised score times the plugin's weight.
func (c *ScoreColumn) Weighted(k int) int64 { return c.Normalized[k] * c.Weight }

// Of is the position of a node (an index of Nodes) among the scored ones; false when it was not scored.
func (s *Scores) Of(node int) (int, bool) {
	for k, i := range s.Index {
		if int(i) == node {
			return k, true
		}
	}
	return 0, false
}

// Best is the position among the scored nodes with the highest total, the first of equals; -1 when nothing was scored.
func (s *Scores) Best() int {
	best := -1
	for k := range s.Totals {
		if best < 0 || s.Totals[k] > s.Totals[best] {
			best = k
		}
	}
	return best
}

// Phrase is the phase in one line.
func (s *Scores) Phrase() phrase.Phrase {
	if len(s.Index) == 0 {
		return phrase.New("%s: nothing to score", PhaseScore)
	}
	best := s.Best()
	return phrase.New(
		"%s: %d nodes, highest %s with %d", PhaseScore, len(s.Index), s.Nodes[s.Index[best]], s.Totals[best],
	)
}
