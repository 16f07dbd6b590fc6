package compare_test

import (
	"testing"

	"github.com/schedstep/schedstep/conformance/plays"
	"github.com/schedstep/schedstep/core/config"
)

// TestPreemptionChoosesAsKubeSchedulerDoes plays crowded clusters, into which
// more important pods come one after the other.
func TestPreemptionChoosesAsKubeSchedulerDoes(t *testing.T) {
	tally := plays.Compare(t, clusters, plays.Under(config.Gates{}, plays.Crowded))
	if cases := tally.Cases; tally.Candidates < cases || tally.Refusals < cases {
		t.Errorf("%d cases met %d candidates and %d refusals only", cases, tally.Candidates, tally.Refusals)
	}
}
