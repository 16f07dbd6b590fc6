package oracle_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/conformance/oracle"
)

func TestAssumedPodTakesItsRoomUntilForgotten(t *testing.T) {
	o := ask(t, node("n", "", resources("cpu", "4", "memory", "8Gi")))
	first, second := pod("first", resources("cpu", "3")), pod("second", resources("cpu", "3"))
	if got := schedule(t, o, first).Decision.Host; got != "n" {
		t.Fatalf("first pod went to %q", got)
	}
	if err := o.Assume(first, "n"); err != nil {
		t.Fatal(err)
	}
	if got := schedule(t, o, second).Decision.FitError; got != "0/1 nodes are available: 1 Insufficient cpu." {
		t.Errorf("while assumed: %q", got)
	}
	if err := o.Put(running(first, "n", 0)); err != nil {
		t.Fatal(err)
	}
	if got := schedule(t, o, second).Decision.FitError; got != "0/1 nodes are available: 1 Insufficient cpu." {
		t.Errorf("once bound: %q", got)
	}
	if err := o.Remove(first); err != nil {
		t.Fatal(err)
	}
	if got := schedule(t, o, second).Decision.Host; got != "n" {
		t.Errorf("after the deletion: %q", got)
	}
	if err := o.Assume(second, "n"); err != nil {
		t.Fatal(err)
	}
	if err := o.Forget("default/second"); err != nil {
		t.Fatal(err)
	}
	if got := schedule(t, o, pod("third", resources("cpu", "4"))).Decision.Host; got != "n" {
		t.Errorf("after forgetting: %q", got)
	}
}

func TestPodThatMovedIsAnotherPod(t *testing.T) {
	o := ask(
		t, node("n", "", resources("cpu", "4", "memory", "8Gi")), node("m", "", resources("cpu", "4", "memory", "8Gi")),
	)
	moving := pod("moving", resources("cpu", "3"))
	for _, at := range []string{"n", "m"} {
		if err := o.Put(running(moving, at, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if got := schedule(t, o, pod("p", resources("cpu", "2"))).Decision.Host; got != "n" {
		t.Errorf("beside it: %q", got)
	}
}

func TestNominatedPodReservesRoomAgainstLowerPriorities(t *testing.T) {
	o := ask(t, node("n", "", resources("cpu", "4", "memory", "8Gi")))
	nominated := pod("nominated", resources("cpu", "3"))
	*nominated.Spec.Priority = 10
	nominated.Status.NominatedNodeName = "n"
	if err := o.Put(nominated); err != nil {
		t.Fatal(err)
	}
	answer := schedule(t, o, pod("p", resources("cpu", "2")))
	if got := answer.Decision.FitError; got != "0/1 nodes are available: 1 Insufficient cpu." {
		t.Errorf("got %q", got)
	}
	want := oracle.Verdict{Plugin: "NodeResourcesFit", Code: "Unschedulable", Reasons: []string{"Insufficient cpu"}}
	if diff := cmp.Diff(want, answer.Nodes[0].Filters[5]); diff != "" {
		t.Errorf("alone (-want +got):\n%s", diff)
	}
	if got := schedule(t, o, nominated).Decision; got.Host != "n" {
		t.Errorf("the nominated pod itself: %+v", got)
	}
}

func TestNodeChangesReachTheNextCycle(t *testing.T) {
	n := node("n", "", resources("cpu", "1", "memory", "8Gi"))
	o := ask(t, n)
	p := pod("p", resources("cpu", "2"))
	if got := schedule(t, o, p).Decision.Host; got != "" {
		t.Fatalf("went to %q", got)
	}
	grown := n.DeepCopy()
	grown.Status.Allocatable = resources("cpu", "2", "memory", "8Gi", "pods", "110")
	if err := o.Put(grown); err != nil {
		t.Fatal(err)
	}
	if got := schedule(t, o, p).Decision.Host; got != "n" {
		t.Errorf("after the node grew: %q", got)
	}
	if err := o.Remove(grown); err != nil {
		t.Fatal(err)
	}
	if got := schedule(t, o, p).Decision.Error; got != "no nodes available to schedule pods" {
		t.Errorf("after the node left: %q", got)
	}
}

func TestGatedPodSaysWhatItWaitsFor(t *testing.T) {
	o := ask(t, node("n", "", resources("cpu", "1", "memory", "8Gi")))
	p := pod("p", nil)
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "foo"}, {Name: "bar"}}
	want := []oracle.Verdict{
		{Plugin: "DefaultPreemption", Code: "Success"},
		{Plugin: "DynamicResources", Code: "Success"},
		{
			Plugin: "SchedulingGates", Code: "UnschedulableAndUnresolvable",
			Reasons: []string{"waiting for scheduling gates: [foo bar]"},
		},
	}
	if diff := cmp.Diff(want, schedule(t, o, p).PreEnqueue); diff != "" {
		t.Errorf("PreEnqueue (-want +got):\n%s", diff)
	}
}

func TestConfigurationChoosesPluginsAndSampling(t *testing.T) {
	o := askWith(t, `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    multiPoint:
      disabled: [{name: "*"}]
      enabled: [{name: PrioritySort}, {name: NodeResourcesFit}, {name: DefaultBinder}]
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}
`, node("n", "", resources("cpu", "4", "memory", "8Gi")), node("m", "", resources("cpu", "8", "memory", "8Gi")))
	answer := schedule(t, o, pod("p", resources("cpu", "2")))
	if answer.Decision.Host != "n" || scoreOf(t, answer, "n", "NodeResourcesFit").Raw != 50 ||
		scoreOf(t, answer, "m", "NodeResourcesFit").Raw != 25 {
		t.Errorf("got %+v", answer)
	}
	if got := schedule(
		t, o, pod("q", resources("cpu", "9")),
	).Decision; got.FitErrorAfter != "0/2 nodes are available: 2 Insufficient cpu." {
		t.Errorf("without DefaultPreemption: %+v", got)
	}
}
