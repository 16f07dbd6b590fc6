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
// configurations, without the plugins that core does not judge with.
func TestCoreAnswersAsKubeSchedulerDoes(t *testing.T) {
	from, to := seeds(t)
	tally := &compare.Tally{}
	shown := map[string]int{}
	for seed := from; seed < to; seed++ {
		play := playOf(t, seed)
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
}

// unsettled are the features about which core is known to differ as long as it
// does not judge with DynamicResources: the free devices behind an extended
// resource count in the scores of NodeResourcesFit.
var unsettled = []generate.Feature{generate.ExtendedDevices}

// playOf is the play of a seed: every second has a drawn configuration, every
// third sees placed pods late.
func playOf(t *testing.T, seed int) compare.Play {
	t.Helper()
	var configuration []byte
	if seed%2 == 1 {
		configuration = generate.Configurations().Example(seed)
	}
	judged, _, err := compare.Judged(configuration)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, configuration)
	}
	play := compare.OfCase(generate.Without(unsettled...).Example(seed), judged)
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
