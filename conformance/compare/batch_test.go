package compare_test

import (
	"testing"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/plays"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
)

// TestScoresAreReusedAsKubeSchedulerDoes plays clusters in which pods are like
// those before them.
func TestScoresAreReusedAsKubeSchedulerDoes(t *testing.T) {
	tally := plays.Compare(t, clusters, plays.Under(config.Gates{}, plays.Alike))
	if tally.Reused < tally.Cases {
		t.Errorf("%d cases reused scores %d times only", tally.Cases, tally.Reused)
	}
}

// TestWrongReuseIsFound has scores reused that are not to be, and kept that are not kept.
func TestWrongReuseIsFound(t *testing.T) {
	for name, tamper := range map[string]func(*trace.Try){
		"a hint that is not taken": func(c *trace.Try) {
			if c.Batch != nil {
				c.Batch.Hint = nil
			}
		},
		"scores of another order": func(c *trace.Try) {
			if c.Batch != nil && c.Batch.Kept != nil && len(c.Batch.Kept.Nodes) > 1 {
				kept := c.Batch.Kept.Nodes
				kept[0], kept[1] = kept[1], kept[0]
			}
		},
	} {
		found := false
		for seed := 0; seed < 40 && !found; seed++ {
			play := plays.Of(t, seed, plays.Alike)
			play.Tamper.Cycle = tamper
			var tally compare.Tally
			differences, err := play.Run(&tally)
			if err != nil {
				t.Fatal(err)
			}
			found = len(differences) > 0
		}
		if !found {
			t.Errorf("%s: nobody notices", name)
		}
	}
}
