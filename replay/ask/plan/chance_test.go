package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/ask/plan"
)

// onNode is a pod of a ReplicaSet that runs on a node.
func onNode(name, set, node, cpu, more string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata:
  name: %[1]s
  namespace: shop
  uid: %[1]s
  labels: {app: %[2]s}
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: %[2]s, uid: %[2]s, controller: true}]
spec:
  nodeName: %[3]s
%[5]s  containers: [{name: main, image: web, resources: {requests: {cpu: "%[4]s"}}}]
status: {phase: Running, startTime: "2026-01-05T08:00:00Z", conditions: [{type: Ready, status: "True"}]}
---
`, name, set, node, cpu, more)
}

func setOf(name string, replicas int, cpu, more string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: %[1]s, namespace: shop, uid: %[1]s}
spec:
  replicas: %d
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec:
%[4]s      containers: [{name: main, image: web, resources: {requests: {cpu: "%[3]s"}}}]
---
`, name, replicas, cpu, more)
}

// A pod of cache has the pod of queue or that of mail go, as chance has it, and only the one of queue uses up the
// budget that the next eviction needs.
func TestABlockThatChanceDecidesIsMarked(t *testing.T) {
	const high = "  priority: 100\n  preemptionPolicy: PreemptLowerPriority\n"
	manifest := three("4") +
		onNode("cache-1", "cache", "n2", "2", high) + setOf("cache", 1, "2", "    "+high) +
		onNode("queue-1", "queue", "n1", "4", "") + onNode("queue-2", "queue", "n2", "2", "") +
		setOf("queue", 2, "2", "") + budget("queue", 1) +
		onNode("mail-1", "mail", "n3", "4", "") + setOf("mail", 1, "4", "")
	p := drained(t, manifest, plan.Drain{Nodes: []string{"n2"}})
	var marked *plan.Step
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Pod == "shop/queue-2" {
			marked = s
		}
	}
	if p.Verdict != plan.Blocked || marked == nil || marked.RefusedIn == "" || len(p.MayPreempt) != 2 {
		t.Fatalf("%+v", p)
	}
	if marked.Refused == nil && (marked.MayRefuse == nil || marked.MayRefuse.Code != "budget") {
		t.Errorf("%+v", marked)
	}
}

// kube-scheduler reports first that the pod is not placed, and evicts the other one afterwards.
func TestCapacityNamesThePodThatTheNextOneHasEvicted(t *testing.T) {
	const low, web = "  priority: -10\n", "  priority: 0\n"
	manifest := node("n1", "a", "4") +
		onNode("web-1", "web", "n1", "1", web) + setOf("web", 1, "1", "    "+web) +
		onNode("batch-1", "batch", "n1", "2", low) + setOf("batch", 1, "2", "    "+low)
	c, err := fleet(t, t, manifest).Capacity(t.Context(), "web", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Placed != 1 || len(c.Evicts) != 1 || c.Evicts[0] != "shop/batch-1" {
		t.Errorf("%+v", c)
	}
}

// Two controllers make a pod at the same moment, and there is room for one of them: which it is, is chance.
func TestALossThatControllersRaceAfterIsARange(t *testing.T) {
	manifest := node("n1", "a", "4") + node("n2", "b", "4") +
		onNode("web-1", "web", "n1", "2", "") + setOf("web", 1, "2", "") +
		onNode("mail-1", "mail", "n1", "2", "") + setOf("mail", 1, "2", "") +
		onNode("rest-1", "rest", "n2", "2", "") + setOf("rest", 1, "2", "")
	l, err := fleet(t, t, manifest).Lose(t.Context(), plan.Loss{What: "node=n1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	least := map[string]int{}
	for _, w := range l.Workloads {
		least[w.Owner] = w.Least
	}
	both := least["ReplicaSet shop/web"] + least["ReplicaSet shop/mail"]
	if l.Least != 1 || l.Most != 1 || len(l.Pending) != 2 || both > 0 {
		t.Errorf("%+v", l)
	}
}

// The pods of a zone that is silent as a whole are evicted, of one that is half silent and small they are not.
func TestAZoneThatIsSilentAsAWholeIsEvicted(t *testing.T) {
	for _, zone := range []struct {
		fourth string
		ready  int
	}{{"a", 3}, {"b", 0}} {
		manifest := node("n0", zone.fourth, "8")
		for _, n := range []string{"1", "2", "3"} {
			manifest += node("n"+n, "b", "4") + onNode("web-"+n, "web", "n"+n, "1", "")
		}
		manifest += node("n4", "c", "8") + setOf("web", 3, "1", "")
		for _, n := range []string{"n1", "n2", "n3"} {
			manifest = strings.Replace(manifest, "hostname: "+n+",", "hostname: "+n+", lost: now,", 1)
		}
		l, err := fleet(t, t, manifest).Lose(t.Context(), plan.Loss{What: "lost=now", Stays: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Nodes) != 3 || len(l.Workloads) != 1 || l.Workloads[0].Now != zone.ready {
			t.Errorf("the zone of the fourth node is %s: %+v", zone.fourth, l)
		}
	}
}
