package trace_test

import (
	"testing"

	"github.com/schedstep/schedstep/core/trace"
)

// TestAMatrixUpToACellHoldsNothingOfTheCellsAfterIt walks over the cells of three nodes: m is visited second and fails
// at the first filter, o is not visited.
func TestAMatrixUpToACellHoldsNothingOfTheCellsAfterIt(t *testing.T) {
	whole := &trace.Matrix{
		Nodes: []string{"n", "m", "o"}, Plugins: []string{"A", "Skipped", "B"}, Skipped: []bool{false, true, false},
		Visited: []int32{0, 1}, First: []int16{trace.FirstNone, 0, trace.FirstNotVisited}, Complete: true,
		Failures: []trace.Failure{
			{Node: 1, Plugin: 0, Verdict: trace.Verdict{Code: trace.Unschedulable}},
			{Node: 2, Plugin: 2, Verdict: trace.Verdict{Code: trace.Unschedulable}},
		},
	}
	const pass, fail, skipped, would, ahead = trace.CellPass, trace.CellFail, trace.CellSkipped, trace.CellWouldPass,
		trace.CellAhead
	for k, want := range [][3][3]trace.CellState{
		{{ahead, ahead, ahead}, {ahead, ahead, ahead}, {ahead, ahead, ahead}},
		{{pass, ahead, ahead}, {ahead, ahead, ahead}, {ahead, ahead, ahead}},
		{{pass, skipped, pass}, {ahead, ahead, ahead}, {ahead, ahead, ahead}},
		{{pass, skipped, pass}, {fail, skipped, would}, {ahead, ahead, ahead}},
	} {
		m := whole.UpTo(k)
		for node := range m.Nodes {
			for plugin := range m.Plugins {
				if got := m.Cell(node, plugin); got != want[node][plugin] {
					t.Errorf("after %d cells node %d, plugin %d: %v, not %v", k, node, plugin, got, want[node][plugin])
				}
			}
			if m.Ahead(node) && (len(m.OnNode(node)) > 0 || m.Evaluated(node) || m.Feasible(node)) {
				t.Errorf("after %d cells something is known of node %d", k, node)
			}
		}
	}
}
