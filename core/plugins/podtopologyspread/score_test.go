package podtopologyspread_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

type scores struct{ Raw, Normalized map[string]int64 }

func scored(t *testing.T, s *cluster.State, p *corev1.Pod, feasible ...string) scores {
	t.Helper()
	v := s.Snapshot()
	nodes := v.Nodes
	if len(feasible) > 0 {
		nodes = nil
		for _, name := range feasible {
			n, _ := v.Node(name)
			nodes = append(nodes, n)
		}
	}
	scoring := system(t).PreScore(s.ParsePod(p), v, nodes)
	if !scoring.Verdict.OK() {
		t.Fatalf("PreScore: %v", scoring.Verdict)
	}
	raw := make([]int64, len(nodes))
	scoring.Scorer.Score(nodes, raw)
	out := scores{map[string]int64{}, map[string]int64{}}
	for i, n := range nodes {
		out.Raw[n.Name] = raw[i]
	}
	scoring.Scorer.Normalize(nodes, raw)
	for i, n := range nodes {
		out.Normalized[n.Name] = raw[i]
	}
	return out
}

var service = &corev1.Service{
	ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
	Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "web"}},
}

var handComputed = []struct {
	name     string
	objects  []cluster.Object
	pod      *corev1.Pod
	feasible []string
	want     scores
}{
	{
		// ln(3+2) = 1.609: 2 pods 3.219 -> 3, 1 pod 1.609 -> 2, 0 pods 0; 100*(3+0-s)/3
		"one constraint on zones", threeZones(), spreading(pod("new", ""), soft(zone, 1)), nil,
		scores{
			map[string]int64{"a1": 3, "a2": 3, "b1": 2, "c1": 0},
			map[string]int64{"a1": 0, "a2": 0, "b1": 33, "c1": 100},
		},
	},
	{
		// only zones of feasible nodes weigh: ln(2+2) = 1.386: 2 pods 2.773+4 -> 7, 1 pod 1.386+4 -> 5
		"max skew is added, and only feasible zones weigh", threeZones(), spreading(pod("new", ""), soft(zone, 5)),
		[]string{"a1", "b1"},
		scores{map[string]int64{"a1": 7, "b1": 5}, map[string]int64{"a1": 71, "b1": 100}},
	},
	{
		// hosts: ln(4+2) = 1.792 +2; zones: ln(3+2) = 1.609 +4
		// a1: 1*1.792+2 + 2*1.609+4 = 11.01; b1: 1.792+2 + 1.609+4 = 9.40; c1: 2+4
		"Kubernetes' defaults for a pod of a Service", threeZones(service), pod("new", "", "app", "web"), nil,
		scores{
			map[string]int64{"a1": 11, "a2": 11, "b1": 9, "c1": 6},
			map[string]int64{"a1": 54, "a2": 54, "b1": 72, "c1": 100},
		},
	},
	{
		// x1 has no zone: its missing label is a fourth domain, ln(4+2) = 1.792, and hosts weigh ln(5+2) = 1.946
		// a1: 1.946+2 + 3.584+4 = 11.53; b1: 1.946+2 + 1.792+4 = 9.74; c1: 6; x1: 2
		"under the defaults a node without zone is scored by its host", threeZones(service, node("x1", host, "x1")),
		pod("new", "", "app", "web"), nil,
		scores{
			map[string]int64{"a1": 12, "a2": 12, "b1": 10, "c1": 6, "x1": 2},
			map[string]int64{"a1": 16, "a2": 16, "b1": 33, "c1": 66, "x1": 100},
		},
	},
	{
		"under own constraints it is ignored", threeZones(node("x1", host, "x1")),
		spreading(pod("new", ""), soft(zone, 1)), nil,
		scores{
			map[string]int64{"a1": 3, "a2": 3, "b1": 2, "c1": 0, "x1": 0},
			map[string]int64{"a1": 0, "a2": 0, "b1": 33, "c1": 100, "x1": 0},
		},
	},
	{
		"without any pod all are best",
		[]cluster.Object{node("a1", zone, "a"), node("b1", zone, "b")},
		spreading(pod("new", ""), soft(zone, 1)), nil,
		scores{map[string]int64{"a1": 0, "b1": 0}, map[string]int64{"a1": 100, "b1": 100}},
	},
}

func TestScoresAreTheHandComputedOnes(t *testing.T) {
	for _, test := range handComputed {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, scored(t, build.State(test.objects...), test.pod, test.feasible...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDefaultSelectorComesFromServicesAndTheController(t *testing.T) {
	web := metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	meta := metav1.ObjectMeta{Namespace: "default", Name: "owner"}
	tests := []struct {
		name       string
		object     cluster.Object
		apiVersion string
		kind       string
		skip       bool
	}{
		{
			"a ReplicaSet", &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Selector: &web}},
			"apps/v1", "ReplicaSet", false,
		},
		{
			"a StatefulSet", &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Selector: &web}},
			"apps/v1", "StatefulSet", false,
		},
		{
			"a ReplicationController",
			&corev1.ReplicationController{ObjectMeta: meta, Spec: corev1.ReplicationControllerSpec{Selector: web.MatchLabels}},
			"v1", "ReplicationController", false,
		},
		{
			"an unsupported version", &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Selector: &web}},
			"apps/v1beta1", "ReplicaSet", true,
		},
		{"a kind without selector", node("n"), "batch/v1", "Job", true},
		{"a Service without selector", &corev1.Service{ObjectMeta: meta}, "v1", "Pod", true},
		{"a Service of another namespace", &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "web"},
			Spec:       corev1.ServiceSpec{Selector: web.MatchLabels},
		}, "v1", "Pod", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(threeZones(test.object)...)
			p := pod("new", "", "app", "web")
			p.OwnerReferences = []metav1.OwnerReference{
				{APIVersion: test.apiVersion, Kind: test.kind, Name: "owner", Controller: ptr(true)},
			}
			v := s.Snapshot()
			if got := system(t).PreScore(s.ParsePod(p), v, v.Nodes).Verdict.Code == trace.Skip; got != test.skip {
				t.Errorf("skipped: %t, want %t", got, test.skip)
			}
		})
	}
}

func TestScoreSaysHowManyPodsItCounted(t *testing.T) {
	s := build.State(threeZones(node("x1", host, "x1"))...)
	v := s.Snapshot()
	scorer := system(t).PreScore(
		s.ParsePod(spreading(pod("new", ""), soft(zone, 1), soft(host, 1))), v, v.Nodes,
	).Scorer.(framework.Reasoner)
	a1, _ := v.Node("a1")
	x1, _ := v.Node("x1")
	want := []string{
		"matching pods in domain topology.kubernetes.io/zone=a: has 2",
		"matching pods in domain kubernetes.io/hostname=a1: has 1",
	}
	if diff := cmp.Diff(want, build.Texts(scorer.Why(a1))); diff != "" {
		t.Errorf("a1 (-want +got):\n%s", diff)
	}
	want = []string{
		"topology label: wants topology.kubernetes.io/zone, has no such label",
		"matching pods in domain kubernetes.io/hostname=x1: has 0",
	}
	if diff := cmp.Diff(want, build.Texts(scorer.Why(x1))); diff != "" {
		t.Errorf("x1 (-want +got):\n%s", diff)
	}
}

func TestNothingToScoreIsSkipped(t *testing.T) {
	empty := cluster.NewState()
	if got := system(t).PreScore(
		empty.ParsePod(spreading(pod("new", ""), soft(zone, 1))), empty.Snapshot(), nil,
	).Verdict.Code; got != trace.Skip {
		t.Errorf("no nodes: got %v, want Skip", got)
	}
	s := build.State(threeZones()...)
	if got := system(t).PreScore(
		s.ParsePod(spreading(pod("new", ""), hard(zone, 1))), s.Snapshot(), nil,
	).Verdict.Code; got != trace.Skip {
		t.Errorf("hard constraints only: got %v, want Skip", got)
	}
}
