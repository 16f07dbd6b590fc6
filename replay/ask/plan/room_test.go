package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/ask/plan"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/manager"
	"github.com/schedstep/schedstep/replay/play/request"
)

// placed is a pod of a controller that is on a node; without a node it waits.
func placed(kind, owner, name, node, cpu string, priority int) string {
	phase := "Pending"
	if node != "" {
		phase = "Running"
	}
	return fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata:
  name: %[3]s
  namespace: shop
  uid: uid-%[3]s
  labels: {app: %[2]s}
  ownerReferences: [{apiVersion: apps/v1, kind: %[1]s, name: %[2]s, uid: uid-%[2]s, controller: true}]
spec:
  nodeName: "%[4]s"
  priority: %[6]d
  containers: [{name: main, image: web, resources: {requests: {cpu: "%[5]s"}}}]
status: {phase: %[7]s}
---
`, kind, owner, name, node, cpu, priority, phase)
}

func lone(name, cpu string, priority int) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: shop, uid: uid-%[1]s}
spec:
  priority: %d
  containers: [{name: main, image: web, resources: {requests: {cpu: "%s"}}}]
---
`, name, priority, cpu)
}

func roomFor(t *testing.T, manifest string, of plan.RoomFor) plan.Room {
	t.Helper()
	r, err := fleet(t, t, manifest).Room(t.Context(), of, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// evicted are the pods that a plan evicts, in order.
func evicted(steps []plan.Step) []string {
	var all []string
	for i := range steps {
		if steps[i].Pod != "" {
			all = append(all, strings.TrimPrefix(steps[i].Pod, "shop/"))
		}
	}
	return all
}

func TestRoomIsMadeWithTheFewestEvictions(t *testing.T) {
	two := node("n1", "a", "4") + node("n2", "b", "4")
	full := two + placed("ReplicaSet", "web", "web-1", "n1", "2", 0) + placed("ReplicaSet", "api", "api-1", "n2", "2", 0)
	for _, test := range []struct {
		name, manifest string
		want           []string
		verdict        plan.Verdict
	}{
		{"one of them moves to the other node", full + lone("big", "4", 0), []string{"api-1"}, plan.Done},
		{"a budget allows the other one alone", full + budget("api", 1) + lone("big", "4", 0), []string{"web-1"}, plan.Done},
		{
			"a StatefulSet keeps its pod where a Deployment can move", two + placed("StatefulSet", "db", "db-0", "n2", "2", 0) +
				placed("ReplicaSet", "web", "web-1", "n1", "2", 0) + lone("big", "4", 0),
			[]string{"web-1"},
			plan.Done,
		},
		{"room for none", full + lone("big", "5", 0), nil, plan.Blocked},
		{
			"the pods in the way are of a higher priority", two + placed("ReplicaSet", "web", "web-1", "n1", "2", 9) +
				placed("ReplicaSet", "api", "api-1", "n2", "2", 9) + lone("big", "4", 0), nil, plan.Blocked,
		},
		{
			"a chain: one makes room for another", node("n1", "a", "4") + node("n2", "b", "4") + node("n3", "c", "2") +
				placed("ReplicaSet", "web", "web-1", "n1", "3", 0) + placed("ReplicaSet", "api", "api-1", "n2", "2", 0) +
				lone("big", "4", 0), []string{"api-1"}, plan.Done,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := roomFor(t, test.manifest, plan.RoomFor{Workload: "big"})
			if got := evicted(r.Steps); !slices.Equal(got, test.want) || r.Verdict != test.verdict || !r.Exact {
				t.Errorf("%s %v exact %t, want %s %v\n%+v", r.Verdict, got, r.Exact, test.verdict, test.want, r)
			}
			if r.Verdict == plan.Done && r.Pods[0].To == "" {
				t.Errorf("big has no node: %+v", r.Pods)
			}
		})
	}
}

func TestRoomOfAPodThatIsBeingDeletedIsSeen(t *testing.T) {
	going := strings.NewReplacer("name: old,", `name: old, deletionTimestamp: "2026-01-01T00:01:00Z",
  deletionGracePeriodSeconds: 60,`, "spec:\n", "spec:\n  nodeName: n1\n").Replace(lone("old", "2", 0))
	r := roomFor(t, node("n1", "a", "2")+going+lone("big", "2", 0), plan.RoomFor{Workload: "big"})
	if r.Verdict != plan.Done || len(evicted(r.Steps)) != 0 || r.Pods[0].To != "n1" {
		t.Errorf("%s %v %+v", r.Verdict, evicted(r.Steps), r.Pods)
	}
}

// world is a cluster with its controllers, for a search of its own.
type world struct{ p *play.Player }

// do carries a request out, and goes on until the cluster is quiet.
func (w world) do(q request.Request) bool {
	events, err := q.Do(manager.ObjectsOf(w.p), w.p.Scheduler().Now())
	if err != nil {
		return false
	}
	for _, e := range events {
		w.p.Deliver(e)
	}
	w.settle()
	return true
}

func (w world) settle() {
	for {
		if _, ok := w.p.Step(); !ok {
			return
		}
	}
}

// pods are how many pods have a node, and how many have none.
func (w world) pods() (with, without int) {
	w.p.Scheduler().State().EachPod(func(p *cluster.Pod) bool {
		if p.NodeName == "" {
			without++
		} else if p.API.DeletionTimestamp == nil {
			with++
		}
		return true
	})
	return with, without
}

// opened is the world of a fleet at its moment.
func opened(f *plan.Fleet) world {
	w := world{f.Player.Branch()}
	timing := manager.DefaultTiming()
	w.p.Manage(manager.New(timing, f.Workloads, w.p.Scheduler().State()))
	w.settle()
	w.p.Advance(w.p.Scheduler().Now().Add(10 * time.Second))
	return w
}

// fewest is the lowest number of evictions, at most so many, after which every pod has a node: by trying all, in every
// order, with no node cordoned, or one, or both.
func fewest(f *plan.Fleet, nodes, victims []string, most int) int {
	base := opened(f)
	with, without := base.pods()
	var try func(w world, held []string, left int, used map[string]bool) bool
	try = func(w world, held []string, left int, used map[string]bool) bool {
		if left == 0 {
			end := world{w.p.Branch()}
			for _, n := range held {
				end.do(request.Uncordon(n))
			}
			end.settle()
			now, waits := end.pods()
			return waits == 0 && now == with+without
		}
		for _, v := range victims {
			if used[v] {
				continue
			}
			next := world{w.p.Branch()}
			if !next.do(request.Evict("shop", v)) {
				continue
			}
			used[v] = true
			done := try(next, held, left-1, used)
			delete(used, v)
			if done {
				return true
			}
		}
		return false
	}
	for size := range most + 1 {
		for mask := range 1 << len(nodes) {
			var held []string
			w := world{base.p.Branch()}
			for i, n := range nodes {
				if mask>>i&1 == 1 {
					held = append(held, n)
					w.do(request.Cordon(n))
				}
			}
			if len(held) <= size && try(w, held, size, map[string]bool{}) {
				return size
			}
		}
	}
	return -1
}

// TestNoFewerEvictionsMakeRoom compares the search with one through everything.
func TestNoFewerEvictionsMakeRoom(t *testing.T) {
	sizes := map[int]int{}
	law.CheckCostly(t, func(r *rapid.T) {
		cpu := map[string]string{}
		for _, set := range []string{"db", "web"} {
			cpu[set] = rapid.SampledFrom([]string{"1", "1500m", "2"}).Draw(r, "cpu")
		}
		manifest, nodes, victims, count := "", []string{}, []string{}, map[string]int{}
		for n := range rapid.IntRange(2, 3).Draw(r, "nodes") {
			name := fmt.Sprintf("n%d", n)
			nodes = append(nodes, name)
			manifest += node(name, "a", "4")
			for range rapid.IntRange(1, 2).Draw(r, "pods") {
				set := rapid.SampledFrom([]string{"web", "db"}).Draw(r, "of")
				kind := map[string]string{"web": "ReplicaSet", "db": "StatefulSet"}[set]
				pod := fmt.Sprintf("%s-%d", set, count[set])
				count[set]++
				victims = append(victims, pod)
				manifest += placed(kind, set, pod, name, cpu[set], 0)
			}
		}
		if rapid.Bool().Draw(r, "budget") {
			manifest += budget("web", rapid.IntRange(0, 2).Draw(r, "least"))
		}
		manifest += lone("big", rapid.SampledFrom([]string{"2", "3", "4"}).Draw(r, "big"), 0)
		f := fleet(t, r, manifest)
		if with, _ := opened(f).pods(); with == len(victims)+1 {
			sizes[0]++
			return // it fits already
		}
		got, err := f.Room(t.Context(), plan.RoomFor{Workload: "big", Most: 2}, nil)
		if err != nil {
			r.Fatalf("%v", err)
		}
		found := -1
		if got.Verdict != plan.Blocked {
			found = len(evicted(got.Steps))
		}
		if want := fewest(f, nodes, victims, 2); found != want || !got.Exact {
			r.Fatalf("%d evictions, by brute force %d; exact %t\n%s\n%s", found, want, got.Exact, text(r, got.Plan), manifest)
		}
		for _, b := range got.Budgets {
			if got.Verdict == plan.Done && b.Slack < 0 {
				r.Fatalf("budget %s is broken\n%s", b.Name, manifest)
			}
		}
		sizes[found]++
	})
	law.Met(t, sizes[1] > 0, "no story was settled by an eviction: %v", sizes)
	t.Logf("evictions: %v", sizes)
}
