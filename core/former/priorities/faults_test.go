package priorities_test

import (
	"math"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/former/priorities"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/internal/build"
)

// scored is what a priority of a pod of the Service web gives three nodes: a and b have the label, c does not.
func scored(t *testing.T, label string, plugin *priorities.Plugin) (names []string, scores []int64, why []string) {
	t.Helper()
	state := cluster.NewStateFor(cluster.Reading{})
	add := func(o cluster.Object) *cluster.Pod {
		return state.Apply(cluster.Event{Action: cluster.Add, Object: o})[0].NewPod
	}
	add(build.Node("c"))
	add(build.Node("a", build.NodeLabels(label, "x")))
	add(build.Node("b", build.NodeLabels(label, "y")))
	add(&corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "web"}},
	})
	pod, snapshot := add(build.Pod("web", build.PodLabels("app", "web"))), state.Settle()
	scoring := plugin.PreScore(pod, snapshot, snapshot.Nodes)
	scores = make([]int64, len(snapshot.Nodes))
	if v := scoring.Scorer.Score(snapshot.Nodes, scores); !v.OK() {
		t.Fatal(v)
	}
	if v := scoring.Scorer.Normalize(snapshot.Nodes, scores); !v.OK() {
		t.Fatal(v)
	}
	for _, node := range snapshot.Nodes {
		var said []string
		for _, e := range scoring.Scorer.(framework.Reasoner).Why(node) {
			said = append(said, e.String())
		}
		why = append(why, strings.Join(said, "; "))
	}
	return snapshot.Names, scores, why
}

// TestZonesWithoutPodsHaveTheLowestNumberIn16 divides 0 by 0, and expects evidence of that.
func TestZonesWithoutPodsHaveTheLowestNumberIn16(t *testing.T) {
	former := priorities.Ways{SharesAsFractions: true, EmptyZonesDivideByZero: true}
	names, scores, why := scored(t, corev1.LabelFailureDomainBetaZone, priorities.SelectorSpread(former))
	for i, name := range names {
		want, fault := int64(math.MinInt64), true
		if name == "c" {
			want, fault = priorities.Max, false
		}
		if scores[i] != want || strings.Contains(why[i], "0/0, a fault of kube-scheduler 1.6") != fault {
			t.Errorf("1.6: %s has %d: %s", name, scores[i], why[i])
		}
	}
	_, scores, _ = scored(t, corev1.LabelFailureDomainBetaZone, priorities.SelectorSpread(priorities.Ways{}))
	for i, score := range scores {
		if score != priorities.Max {
			t.Errorf("1.10: %s has %d", names[i], score)
		}
	}
}

// TestNodesHaveTheScoresOfOthersIn16 gives the first score to the first node, and expects evidence of the node it was
// meant for.
func TestNodesHaveTheScoresOfOthersIn16(t *testing.T) {
	names, scores, why := scored(t, "rack", priorities.ServiceAntiAffinity("Racks", "rack", priorities.Ways{
		SharesAsFractions: true, AntiAffinityScoresShifted: true,
	}))
	if strings.Join(names, " ") != "c a b" {
		t.Fatalf("the nodes are in another order: %v", names)
	}
	for i, want := range []int64{priorities.Max, priorities.Max, 0} {
		if scores[i] != want || !strings.Contains(why[i], "score of another node, a fault of kube-scheduler 1.6") {
			t.Errorf("1.6: %s has %d: %s", names[i], scores[i], why[i])
		}
	}
	_, scores, why = scored(t, "rack", priorities.ServiceAntiAffinity("Racks", "rack", priorities.Ways{}))
	for i, want := range []int64{0, priorities.Max, priorities.Max} {
		if scores[i] != want || strings.Contains(why[i], "fault") {
			t.Errorf("1.10: %s has %d: %s", names[i], scores[i], why[i])
		}
	}
}
