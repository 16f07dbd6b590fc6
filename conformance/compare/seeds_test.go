package compare_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/generate"
)

// The range of seeds: SCHEDSTEP_SEEDS=from:to replaces the default for long runs.
func seeds(t *testing.T) (from, to int) {
	t.Helper()
	from, to = 0, 250
	if said := os.Getenv("SCHEDSTEP_SEEDS"); said != "" {
		first, last, _ := strings.Cut(said, ":")
		var err, other error
		from, err = strconv.Atoi(first)
		to, other = strconv.Atoi(last)
		if err != nil || other != nil {
			t.Fatalf("SCHEDSTEP_SEEDS=%s: not from:to", said)
		}
	}
	return from, to
}

// TestCoreAnswersAsKubeSchedulerDoes plays drawn clusters under drawn
// configurations.
func TestCoreAnswersAsKubeSchedulerDoes(t *testing.T) {
	compareAll(t, func(seed int) compare.Play { return playOf(t, seed) })
}

// TestScoresAreKubeSchedulers plays roomy clusters, in which most nodes are
// feasible and so are scored; every fourth has more nodes than are searched for.
func TestScoresAreKubeSchedulers(t *testing.T) {
	tally := compareAll(t, func(seed int) compare.Play { return roomy(t, seed) })
	if tally.Scores() < 50*tally.Cases {
		t.Errorf("%d cases gave %d scores only", tally.Cases, tally.Scores())
	}
}

// TestVolumesWithoutTheirFirstPluginsAreKubeSchedulers leaves out the plugins that
// reject broken claims before the other volume plugins are asked about them.
func TestVolumesWithoutTheirFirstPluginsAreKubeSchedulers(t *testing.T) {
	judged, err := compare.Without(nil, []string{"VolumeRestrictions", "VolumeBinding"})
	if err != nil {
		t.Fatal(err)
	}
	weights := generate.Only(40, generate.BrokenVolumes, generate.BoundVolumes, generate.EphemeralVolumes,
		generate.VolumeLimits, generate.Zones,
		generate.OtherChurn, generate.NodeChurn)
	compareAll(t, func(seed int) compare.Play {
		play := compare.OfCase(generate.WithWeights(weights).Example(seed), judged)
		play.Confirm = seed % 3
		return play
	})
}

// compareAll plays the seeds and reports the first difference of every kind. The
// tally goes to the log, and into a file where SCHEDSTEP_TALLIES says.
func compareAll(t *testing.T, playOf func(seed int) compare.Play) *compare.Tally {
	t.Helper()
	from, to := seeds(t)
	tally := &compare.Tally{}
	shown := map[string]int{}
	for seed := from; seed < to; seed++ {
		play := playOf(seed)
		differences, err := play.Run(tally)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		for _, d := range differences {
			shown[d.Kind()]++
			if shown[d.Kind()] == 1 {
				report(t, seed, play, d)
			}
		}
	}
	t.Logf("seeds %d to %d\n%s", from, to, tally)
	if len(shown) > 0 {
		t.Errorf("differences by kind: %v", shown)
	}
	run := compare.Run{Test: t.Name(), From: from, To: to, Differences: shown, Tally: *tally}
	if err := run.Save(); err != nil {
		t.Fatal(err)
	}
	return tally
}

// roomy is a cluster in which most pods find a node.
func roomy(t *testing.T, seed int) compare.Play {
	t.Helper()
	weights := generate.Only(45, generate.Images, generate.PreferredNodeAffinity, generate.SoftSpread,
		generate.PreferredPodAffinity, generate.Taints,
		generate.Tolerations, generate.Owners)
	for f, weight := range map[generate.Feature]int{
		generate.Zones: 100, generate.MissingLabels: 15, generate.Namespaces: 15, generate.OddQuantities: 15,
		generate.Priorities: 15, generate.PodAffinity: 5,
		generate.DelayedVolumes: 15, generate.StorageCapacity: 50, generate.BoundVolumes: 10, generate.Devices: 10,
		generate.ExtendedDevices:   15,
		generate.ExtendedResources: 10, generate.NodeChurn: 20, generate.PodChurn: 20, generate.OtherChurn: 20,
	} {
		weights[f] = weight
	}
	if seed%4 == 0 {
		weights[generate.Large] = 100
	}
	return under(t, seed, generate.WithWeights(weights).Example(seed))
}

// playOf is the play of a seed.
func playOf(t *testing.T, seed int) compare.Play {
	t.Helper()
	return under(t, seed, generate.Cases().Example(seed))
}

// under is the play of a case: every second has a drawn configuration, every
// third sees placed pods late.
func under(t *testing.T, seed int, c generate.Case) compare.Play {
	t.Helper()
	var configuration []byte
	if seed%2 == 1 {
		configuration = generate.Configurations().Example(seed)
	}
	judged, _, err := compare.Judged(configuration)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, configuration)
	}
	play := compare.OfCase(c, judged)
	play.Confirm = seed % 3
	return play
}

// report makes the case of a difference small and writes it to where
// SCHEDSTEP_REPORTS says, or to the log.
func report(t *testing.T, seed int, play compare.Play, d compare.Difference) {
	t.Helper()
	small, differences := compare.Shrink(play, d.Kind(), 150)
	for _, other := range differences {
		if other.Kind() == d.Kind() {
			d = other
			break
		}
	}
	document := "# configuration: " + string(small.Configuration) + "\n" + compare.Document(small.Script)
	if into := os.Getenv("SCHEDSTEP_REPORTS"); into != "" {
		path := filepath.Join(into, strings.ReplaceAll(d.Kind(), " ", "_")+".yaml")
		if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
			t.Fatal(err)
		}
		document = "see " + path
	}
	t.Errorf("seed %d, confirmed after %d cycles, %d events: %s\n%s", seed, small.Confirm, len(small.Script), d, document)
}
