package plays

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/core/config"
)

// Draw is the play of a seed.
type Draw func(seed int) (compare.Play, error)

// Under is a draw of this package under the gates of a release.
func Under(gates config.Gates, draw func(int, config.Gates) (compare.Play, error)) Draw {
	return func(seed int) (compare.Play, error) { return draw(seed, gates) }
}

// Of is the play of a seed under the default gates of the newest release.
func Of(t *testing.T, seed int, draw func(int, config.Gates) (compare.Play, error)) compare.Play {
	t.Helper()
	play, err := draw(seed, config.Gates{})
	if err != nil {
		t.Fatal(err)
	}
	return play
}

// Seeds is the range of seeds of a test: SCHEDSTEP_SEEDS=from:to replaces the default for long runs.
func Seeds(t *testing.T, byDefault int) (from, to int) {
	t.Helper()
	from, to = 0, byDefault
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

// Compare plays the seeds and reports the first difference of every kind. The tally goes to the log, and into a file in
// the folder SCHEDSTEP_TALLIES.
func Compare(t *testing.T, byDefault int, draw Draw) *compare.Tally {
	t.Helper()
	from, to := Seeds(t, byDefault)
	tally := &compare.Tally{}
	shown := map[string]int{}
	for seed := from; seed < to; seed++ {
		play, err := draw(seed)
		if err != nil {
			t.Fatal(err)
		}
		differences, err := play.Run(tally)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		for _, d := range differences {
			shown[d.Kind()]++
			if shown[d.Kind()] == 1 {
				Report(t, seed, play, d)
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

// Report makes the case of a difference small and writes it to the folder SCHEDSTEP_REPORTS, or to the log.
func Report(t *testing.T, seed int, play compare.Play, d compare.Difference) {
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
		path := filepath.Join(into, strings.NewReplacer(" ", "_", "/", "_").Replace(d.Kind())+".yaml")
		if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
			t.Fatal(err)
		}
		document = "see " + path
	}
	t.Errorf("seed %d, confirmed after %d cycles, %d events: %s\n%s", seed, small.Confirm, len(small.Script), d, document)
}
