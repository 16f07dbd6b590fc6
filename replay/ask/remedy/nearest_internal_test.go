package remedy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/session"
)

// TestTheNearestNodesTellAllThatAFullExaminationTells compares the examination that requests advice about few nodes
// with the one that requests all of it.
func TestTheNearestNodesTellAllThatAFullExaminationTells(t *testing.T) {
	compared := 0
	law.Check(t, func(t *rapid.T) {
		p, err := told(t, crowded(t)).At().Trial()
		if err != nil {
			t.Fatalf("%v", err)
		}
		facts, err := p.Scheduler().Examine("default/web")
		if err != nil {
			return // it has a node
		}
		c, _ := trace.Fold(facts)
		whole, tried := c.Try("default/web")
		few, near := examined(p, "default/web")
		if !tried || few == nil || few.Matrix == nil {
			return
		}
		for _, i := range near {
			compared++
			want, got := session.BrokenOn(whole.Matrix, i), session.BrokenOn(few.Matrix, i)
			if d := cmp.Diff(want, got, cmp.Comparer(func(a, b trace.Value) bool { return a.String() == b.String() })); d != "" {
				t.Fatalf("node %s (-all +near):\n%s", few.Matrix.Nodes[i], d)
			}
		}
	})
	law.Met(t, compared >= 50, "only %d nodes were compared", compared)
}
