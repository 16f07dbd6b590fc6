package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/ask/plan"
)

func upgraded(t *testing.T, f failing, manifest string, of plan.UpgradeOf) plan.Upgraded {
	of.Starts = 90 * time.Second
	u, err := fleet(t, f, manifest).Upgrade(t.Context(), of, nil)
	if err != nil {
		f.Fatalf("%v", err)
	}
	return u
}

// wavesOf are the old and the new nodes of each wave.
func wavesOf(u plan.Upgraded) string {
	text := ""
	for _, w := range u.Waves {
		text += fmt.Sprintf("%v%v%d ", w.Nodes, w.New, w.Moves)
	}
	return text
}

func TestAPoolIsReplacedWaveByWave(t *testing.T) {
	all := []string{"n1", "n2", "n3"}
	pods := placed("ReplicaSet", "web", "web-0", "n1", "3", 0) + placed("ReplicaSet", "web", "web-1", "n2", "3", 0) +
		placed("ReplicaSet", "web", "web-2", "n3", "3", 0)
	for _, test := range []struct {
		name, manifest string
		of             plan.UpgradeOf
		waves          string
		verdict        plan.Verdict
	}{
		{
			"a surge of one", three("4") + pods,
			plan.UpgradeOf{Surge: 1},
			"[n1][n1-new]1 [n2][n2-new]1 [n3][n3-new]1 ", plan.Done,
		},
		{"a surge of two", three("4") + pods, plan.UpgradeOf{Surge: 2}, "[n1 n2][n1-new n2-new]2 [n3][n3-new]1 ", plan.Done},
		{
			"one that is unavailable", three("4") + pods,
			plan.UpgradeOf{Unavailable: 1},
			"[n1][n1-new]1 [n2][n2-new]1 [n3][n3-new]1 ", plan.Done,
		},
		{
			"a node that has the name of a new one", three("4") + node("n1-new", "a", "1") + pods,
			plan.UpgradeOf{Surge: 1},
			"[n1][n1-new-2]1 [n2][n2-new]1 [n3][n3-new]1 ", plan.Done,
		},
		{"a budget of all", three("8") + pods + budget("web", 3), plan.UpgradeOf{Surge: 1}, "[n1][n1-new]0 ", plan.Blocked},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.of.Nodes = all
			u := upgraded(t, t, test.manifest, test.of)
			if wavesOf(u) != test.waves || u.Verdict != test.verdict {
				t.Errorf("%s %s, want %s %s\n%+v", u.Verdict, wavesOf(u), test.verdict, test.waves, u.Pending)
			}
			if test.verdict == plan.Blocked && (len(u.Left) != 3 || u.Waves[0].Blocked == nil || len(u.Unlocks) == 0) {
				t.Errorf("left %v, %+v, unlocks %+v", u.Left, u.Waves[0].Blocked, u.Unlocks)
			}
			if test.of.Unavailable == 1 && (len(u.Waves[0].Waits) != 1 || u.Waves[0].Waits[0].Seconds < 90) {
				t.Errorf("no pod waits for the new node: %+v", u.Waves[0].Waits)
			}
		})
	}
}

// TestAnUpgradeThatEndsHasReplacedEveryNode upgrades random pools: no budget is broken, old nodes are gone, nobody is
// lost.
func TestAnUpgradeThatEndsHasReplacedEveryNode(t *testing.T) {
	done := 0
	law.CheckCostly(t, func(r *rapid.T) {
		manifest, nodes := "", []string{}
		for n := range rapid.IntRange(1, 4).Draw(r, "nodes") {
			nodes = append(nodes, fmt.Sprintf("n%d", n))
			manifest += node(nodes[n], "a", "4")
		}
		replicas := rapid.IntRange(1, 4).Draw(r, "replicas")
		manifest += workload("Deployment", "web", replicas, "1", "")
		if rapid.Bool().Draw(r, "budget") {
			manifest += budget("web", rapid.IntRange(0, replicas).Draw(r, "least"))
		}
		of := plan.UpgradeOf{Nodes: nodes, Surge: rapid.IntRange(0, 2).Draw(r, "surge")}
		if of.Unavailable = rapid.IntRange(0, 2).Draw(r, "unavailable"); of.Surge+of.Unavailable == 0 {
			of.Surge = 1
		}
		u := upgraded(t, r, manifest, of)
		var old, fresh []string
		for _, w := range u.Waves {
			if len(w.Nodes) > of.Surge+of.Unavailable {
				r.Fatalf("%d nodes at once\n%s", len(w.Nodes), manifest)
			}
			old, fresh = append(old, w.Nodes...), append(fresh, w.New...)
		}
		for _, b := range u.Budgets {
			if b.Slack < 0 && u.Verdict == plan.Done {
				r.Fatalf("budget %s is broken\n%s", b.Name, manifest)
			}
		}
		if u.Verdict != plan.Done {
			return
		}
		done++
		if !slices.Equal(old, nodes) || len(fresh) != len(nodes) || len(u.Left) != 0 {
			r.Fatalf("%v replaced by %v, left %v, of %v\n%s", old, fresh, u.Left, nodes, manifest)
		}
	})
	law.Met(t, done > 0, "no upgrade ended")
}

func TestANodeThatIsWrittenWithoutANumberOfPodsAdmitsTheUsualNumber(t *testing.T) {
	written := func(status string) string {
		return "apiVersion: v1\nkind: Node\nmetadata: {name: t}\nstatus: " + status + "\n"
	}
	f := fleet(t, t, node("n1", "a", "2")+workload("Deployment", "web", 1, "1", ""))
	for status, assumed := range map[string]bool{
		`{allocatable: {cpu: "4", memory: 16Gi}}`:                        true,
		`{capacity: {cpu: "4", memory: 16Gi, pods: 9}}`:                  false,
		`{allocatable: {cpu: "4", memory: 16Gi}, capacity: {pods: "9"}}`: false,
	} {
		like, err := plan.ReadNode([]byte(written(status)))
		if err != nil {
			t.Fatal(err)
		}
		u, err := f.Upgrade(t.Context(), plan.UpgradeOf{Nodes: []string{"n1"}, Surge: 1, New: plan.NewNode{Like: like}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Contains(fmt.Sprint(u.Assumed), "1 kind of new nodes is written without a number of pods")
		if u.Verdict != plan.Done || said != assumed {
			t.Errorf("%s: %s %v", status, u.Verdict, u.Assumed)
		}
	}
	for _, bad := range []string{written("{}"), strings.Replace(written(`{capacity: {cpu: 1}}`), "Node", "Pod", 1)} {
		if _, err := plan.ReadNode([]byte(bad)); err == nil || err.Error() != "it is no Node with status.allocatable" {
			t.Errorf("%v", err)
		}
	}
}
