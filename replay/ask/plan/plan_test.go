package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/ask/plan"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/play/manager"
	"github.com/schedstep/schedstep/replay/source/importer/templates"
)

// failing is what a test and a law can end with.
type failing interface {
	Fatalf(format string, values ...any)
}

// fleet is the cluster of a manifest after all its pods were placed.
func fleet(t *testing.T, f failing, manifest string) *plan.Fleet {
	return fleetUnder(t, f, manifest, config.Default())
}

func fleetUnder(t *testing.T, f failing, manifest string, c *config.Config) *plan.Fleet {
	path := filepath.Join(t.TempDir(), "cluster.yaml")
	if err := os.WriteFile(path, []byte(manifest), 0o600); err != nil {
		f.Fatalf("%v", err)
	}
	in, err := input.Read(t.Context(), []string{path}, input.Options{Templates: templates.Options{Controllers: true}})
	if err != nil {
		f.Fatalf("%v\n%s", err, manifest)
	}
	p := in.Play(c, 0, trace.Reported)
	for {
		if _, ok := p.Step(); !ok {
			break
		}
	}
	p.CutLog()
	return &plan.Fleet{Player: p, Workloads: in.Workloads, Timing: manager.DefaultTiming()}
}

func node(name, zone, cpu string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Node
metadata: {name: %[1]s, labels: {kubernetes.io/hostname: %[1]s, topology.kubernetes.io/zone: %[2]s}}
status: {allocatable: {cpu: "%[3]s", memory: 8Gi, pods: "20"}, capacity: {cpu: "%[3]s", memory: 8Gi, pods: "20"}}
---
`, name, zone, cpu)
}

func workload(kind, name string, replicas int, cpu, more string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: %s
metadata: {name: %[2]s, namespace: shop}
spec:
  replicas: %d
  selector: {matchLabels: {app: %[2]s}}
  template:
    metadata: {labels: {app: %[2]s}}
    spec:
%[5]s      containers: [{name: main, image: web, resources: {requests: {cpu: "%[4]s"}}}]
---
`, kind, name, replicas, cpu, more)
}

func budget(name string, least int) string {
	return fmt.Sprintf(`apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: %[1]s, namespace: shop}
spec: {minAvailable: %d, selector: {matchLabels: {app: %[1]s}}}
---
`, name, least)
}

const apart = `      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [
        {labelSelector: {matchLabels: {app: db}}, topologyKey: kubernetes.io/hostname}]}}
`

func three(cpu string) string {
	return node("n1", "a", cpu) + node("n2", "b", cpu) + node("n3", "c", cpu)
}

func drained(t *testing.T, manifest string, d plan.Drain) plan.Plan {
	t.Helper()
	p, err := fleet(t, t, manifest).Drain(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// codes are the reasons of the steps that are refused.
func codes(p plan.Plan) string {
	var all []string
	for _, s := range p.Steps {
		if s.Refused != nil {
			all = append(all, s.Refused.Code)
		}
	}
	return strings.Join(all, " ")
}

func TestADrainEndsAsTheClusterAllows(t *testing.T) {
	for _, test := range []struct {
		name, manifest string
		drain          plan.Drain
		verdict        plan.Verdict
		codes          string
		unlock         string
	}{
		{
			"room and a budget with slack", three("4") + workload("Deployment", "web", 3, "1", "") + budget("web", 2),
			plan.Drain{},
			plan.Done, "", "",
		},
		{"no room", three("4") + workload("Deployment", "web", 3, "3", ""), plan.Drain{}, plan.Pending, "", ""},
		{
			"a budget of all replicas", three("4") + workload("Deployment", "web", 1, "1", "") + budget("web", 1),
			plan.Drain{Nodes: []string{"n1", "n2"}},
			plan.Blocked, "budget", "--replicas=2",
		},
		{
			"a budget that may ask for one less", three("4") + workload("Deployment", "web", 1, "1", "") + budget("web", 1),
			plan.Drain{Nodes: []string{"n1", "n2"}},
			plan.Blocked, "budget", `"path":"/spec/minAvailable","value":0`,
		},
		{"a budget of all replicas that are apart", three("4") + workload("StatefulSet", "db", 3, "1", apart) +
			budget("db", 3), plan.Drain{}, plan.Blocked, "budget", ""},
		{
			"replicas that are apart on all nodes", three("4") + workload("StatefulSet", "db", 3, "1", apart),
			plan.Drain{},
			plan.Pending, "", "",
		},
		{"two budgets", three("4") + workload("Deployment", "web", 3, "1", "") + budget("web", 1) +
			strings.Replace(budget("web", 1), "name: web,", "name: too,", 1), plan.Drain{}, plan.Blocked, "two-budgets", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := test.drain
			if d.Nodes == nil {
				d.Nodes = []string{"n1"}
			}
			for _, atOnce := range []bool{false, true} {
				d.AtOnce = atOnce
				p := drained(t, test.manifest, d)
				if p.Verdict != test.verdict || codes(p) != test.codes {
					t.Errorf("at once %t: %s %s, want %s %s\n%+v", atOnce, p.Verdict, codes(p), test.verdict, test.codes, p.Steps)
				}
				unlocks := fmt.Sprint(p.Unlocks)
				if test.unlock != "" && !strings.Contains(unlocks, test.unlock) {
					t.Errorf("unlocks %s, want %s", unlocks, test.unlock)
				}
			}
		})
	}
}

func TestAPodThatNothingMakesAgainKeepsItsNodeWhole(t *testing.T) {
	lone := `apiVersion: v1
kind: Pod
metadata: {name: lone, namespace: shop, uid: u1}
spec: {nodeName: n1, containers: [{name: main, image: web}]}
status: {phase: Running}
`
	manifest := node("n1", "a", "4") + node("n2", "b", "4") + lone
	kept := drained(t, manifest, plan.Drain{Nodes: []string{"n1"}})
	if kept.Verdict != plan.Blocked || codes(kept) != "unmanaged" {
		t.Errorf("%s %s", kept.Verdict, codes(kept))
	}
	if len(kept.Unlocks) != 1 || kept.Unlocks[0].Flag != "--force" {
		t.Errorf("unlocks %+v", kept.Unlocks)
	}
	if p := drained(t, manifest, plan.Drain{Nodes: []string{"n1"}, Force: true}); p.Verdict != plan.Done {
		t.Errorf("with force %s %s", p.Verdict, codes(p))
	}
}

func TestALossIsMadeGoodWhereThereIsRoom(t *testing.T) {
	f := fleet(t, t, three("4")+workload("Deployment", "web", 6, "1", "")+workload("StatefulSet", "db", 3, "1", apart))
	lost, err := f.Lose(t.Context(), plan.Loss{What: "zone=b"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(lost.Nodes) != 1 || lost.Verdict != plan.Pending || len(lost.Pending) != 1 ||
		!strings.HasPrefix(lost.Pending[0].Pod, "shop/db-") {
		t.Errorf("%+v", lost)
	}
	stays, err := f.Lose(t.Context(), plan.Loss{What: "zone=b", Stays: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	last := stays.Moments[len(stays.Moments)-1]
	if last.Stuck == 0 || last.Pending != 0 {
		t.Errorf("nothing confirms that the pods of n2 have stopped, so they are stuck: %+v", stays.Moments)
	}
	if _, err := f.Lose(t.Context(), plan.Loss{What: "zone=x"}, nil); err == nil {
		t.Error("a zone that is not there is lost")
	}
}

// TestALossThatIsStoppedKeepsItsFirstRun stops it in each of its runs.
func TestALossThatIsStoppedKeepsItsFirstRun(t *testing.T) {
	f := fleet(t, t, three("4")+workload("Deployment", "web", 6, "1", ""))
	stopped, cancel := context.WithCancel(t.Context())
	lost, err := f.Lose(stopped, plan.Loss{What: "zone=b"}, func(int) { cancel() })
	if !errors.Is(err, context.Canceled) || lost.Runs != 1 || len(lost.Moments) == 0 || lost.Pods != 2 {
		t.Errorf("%v after the first run: %+v", err, lost)
	}
	if lost, err = f.Lose(stopped, plan.Loss{What: "zone=b"}, nil); err == nil || lost.Runs != 0 {
		t.Errorf("%v before it, with %d runs", err, lost.Runs)
	}
}

func TestADrainOfManyNodesIsNamedByTheFirst(t *testing.T) {
	manifest, names := "", []string{}
	for i := range 12 {
		names = append(names, fmt.Sprintf("n%d", i))
		manifest += node(names[i], "a", "1")
	}
	f := fleet(t, t, manifest)
	for n, want := range map[int]string{2: "drain n0 n1", 12: "drain n0 n1 n2 ... (12)"} {
		p, err := f.Drain(t.Context(), plan.Drain{Nodes: names[:n]}, nil)
		if err != nil || p.Goal != want {
			t.Errorf("%v: %q, not %q", err, p.Goal, want)
		}
	}
}

// inB are lines of a template: its pods prefer zone b.
const inB = `      affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, preference:
        {matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [b]}]}}]}}
`

// TestALossPromisesNothingThatChanceDecides loses n2, where both workloads are. small comes to n1 or n3, which are
// equal; big fits on n3 alone, where small is not.
func TestALossPromisesNothingThatChanceDecides(t *testing.T) {
	inBOrC := strings.TrimSuffix(strings.TrimSpace(inB), "}}") + `, requiredDuringSchedulingIgnoredDuringExecution:
        {nodeSelectorTerms: [{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [b, c]}]}]}}}
`
	manifest := node("n1", "a", "2") + node("n2", "b", "4") + node("n3", "c", "2") +
		workload("Deployment", "a-small", 1, "1", inB) + workload("Deployment", "b-big", 1, "2", "      "+inBOrC)
	lost, err := fleet(t, t, manifest).Lose(t.Context(), plan.Loss{What: "zone=b"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lost.Verdict != plan.Pending || lost.Least != 0 || lost.Most != 1 || len(lost.Pending) != 1 ||
		!strings.HasPrefix(lost.Pending[0].Pod, "shop/b-big") || lost.Pending[0].Sure != "tie" {
		t.Errorf("%+v", lost)
	}
	if big := lost.Workloads[1]; !strings.Contains(big.Owner, "b-big") || big.Now != 1 || big.Least != 0 {
		t.Errorf("%+v", lost.Workloads)
	}
}

// TestCapacityIsARangeWhereChanceDecides adds pods that all keep to the zone of the first. That comes to n1, which is
// alone in zone a, or to n2, beside which n3 has room for two more.
func TestCapacityIsARangeWhereChanceDecides(t *testing.T) {
	manifest := node("n1", "a", "4") + node("n2", "b", "4") + node("n3", "b", "2") +
		workload("Deployment", "web", 1, "1", `      schedulingGates: [{name: example.com/quota}]
      affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [
        {labelSelector: {matchLabels: {app: web}}, topologyKey: topology.kubernetes.io/zone}]}}
`)
	c, err := fleet(t, t, manifest).Capacity(t.Context(), "web", 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Least != 4 || c.Greatest != 5 || c.Verdict != plan.Pending {
		t.Errorf("%+v", c)
	}
}

func TestCapacityNamesWhatRunsOutFirst(t *testing.T) {
	f := fleet(t, t, three("4")+workload("Deployment", "web", 3, "1", ""))
	c, err := f.Capacity(t.Context(), "web", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Placed != 9 || c.Most != 9 || len(c.Lifts) == 0 || c.Lifts[0].What != "cpu" {
		t.Errorf("%+v", c)
	}
	if c, err = f.Capacity(t.Context(), "deployment/web", 4, nil); err != nil || c.Placed != 4 || c.Verdict != plan.Done {
		t.Errorf("%+v %v", c, err)
	}
	if _, err := f.Capacity(t.Context(), "nothing", 0, nil); err == nil {
		t.Error("a workload that is not there has a capacity")
	}
}

// text is a plan as JSON.
func text(f failing, p plan.Plan) string {
	b, err := json.Marshal(p)
	if err != nil {
		f.Fatalf("%v", err)
	}
	return string(b)
}

// drawnCluster is a random cluster.
func drawnCluster(r *rapid.T) string {
	manifest := ""
	nodes := rapid.IntRange(2, 5).Draw(r, "nodes")
	for n := range nodes {
		manifest += node(fmt.Sprintf("n%d", n), rapid.SampledFrom([]string{"a", "b"}).Draw(r, "zone"), "4")
	}
	for i, kind := range []string{"Deployment", "StatefulSet"} {
		name := []string{"web", "db"}[i]
		replicas := rapid.IntRange(1, 5).Draw(r, "replicas")
		manifest += workload(kind, name, replicas, rapid.SampledFrom([]string{"500m", "1"}).Draw(r, "cpu"), "")
		if rapid.Bool().Draw(r, "budget") {
			manifest += budget(name, rapid.IntRange(0, replicas).Draw(r, "least"))
		}
	}
	return manifest
}

// TestNoDrainBreaksABudgetAndEveryEvictedPodIsAccountedFor drains random clusters.
func TestNoDrainBreaksABudgetAndEveryEvictedPodIsAccountedFor(t *testing.T) {
	moved := 0
	law.CheckCostly(t, func(r *rapid.T) {
		manifest := drawnCluster(r)
		f := fleet(t, r, manifest)
		d := plan.Drain{Nodes: []string{"n0"}, AtOnce: rapid.Bool().Draw(r, "at once")}
		p, err := f.Drain(t.Context(), d, nil)
		if err != nil {
			r.Fatalf("%v", err)
		}
		again, _ := f.Drain(t.Context(), d, nil)
		if one, other := text(r, p), text(r, again); one != other {
			r.Fatalf("two runs of one plan differ\n%s\n%s", one, other)
		}
		for _, b := range p.Budgets {
			if b.Slack < 0 && p.Verdict == plan.Done {
				r.Fatalf("budget %s is broken\n%s", b.Name, manifest)
			}
		}
		for _, s := range p.Steps {
			if s.Pod != "" && s.Refused == nil && len(s.Moves) != 1 {
				r.Fatalf("%s is evicted and has %d successors\n%s", s.Pod, len(s.Moves), manifest)
			}
			moved += len(s.Moves)
		}
	})
	law.Met(t, moved > 0, "no pod moved")
}
