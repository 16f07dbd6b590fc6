package oracle_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedstep/schedstep/conformance/oracle"
)

func TestDefaultProfileExpandsToTheKnownPlugins(t *testing.T) {
	o := ask(t)
	filters := []string{
		"NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit",
		"VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone", "PodTopologySpread",
		"InterPodAffinity", "DynamicResources", "NodeDeclaredFeatures",
	}
	want := map[string][]string{
		"PreEnqueue": {"SchedulingGates", "DynamicResources", "DefaultPreemption"},
		"PreFilter":  filters,
		"Filter":     filters,
		"PreScore": {
			"TaintToleration", "NodeAffinity", "NodeResourcesFit", "VolumeBinding", "PodTopologySpread",
			"InterPodAffinity", "NodeResourcesBalancedAllocation",
		},
		"Score": {
			"TaintToleration", "NodeAffinity", "NodeResourcesFit", "VolumeBinding", "PodTopologySpread",
			"InterPodAffinity", "DynamicResources", "NodeResourcesBalancedAllocation", "ImageLocality",
		},
	}
	for point, plugins := range want {
		if diff := cmp.Diff(plugins, o.Plugins(corev1.DefaultSchedulerName, point)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", point, diff)
		}
	}
}

func TestNodesAreListedRoundRobinByZone(t *testing.T) {
	var objects []runtime.Object
	for i := range 6 {
		objects = append(
			objects, node(fmt.Sprintf("n%d", i), fmt.Sprintf("z%d", i%3), resources("cpu", "4", "memory", "8Gi")),
		)
	}
	// Grouped by zone on arrival, so that only the round robin restores the order.
	objects = []runtime.Object{objects[0], objects[3], objects[1], objects[4], objects[2], objects[5]}
	answer := schedule(t, ask(t, objects...), pod("p", resources("cpu", "1")))
	var got []string
	for _, n := range answer.Nodes {
		got = append(got, n.Node)
	}
	if diff := cmp.Diff([]string{"n0", "n1", "n2", "n3", "n4", "n5"}, got); diff != "" {
		t.Errorf("snapshot order (-want +got):\n%s", diff)
	}
	if answer.Decision.Host != "n0" || len(answer.Decision.Best) != 6 || answer.Decision.HostByChance {
		t.Errorf("equal scores choose the first feasible node, got %+v", answer.Decision)
	}
}

func TestSampledCyclesStartWhereTheLastOneStopped(t *testing.T) {
	var objects []runtime.Object
	for i := range 5000 {
		objects = append(objects, node(fmt.Sprintf("n%04d", i), "", resources("cpu", "4", "memory", "8Gi")))
	}
	o := ask(t, objects...)
	for i, want := range []string{"n0000", "n0500", "n1000"} {
		answer := schedule(t, o, pod(fmt.Sprintf("p%d", i), resources("cpu", "1")))
		d := answer.Decision
		if d.Host != want || d.EvaluatedNodes != 500 || d.FeasibleNodes != 500 || d.StartIndex != i*500 {
			t.Errorf("cycle %d: got %s, evaluated %d, feasible %d, start %d; want %s, 500, 500, %d",
				i, d.Host, d.EvaluatedNodes, d.FeasibleNodes, d.StartIndex, want, i*500)
		}
	}
}

func TestBalancedAllocationPrefersWhatEvensOut(t *testing.T) {
	o := ask(
		t, node("n", "", resources("cpu", "4", "memory", "8Gi")), node("m", "", resources("cpu", "4", "memory", "8Gi")),
	)
	answer := schedule(t, o, pod("p", resources("cpu", "2", "memory", "1Gi")))
	if got := scoreOf(t, answer, "n", "NodeResourcesBalancedAllocation"); got.Raw != 65 || got.Weighted != 65 {
		t.Errorf("got %+v, want raw 65", got)
	}
}

func TestFitScoringIgnoresPodLevelResources(t *testing.T) {
	n := func(name string) *corev1.Node { return node(name, "", resources("cpu", "4", "memory", "8Gi")) }
	plain := pod("plain", nil)
	level := pod("level", nil)
	level.Spec.Resources = &corev1.ResourceRequirements{Requests: resources("cpu", "2")}
	o := ask(t, n("n"), n("m"))
	want := scoreOf(t, schedule(t, o, plain), "n", "NodeResourcesFit")
	got := scoreOf(t, schedule(t, o, level), "n", "NodeResourcesFit")
	if got != want {
		t.Errorf("pod-level cpu 2 scored %+v, an empty pod %+v", got, want)
	}
	level.Name, level.UID = "huge", "pod-huge"
	level.Spec.Resources.Requests = resources("cpu", "5")
	if d := schedule(t, o, level).Decision; d.FitError != "0/2 nodes are available: 2 Insufficient cpu." {
		t.Errorf("Filter must honour pod-level cpu 5, got %+v", d)
	}
}

func TestPodWithoutVolumesOrClaimsStillGetsZeroFromTheirScorers(t *testing.T) {
	o := ask(
		t, node("n", "", resources("cpu", "4", "memory", "8Gi")), node("m", "", resources("cpu", "4", "memory", "8Gi")),
	)
	answer := schedule(t, o, pod("p", resources("cpu", "1")))
	for _, plugin := range []string{"VolumeBinding", "DynamicResources"} {
		if got, want := scoreOf(t, answer, "n", plugin), (oracle.PluginScore{Plugin: plugin}); got != want {
			t.Errorf("got %+v, want zeros", got)
		}
	}
	want := []string{"InterPodAffinity", "NodeAffinity", "PodTopologySpread"}
	if diff := cmp.Diff(want, answer.PreScoreSkipped); diff != "" {
		t.Errorf("PreScore skips (-want +got):\n%s", diff)
	}
}

func TestFitErrorCountsReasonsAndSortsThemAsText(t *testing.T) {
	tainted := node("n0", "", resources("cpu", "1", "memory", "1Gi"))
	tainted.Spec.Taints = []corev1.Taint{{Key: "k", Effect: corev1.TaintEffectNoSchedule}}
	objects := []runtime.Object{tainted, node("n1", "", resources("cpu", "1", "memory", "1Gi"))}
	for i := range 4 {
		objects = append(objects, node(fmt.Sprintf("n%d", i+2), "", resources("cpu", "8", "memory", "1Gi")))
	}
	answer := schedule(t, ask(t, objects...), pod("p", resources("cpu", "4", "memory", "4Gi")))
	bare := "0/6 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), 5 Insufficient memory."
	after := bare + " preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling."
	if d := answer.Decision; d.FitError != bare || d.FitErrorAfter != after {
		t.Errorf("got %q\nand %q", d.FitError, d.FitErrorAfter)
	}
	// The framework stops at the taint; alone, the resources fail as well.
	want := []oracle.Verdict{
		{
			Plugin: "TaintToleration", Code: "UnschedulableAndUnresolvable",
			Reasons: []string{"node(s) had untolerated taint(s)"},
		},
		{
			Plugin: "NodeResourcesFit", Code: "UnschedulableAndUnresolvable",
			Reasons: []string{"Insufficient cpu", "Insufficient memory"},
		},
	}
	var failed []oracle.Verdict
	for _, v := range answer.Nodes[0].Filters {
		if v.Code != "Success" && v.Code != "Skip" {
			failed = append(failed, v)
		}
	}
	if diff := cmp.Diff(want, failed); diff != "" {
		t.Errorf("all verdicts on n0 (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[0], answer.Nodes[0].Framework); diff != "" {
		t.Errorf("framework's verdict on n0 (-want +got):\n%s", diff)
	}
}

func TestPreemptionNamesItsVictimsAndItsNode(t *testing.T) {
	var objects []runtime.Object
	for i := range 3 {
		name := fmt.Sprintf("n%04d", i)
		victim := running(pod("low-"+name, resources("cpu", "4")), name, int32(i+1))
		objects = append(objects, node(name, "", resources("cpu", "4", "memory", "8Gi")), victim)
	}
	o := ask(t, objects...)
	high := pod("high", resources("cpu", "4"))
	*high.Spec.Priority = 100
	answer := schedule(t, o, high)
	want := "0/3 nodes are available: 3 Insufficient cpu. preemption: found a potential placement for pod on node n0000, preempting 1 victims"
	if got := answer.Decision.FitErrorAfter; got != want {
		t.Errorf("got %q", got)
	}
	p := answer.Preemption
	if p.Nominated != "n0000" || len(p.Candidates) != 3 {
		t.Errorf("got %+v", p)
	}
	if diff := cmp.Diff([]string{"n0000"}, p.Tied); diff != "" {
		t.Errorf("tied (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"default/low-n0000"}, p.Candidates[0].Pods); diff != "" {
		t.Errorf("victims (-want +got):\n%s", diff)
	}
}

func TestImpossiblePreemptionExplainsEveryNode(t *testing.T) {
	tainted := node("n0", "", resources("cpu", "4", "memory", "8Gi"))
	tainted.Spec.Taints = []corev1.Taint{{Key: "k", Effect: corev1.TaintEffectNoSchedule}}
	o := ask(t, tainted,
		node("n1", "", resources("cpu", "4", "memory", "8Gi")), running(pod("a", resources("cpu", "4")), "n1", 100),
		node("n2", "", resources("cpu", "4", "memory", "8Gi")), running(pod("b", resources("cpu", "4")), "n2", 100))
	answer := schedule(t, o, pod("p", resources("cpu", "1")))
	want := answer.Decision.FitError +
		" preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod."
	if got := answer.Decision.FitErrorAfter; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestEmptyClusterIsNotAFitError(t *testing.T) {
	d := schedule(t, ask(t), pod("p", nil)).Decision
	if d.Error != "no nodes available to schedule pods" || d.FitError != "" {
		t.Errorf("got %+v", d)
	}
}
