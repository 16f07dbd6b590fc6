package groups_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/groups"
	"github.com/schedstep/schedstep/core/trace"
)

// TestGroupsShareClaimsAsInKubeScheduler compares also what each claim has in the end. The binding cycles of members,
// which kube-scheduler runs side by side, run one after the other.
func TestGroupsShareClaimsAsInKubeScheduler(t *testing.T) {
	if err := groups.Gates(gates); err != nil {
		t.Fatal(err)
	}
	for _, zones := range []bool{false, true} {
		t.Run(fmt.Sprint("zones=", zones), func(t *testing.T) {
			run := compare.Run{Test: t.Name(), To: int(*cases), Differences: map[string]int{}}
			kinds := map[trace.Outcome]int{}
			shown := map[string]int{}
			for seed := range *cases {
				c := groups.DrawWithClaims(rand.New(rand.NewPCG(seed, 2)), zones)
				mine, cycle := ours(t, c)
				if groups.ByChance(cycle) {
					shown["chance"]++
					continue
				}
				yours, err := groups.Theirs(c, len(mine.Evicted))
				if err == nil && anyOfTheirs(mine, yours, c) {
					shown["chance"]++
					continue
				}
				if !agree(t, &run, seed, mine, yours, err) {
					continue
				}
				kinds[cycle.Ended.Outcome]++
				count(shown, mine)
			}
			if err := run.Save(); err != nil {
				t.Fatal(err)
			}
			t.Logf("%v, %v", kinds, shown)
			for _, what := range []string{"allocated elsewhere", "not available", "shared", "kept for others"} {
				if shown[what] == 0 {
					t.Errorf("no cluster shows %q: %v", what, shown)
				}
			}
		})
	}
}

// anyOfTheirs reports whether chance decides when a claim was taken back: a member has a second one that is shared and
// has no devices, which kube-scheduler may choose and write as it is; or preemption comes next, and may or may not see
// the devices free already.
func anyOfTheirs(mine, yours groups.Outcome, c groups.Cluster) bool {
	free := map[string]bool{}
	taken := ""
	for _, claim := range c.Claims {
		free[claim.Name] = claim.Status.Allocation == nil && strings.HasPrefix(claim.Name, "shared")
		if claim.Status.Allocation != nil && len(claim.Status.ReservedFor) == 0 && mine.Claims[claim.Name] == " for " {
			taken = claim.Name
		}
	}
	if failed := strings.Contains(mine.Condition+yours.Condition, "SchedulerError"); taken == "" || !failed {
		return taken != ""
	}
	for _, p := range c.Pods {
		other, has := false, false
		for _, use := range p.Spec.ResourceClaims {
			other, has = other || free[*use.ResourceClaimName], has || *use.ResourceClaimName == taken
		}
		if other && has {
			return true
		}
	}
	return false
}

// count notes what an outcome shows.
func count(shown map[string]int, o groups.Outcome) {
	all := ""
	for _, message := range o.Failed {
		all += message
	}
	for what, text := range map[string]string{
		"allocated elsewhere": "got allocated elsewhere", "not available": "resourceclaim not available on the node",
		"in flight": "in the process of being allocated",
	} {
		if strings.Contains(all, text) {
			shown[what]++
		}
	}
	for _, name := range []string{"shared-a", "shared-b"} {
		users := strings.Fields(o.Claims[name])
		if i := slices.Index(users, "for"); len(users)-i > 2 {
			shown["shared"]++
			if slices.Contains(users, "other") {
				shown["kept for others"]++
			}
		}
	}
}
