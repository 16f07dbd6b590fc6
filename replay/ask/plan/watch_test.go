package plan_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/ask/plan"
)

// Where a pod evicts one of several that are as good, kube-scheduler leaves to chance which: it takes the first of a
// map. (Seen on a real control plane, where a drain ended on another node than one that was certain.)
func TestANodeThatPreemptionChoseAmongEqualsIsNotCertain(t *testing.T) {
	class := func(name string, value int) string {
		return fmt.Sprintf(`apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: %s}
value: %d
---
`, name, value)
	}
	f := fleet(t, t, three("2")+class("low", -10)+class("high", 100)+
		workload("Deployment", "web", 1, "1500m", "      priorityClassName: high\n")+
		workload("Deployment", "batch", 2, "1500m", "      priorityClassName: low\n"))
	on := ""
	f.Player.Scheduler().State().EachPod(func(p *cluster.Pod) bool {
		if p.API.Labels["app"] == "web" {
			on = p.NodeName
		}
		return true
	})
	p, err := f.Drain(t.Context(), plan.Drain{Nodes: []string{on}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	moved := false
	for _, s := range p.Steps {
		for _, m := range s.Moves {
			if moved = true; m.Sure != "tie" || len(m.Among) != 2 || !slices.Contains(m.Among, m.To) {
				t.Errorf("%+v", m)
			}
		}
	}
	if !moved || len(p.Preempts)+len(p.MayPreempt) != 2 {
		t.Errorf("%+v", p)
	}
}
