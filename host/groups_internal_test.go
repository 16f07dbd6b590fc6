package host

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	drawn "github.com/schedstep/schedstep/conformance/groups"
	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

const groupGates = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true"

// gateGroups sets the gates of pod groups for kube-scheduler, until the test is over.
func gateGroups(t *testing.T) config.Gates {
	t.Helper()
	if err := drawn.Gates(groupGates); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := drawn.Gates("TopologyAwareWorkloadScheduling=false,GenericWorkload=false"); err != nil {
			t.Error(err)
		}
	})
	gates, err := config.ParseGates(groupGates)
	if err != nil {
		t.Fatal(err)
	}
	return gates
}

// groupDraws are the clusters that are drawn.
var groupDraws = []struct {
	name  string
	of    func(*rand.Rand, bool) drawn.Cluster
	zones bool
	salt  uint64
}{
	{"nodes", drawn.Draw, false, 1},
	{"zones", drawn.Draw, true, 1},
	{"claims", drawn.DrawWithClaims, false, 2},
	{"claims and zones", drawn.DrawWithClaims, true, 2},
}

// hostedGroup runs the cycle of a group with kube-scheduler's own plugins hosted, except for those of leave.
func hostedGroup(
	t *testing.T, gates config.Gates, c drawn.Cluster, twist func(string, any) any, leave ...string,
) (drawn.Outcome, *trace.Cycle, map[string]int) {
	t.Helper()
	calls := map[string]int{}
	s, err := hostedScheduler(leave, func(s *core.Scheduler) {
		homeOf(s.State().Companion()).twist = func(what string, answer any) any {
			calls[what]++
			if twist != nil {
				return twist(what, answer)
			}
			return answer
		}
	})(nil, gates, drawn.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	o, cycle, err := drawn.Ours(s, c)
	if err != nil {
		t.Fatal(err)
	}
	for _, note := range s.GuestNotes() {
		if !strings.HasPrefix(note, "TopologyPlacementGenerator at PlacementGenerate: it answered otherwise") { // by a map
			t.Errorf("a note: %s", note)
		}
	}
	homeOf(s.State().Companion()).live.close()
	return o, cycle, calls
}

// nativeGroup runs it with our own plugins.
func nativeGroup(t *testing.T, gates config.Gates, c drawn.Cluster) (drawn.Outcome, *trace.Cycle) {
	t.Helper()
	o, cycle, err := drawn.Native(gates, trace.Full, c)
	if err != nil {
		t.Fatal(err)
	}
	return o, cycle
}

// TestGroupsEndTheSameWithHostedPlugins draws clusters with a group that waits, and compares what one cycle comes to
// with our own plugins, with those of kube-scheduler hosted, and in kube-scheduler.
func TestGroupsEndTheSameWithHostedPlugins(t *testing.T) {
	gates := gateGroups(t)
	calls := map[string]int{}
	for _, draw := range groupDraws {
		t.Run(draw.name, func(t *testing.T) {
			from, to := seeds(t, 40)
			kinds, found := map[trace.Outcome]int{}, 0
			evicting, chance := 0, 0
			for seed := from; seed < to; seed++ {
				c := draw.of(rand.New(rand.NewPCG(uint64(seed), draw.salt)), draw.zones)
				mine, cycle := nativeGroup(t, gates, c)
				hosted, _, called := hostedGroup(t, gates, c, nil)
				for what, n := range called {
					calls[what] += n
				}
				if drawn.ByChance(cycle) || takenBack(c, mine) || raced(mine) && raced(hosted) {
					chance++
					continue
				}
				theirs, err := drawn.Theirs(c, len(mine.Evicted))
				if err != nil {
					t.Errorf("seed %d: %v", seed, err)
					continue
				}
				for who, other := range map[string]drawn.Outcome{"schedstep's own plugins": mine, "kube-scheduler": theirs} {
					if diff := cmp.Diff(other, hosted); diff != "" && found < 6 {
						found++
						t.Errorf("seed %d (-%s +hosted):\n%s", seed, who, diff)
					}
				}
				kinds[cycle.Ended.Outcome]++
				if len(mine.Evicted) > 0 {
					evicting++
				}
			}
			t.Logf("%v, %d with evictions, %d left to chance", kinds, evicting, chance)
		})
	}
	for _, what := range []string{
		"DefaultPreemption PodGroupPostFilter", "DynamicResources PodGroupPostFilter",
		"TopologyPlacementGenerator PlacementGenerate", "PodGroupPodsCount ScorePlacement",
		"PodGroupPodsCount NormalizePlacementScore", "NodeResourcesFit ScorePlacement", "GangScheduling PlacementFeasible",
	} {
		t.Logf("%s: %d calls", what, calls[what])
		if calls[what] == 0 {
			t.Errorf("%s was never called", what)
		}
	}
}

// raced reports whether members bound for a claim that only one of them could have. kube-scheduler binds them side by
// side, so that which is first is chance; groups.Theirs binds one after the other.
func raced(o drawn.Outcome) bool {
	for _, message := range o.Failed {
		if strings.Contains(message, "got allocated elsewhere in the meantime") {
			return true
		}
	}
	return false
}

// takenBack reports whether a claim was taken back, by whose hand and which is chance in kube-scheduler.
func takenBack(c drawn.Cluster, mine drawn.Outcome) bool {
	for _, claim := range c.Claims {
		if claim.Status.Allocation != nil && len(claim.Status.ReservedFor) == 0 && mine.Claims[claim.Name] == " for " {
			return true
		}
	}
	return false
}

// plantedInGroups are changes of the adapter at the extension points of groups.
var plantedInGroups = map[string]func(string, any) any{
	"PodGroupPostFilter": emptying("DefaultPreemption PodGroupPostFilter"),
	"GeneratePlacements": emptying("TopologyPlacementGenerator PlacementGenerate"),
	"ScorePlacement": func(what string, answer any) any {
		if what == "NodeResourcesFit ScorePlacement" { // the other way round
			v := reflect.New(reflect.TypeOf(answer)).Elem()
			v.Set(reflect.ValueOf(answer))
			v.FieldByName("Score").SetInt(framework.MaxNodeScore - v.FieldByName("Score").Int())
			return v.Interface()
		}
		return answer
	},
	"NormalizePlacementScore": emptying("PodGroupPodsCount NormalizePlacementScore"),
	"PlacementFeasible": func(what string, answer any) any {
		if v, is := answer.(trace.Verdict); is && what == "GangScheduling PlacementFeasible" && v.Code == trace.Wait {
			return trace.Verdict{Code: trace.Unschedulable, Reasons: v.Reasons}
		}
		return answer
	},
	"Reserve in a trial": refusing(" Reserve"),
}

// TestPlantedChangesAtGroupsAreFound shows that the comparison above would find an adapter that is wrong.
func TestPlantedChangesAtGroupsAreFound(t *testing.T) {
	gates := gateGroups(t)
	for _, what := range slices.Sorted(maps.Keys(plantedInGroups)) {
		t.Run(what, func(t *testing.T) {
			for seed := range 400 {
				for _, draw := range groupDraws[:2] {
					c := draw.of(rand.New(rand.NewPCG(uint64(seed), draw.salt)), draw.zones)
					mine, cycle := nativeGroup(t, gates, c)
					if drawn.ByChance(cycle) {
						continue
					}
					if hosted, _, _ := hostedGroup(t, gates, c, plantedInGroups[what]); !cmp.Equal(mine, hosted) {
						t.Logf("found by seed %d of %s", seed, draw.name)
						return
					}
				}
			}
			t.Error("it was not found")
		})
	}
}
