package compare_test

import (
	"testing"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/generate"
	"github.com/schedstep/schedstep/conformance/plays"
	"github.com/schedstep/schedstep/core/config"
)

// clusters is how many seeds a test plays where SCHEDSTEP_SEEDS is not set.
const clusters = 250

// TestCoreAnswersAsKubeSchedulerDoes plays drawn clusters under drawn
// configurations.
func TestCoreAnswersAsKubeSchedulerDoes(t *testing.T) {
	plays.Compare(t, clusters, plays.Under(config.Gates{}, plays.Drawn))
}

// TestScoresAreKubeSchedulers plays clusters in which most nodes are scored.
func TestScoresAreKubeSchedulers(t *testing.T) {
	tally := plays.Compare(t, clusters, plays.Under(config.Gates{}, plays.Roomy))
	if tally.Scores() < 50*tally.Cases {
		t.Errorf("%d cases gave %d scores only", tally.Cases, tally.Scores())
	}
}

// TestVolumesWithoutTheirFirstPluginsAreKubeSchedulers leaves out the plugins that reject broken claims before the
// other volume plugins run.
func TestVolumesWithoutTheirFirstPluginsAreKubeSchedulers(t *testing.T) {
	judged, err := compare.Without(nil, []string{"VolumeRestrictions", "VolumeBinding"})
	if err != nil {
		t.Fatal(err)
	}
	weights := generate.Only(40, generate.BrokenVolumes, generate.BoundVolumes, generate.EphemeralVolumes,
		generate.VolumeLimits, generate.Zones,
		generate.OtherChurn, generate.NodeChurn)
	plays.Compare(t, clusters, func(seed int) (compare.Play, error) {
		play := compare.OfCase(generate.WithWeights(weights).Example(seed), judged)
		play.Confirm = seed % 3
		return play, nil
	})
}
