package releases_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/conformance/plays"
	"github.com/schedstep/schedstep/conformance/releases"
	"github.com/schedstep/schedstep/conformance/wire"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
)

// clusters is how many seeds of each kind are played where SCHEDSTEP_SEEDS is not set.
const clusters = 40

// draws are the kinds of clusters, by name.
var draws = []struct {
	name string
	draw func(int, config.Gates) (compare.Play, error)
}{
	{"Crowded", plays.Crowded}, // the quickest
	{"Roomy", plays.Roomy},
	{"Drawn", plays.Drawn},
	{"Restless", plays.Restless},
	{"Alike", plays.Alike},
	{"SharedDevices", plays.SharedDevices},
}

// TestCoreAnswersAsEachRelease plays the same clusters as package compare does, ours by the table of a release and
// beside the kube-scheduler of that release.
func TestCoreAnswersAsEachRelease(t *testing.T) {
	for _, version := range asked() {
		t.Run(version, func(t *testing.T) {
			o := begun(t, version)
			for _, d := range draws {
				t.Run(d.name, func(t *testing.T) {
					tally := plays.Compare(t, clusters, o.draw(d.draw))
					if tally.Cycles < tally.Cases {
						t.Errorf("%d clusters gave %d cycles only", tally.Cases, tally.Cycles)
					}
				})
			}
		})
	}
}

// asked is the releases that SCHEDSTEP_RELEASES names, separated by spaces; the newest alone where it is not set.
func asked() []string {
	if said := strings.Fields(os.Getenv("SCHEDSTEP_RELEASES")); len(said) > 0 {
		return said
	}
	return releases.Versions()[:1]
}

// other is a release on both sides.
type other struct {
	program *wire.Program
	release *release.Release
	gates   config.Gates
}

// begun starts the oracle of a release.
func begun(t *testing.T, version string) *other {
	t.Helper()
	table, is := release.Find(version)
	if !is {
		t.Fatalf("core has no table of kube-scheduler %s", version)
	}
	path, err := releases.Build(t.Context(), "..", version, "../../bin")
	if err != nil {
		t.Fatal(err)
	}
	program, err := wire.Start(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := program.Close(); err != nil {
			t.Error(err)
		}
	})
	return &other{program: program, release: table, gates: gatesOf(t, table)}
}

func gatesOf(t *testing.T, table *release.Release) config.Gates {
	t.Helper()
	gates, err := config.ParseGatesOf(table, "")
	if err != nil {
		t.Fatal(err)
	}
	return gates
}

// draw is a draw whose other side is the release's own.
func (o *other) draw(draw func(int, config.Gates) (compare.Play, error)) plays.Draw {
	return func(seed int) (compare.Play, error) {
		play, err := draw(seed, o.gates)
		if err != nil {
			return play, err
		}
		play.Theirs = func(configuration []byte) (compare.KubeScheduler, error) {
			return o.program.Begin(configuration, "")
		}
		play.Script, _, err = compare.Known(o.program, play.Script)
		return play, err
	}
}

// TestTablesNameThePluginsOfEachRelease holds the default profile of a table to that of the release: the same plugins
// at every extension point, in the same order and with the same weights.
func TestTablesNameThePluginsOfEachRelease(t *testing.T) {
	for _, version := range asked() {
		t.Run(version, func(t *testing.T) {
			o := begun(t, version)
			theirs, err := o.program.Begin(nil, "")
			if err != nil {
				t.Fatal(err)
			}
			ours := config.DefaultWith(config.Options{Gates: o.gates})
			points := 0
			for _, e := range ours.Expanded {
				their := theirs.Expansion(e.SchedulerName)
				for _, at := range e.Points {
					want, known := their[string(at.Point)]
					if !known {
						continue // those of pod groups
					}
					points++
					if got := at.Plugins; !slices.EqualFunc(got, want, same) {
						t.Errorf("%s:\nkube-scheduler %s: %v\nschedstep: %v", at.Point, version, want, got)
					}
				}
			}
			if points < 10 {
				t.Errorf("%d extension points compared", points)
			}
		})
	}
}

// otherwise are gates that have another default in a patch, whose setting this build does not have (the Gaps of its
// table).
var otherwise = map[string][]string{"1.34.1": {"SchedulerAsyncAPICalls"}}

// TestTablesNameTheGatesOfEachRelease holds every feature gate of a table to the registry of the release.
func TestTablesNameTheGatesOfEachRelease(t *testing.T) {
	for _, version := range asked() {
		t.Run(version, func(t *testing.T) {
			o := begun(t, version)
			theirs, err := o.program.Features()
			if err != nil {
				t.Fatal(err)
			}
			for _, gate := range o.release.Gates {
				i := slices.IndexFunc(theirs, func(g oracle.Gate) bool { return g.Name == gate.Name })
				switch {
				case i < 0:
					t.Errorf("kube-scheduler %s has no feature gate %s", version, gate.Name)
				case theirs[i].On != gate.On && !slices.Contains(otherwise[version], gate.Name):
					t.Errorf("%s is %t by default in kube-scheduler %s, and %t in our table", gate.Name, theirs[i].On,
						version, gate.On)
				case theirs[i].Locked != gate.Locked:
					t.Errorf("%s: locked is %t in kube-scheduler %s, and %t in our table", gate.Name, theirs[i].Locked,
						version, gate.Locked)
				}
			}
		})
	}
}

func same(ours config.Enabled, theirs oracle.Enabled) bool {
	return ours.Name == theirs.Name && ours.Weight == theirs.Weight
}
