package session

import (
	"slices"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/trace"
)

// Supposed are scores that kube-scheduler did not compute.
type Supposed = core.Supposed

// hasScore reports whether kube-scheduler scored a node.
func hasScore(t *trace.Try, node int) bool {
	if t.Scores == nil {
		return false
	}
	_, scored := t.Scores.Of(node)
	return scored
}

// supposed computes the scores of the nodes that a try found feasible, as they would be with one more node among them.
// before is the scheduler as it was before the cycle. nil: no node was chosen, or the cycle cannot be repeated.
func supposed(before *core.Scheduler, t *trace.Try, node string) *Supposed {
	feasible := feasibleOf(t)
	if feasible == nil {
		return nil
	}
	if node == t.Selected.Node {
		node = ""
	}
	answers := before.Suppose(t.Entity.Key(), node)
	for i := range slices.Backward(answers) {
		if slices.Equal(answers[i].Feasible, feasible) {
			return &answers[i]
		}
	}
	return nil
}

// feasibleOf are the indexes of the nodes among which kube-scheduler chose one; nil where none was.
func feasibleOf(t *trace.Try) []int32 {
	switch {
	case t.Selected == nil || t.Matrix == nil:
		return nil
	case t.Scores != nil:
		return t.Scores.Index
	}
	return []int32{int32(slices.Index(t.Matrix.Nodes, t.Selected.Node))}
}
