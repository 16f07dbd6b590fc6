package plan_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/ask/plan"
	"github.com/schedstep/schedstep/replay/play/request"
)

func packed(t *testing.T, f failing, manifest string, of plan.PackOf) (plan.Packed, *plan.Fleet) {
	fl := fleet(t, f, manifest)
	p, err := fl.Pack(t.Context(), of, nil)
	if err != nil {
		f.Fatalf("%v", err)
	}
	return p, fl
}

func emptiedOf(p plan.Packed) string {
	var all []string
	for _, e := range p.Emptied {
		all = append(all, fmt.Sprintf("%s %d", e.Node, e.Moves))
	}
	return fmt.Sprint(all)
}

func TestNodesAreEmptiedWhereTheOthersHaveRoom(t *testing.T) {
	pods := placed("ReplicaSet", "web", "web-0", "n1", "1", 0) + placed("ReplicaSet", "web", "web-1", "n2", "1", 0) +
		placed("ReplicaSet", "web", "web-2", "n3", "1", 0)
	p, _ := packed(t, t, three("4")+pods, plan.PackOf{})
	if emptiedOf(p) != "[n1 1 n2 1]" || p.AtMost != 2 || !p.Exact || p.Verdict != plan.Done || len(p.Kept)+p.Unseen != 1 {
		t.Errorf("%s of %d, exact %t, %s\n%+v", emptiedOf(p), p.AtMost, p.Exact, p.Verdict, p.Kept)
	}
	if p.Moves.Found != 2 {
		t.Errorf("%d moves: a pod comes to a node that is emptied after", p.Moves.Found)
	}
	p, _ = packed(t, t, three("4")+pods+budget("web", 3), plan.PackOf{})
	if len(p.Emptied) != 0 || p.Verdict != plan.Blocked || len(p.Kept) != 3 || p.Kept[0].Code != "budget" {
		t.Errorf("%s\n%+v", p.Verdict, p.Kept)
	}
	p, _ = packed(t, t, three("4")+pods, plan.PackOf{Nodes: []string{"n3"}})
	if emptiedOf(p) != "[n3 1]" {
		t.Errorf("of n3 alone: %s", emptiedOf(p))
	}
	bare := three("4") + lone("one", "1", 0)
	if p, _ = packed(t, t, bare, plan.PackOf{}); len(p.Emptied) != 2 || p.Emptied[0].Moves != 0 {
		t.Errorf("two nodes are empty: %s", emptiedOf(p))
	}
	if p, _ = packed(t, t, bare, plan.PackOf{Force: true}); len(p.Emptied) != 3 {
		t.Errorf("with force: %s", emptiedOf(p))
	}
}

// mostEmptied is the highest number of nodes that can be drained one after the other with nobody left out, over all
// orders.
func mostEmptied(w world, left []string, users int) int {
	best := 0
	for i, n := range left {
		next := world{w.p.Branch()}
		if drains(next, n, users) {
			best = max(best, 1+mostEmptied(next, slices.Concat(left[:i:i], left[i+1:]), users))
		}
	}
	return best
}

// drains drains a node: pod by pod, those that are refused again after the others.
func drains(w world, name string, users int) bool {
	w.do(request.Cordon(name))
	for progress := true; progress; {
		progress = false
		n, _ := w.p.Scheduler().State().Node(name)
		var keys []string
		for _, p := range n.Pods {
			keys = append(keys, p.Name())
		}
		slices.Sort(keys)
		for _, key := range keys {
			progress = w.do(request.Evict("shop", key)) || progress
		}
	}
	n, _ := w.p.Scheduler().State().Node(name)
	with, without := w.pods()
	return len(n.Pods) == 0 && without == 0 && with == users
}

// TestEveryNodeOfAPackingReallyDrains drains the nodes of the answer in a world of its own, and looks for a longer
// list.
func TestEveryNodeOfAPackingReallyDrains(t *testing.T) {
	total := 0
	law.CheckCostly(t, func(r *rapid.T) {
		cpu := map[string]string{}
		for _, set := range []string{"db", "web"} {
			cpu[set] = rapid.SampledFrom([]string{"1", "1500m", "2"}).Draw(r, "cpu")
		}
		manifest, nodes, count := "", []string{}, map[string]int{}
		for n := range rapid.IntRange(2, 4).Draw(r, "nodes") {
			name := fmt.Sprintf("n%d", n)
			nodes = append(nodes, name)
			manifest += node(name, "a", "4")
			for range rapid.IntRange(0, 2).Draw(r, "pods") {
				set := rapid.SampledFrom([]string{"web", "db"}).Draw(r, "of")
				kind := map[string]string{"web": "ReplicaSet", "db": "StatefulSet"}[set]
				manifest += placed(kind, set, fmt.Sprintf("%s-%d", set, count[set]), name,
					cpu[set], 0)
				count[set]++
			}
		}
		if rapid.Bool().Draw(r, "budget") {
			manifest += budget("web", rapid.IntRange(0, 2).Draw(r, "least"))
		}
		p, f := packed(t, r, manifest, plan.PackOf{})
		users := count["web"] + count["db"]
		if most := mostEmptied(opened(f), nodes, users); len(p.Emptied) != most || !p.Exact || most > p.AtMost {
			r.Fatalf("%s of at most %d, exact %t; by brute force %d\n%s", emptiedOf(p), p.AtMost, p.Exact, most, manifest)
		}
		w := opened(f)
		for i := range p.Steps {
			if q, is := requestOf(&p.Steps[i]); is && !w.do(q) {
				r.Fatalf("step %d is refused: %s\n%s", i+1, p.Steps[i].Kubectl, manifest)
			}
		}
		for _, e := range p.Emptied {
			if n, _ := w.p.Scheduler().State().Node(e.Node); len(n.Pods) > 0 {
				r.Fatalf("%s still has %s\n%s", e.Node, n.Pods[0].Key, manifest)
			}
		}
		if with, without := w.pods(); with != users || without > 0 {
			r.Fatalf("%d pods with a node, %d without, of %d\n%s", with, without, users, manifest)
		}
		for _, b := range p.Budgets {
			if b.Slack < 0 && len(p.Emptied) > 0 {
				r.Fatalf("budget %s is broken\n%s", b.Name, manifest)
			}
		}
		total += len(p.Emptied)
	})
	law.Met(t, total > 0, "no node was emptied")
}

// requestOf is the request of a step, read from what it prints.
func requestOf(s *plan.Step) (request.Request, bool) {
	var node string
	if n, _ := fmt.Sscanf(s.Kubectl, "kubectl cordon %s", &node); n == 1 {
		return request.Cordon(node), true
	}
	if n, _ := fmt.Sscanf(s.Kubectl, "kubectl uncordon %s", &node); n == 1 {
		return request.Uncordon(node), true
	}
	if s.Pod != "" && s.Refused == nil {
		return request.Evict("shop", s.Pod[len("shop/"):]), true
	}
	return request.Request{}, false
}
