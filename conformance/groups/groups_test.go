package groups_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/groups"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
)

var cases = flag.Uint64("cases", 150, "how many clusters each test draws")

const gates = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true"

// ours runs the same cycle here.
func ours(t *testing.T, c groups.Cluster) (groups.Outcome, *trace.Cycle) {
	t.Helper()
	g, err := config.ParseGates(gates)
	if err != nil {
		t.Fatal(err)
	}
	o, cycle, err := groups.Native(g, trace.Summary, c)
	if err != nil {
		t.Fatal(err)
	}
	return o, cycle
}

// agree counts a cluster, and reports where the two outcomes differ; false: kube-scheduler had none.
func agree(t *testing.T, run *compare.Run, seed uint64, mine, yours groups.Outcome, err error) bool {
	t.Helper()
	run.Tally.Cases++
	run.Tally.Cycles++
	if err != nil {
		t.Errorf("seed %d: %v\nours: %+v", seed, err, mine)
		return false
	}
	if diff := cmp.Diff(yours, mine); diff != "" {
		run.Differences["group"]++
		t.Errorf("seed %d (-kube-scheduler +schedstep):\n%s", seed, diff)
	}
	return true
}

func TestGroupsEndAsInKubeScheduler(t *testing.T) {
	if err := groups.Gates(gates); err != nil {
		t.Fatal(err)
	}
	for _, zones := range []bool{false, true} {
		t.Run(fmt.Sprint("zones=", zones), func(t *testing.T) {
			run := compare.Run{Test: t.Name(), To: int(*cases), Differences: map[string]int{}}
			kinds := map[trace.Outcome]int{}
			evicting, chance := 0, 0
			for seed := range *cases {
				c := groups.Draw(rand.New(rand.NewPCG(seed, 1)), zones)
				mine, cycle := ours(t, c)
				if groups.ByChance(cycle) {
					chance++
					continue
				}
				yours, err := groups.Theirs(c, len(mine.Evicted))
				if !agree(t, &run, seed, mine, yours, err) {
					continue
				}
				kinds[cycle.Ended.Outcome]++
				if len(mine.Evicted) > 0 {
					evicting++
				}
			}
			if err := run.Save(); err != nil {
				t.Fatal(err)
			}
			t.Logf("%v, %d with evictions, %d left to chance", kinds, evicting, chance)
			if kinds[trace.Scheduled] == 0 || kinds[trace.NotSchedulable] == 0 || evicting == 0 && !zones {
				t.Errorf("the clusters show too little: %v, %d with evictions", kinds, evicting)
			}
		})
	}
}
