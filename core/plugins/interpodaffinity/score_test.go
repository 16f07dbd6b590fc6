package interpodaffinity_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/interpodaffinity"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

var handComputed = []struct {
	name            string
	objects         []cluster.Object
	pod             *corev1.Pod
	args            configv1.InterPodAffinityArgs
	raw, normalized map[string]int64
}{
	{
		"own preferences add and subtract", twoZones(),
		dislikes(likes(newPod(), 10, term("web", zone)), 4, term("db", host)),
		configv1.InterPodAffinityArgs{},
		map[string]int64{"a1": 10, "a2": 10, "b1": -4, "x1": 0},
		map[string]int64{"a1": 100, "a2": 100, "b1": 0, "x1": 28}, // 100*4/14 = 28.57
	},
	{
		"every matching pod counts", twoZones(pod("web2", "a2", "app", "web"), pod("web3", "b1", "app", "web")),
		likes(newPod(), 3, term("web", zone)),
		configv1.InterPodAffinityArgs{},
		map[string]int64{"a1": 6, "a2": 6, "b1": 3, "x1": 0},
		map[string]int64{"a1": 100, "a2": 100, "b1": 50, "x1": 0},
	},
	{
		"existing pods' preferences count for a pod without any",
		twoZones(likes(pod("fan", "a1"), 7, term("new", zone)), dislikes(pod("foe", "a2"), 2, term("new", host))),
		newPod(),
		configv1.InterPodAffinityArgs{},
		map[string]int64{"a1": 7, "a2": 5, "b1": 0, "x1": 0},
		map[string]int64{"a1": 100, "a2": 71, "b1": 0, "x1": 0},
	},
	{
		"existing pods' required affinity counts by the fixed weight",
		twoZones(near(pod("fan", "b1"), term("new", zone))), newPod(),
		configv1.InterPodAffinityArgs{HardPodAffinityWeight: ptr(int32(50))},
		map[string]int64{"a1": 0, "a2": 0, "b1": 50, "x1": 0},
		map[string]int64{"a1": 0, "a2": 0, "b1": 100, "x1": 0},
	},
	{
		"what cancels out still counts as scored",
		twoZones(likes(pod("fan", "a1"), 7, term("new", zone)), dislikes(pod("foe", "a2"), 7, term("new", zone))),
		newPod(),
		configv1.InterPodAffinityArgs{},
		map[string]int64{"a1": 0, "a2": 0, "b1": 0, "x1": 0},
		map[string]int64{"a1": 0, "a2": 0, "b1": 0, "x1": 0},
	},
}

func TestScoresAreTheHandComputedOnes(t *testing.T) {
	for _, test := range handComputed {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(test.objects...)
			v := s.Snapshot()
			scoring := interpodaffinity.New(test.args, interpodaffinity.Ways{}).PreScore(s.ParsePod(test.pod), v, v.Nodes)
			if !scoring.Verdict.OK() {
				t.Fatalf("PreScore: %v", scoring.Verdict)
			}
			scores := make([]int64, len(v.Nodes))
			scoring.Scorer.Score(v.Nodes, scores)
			if diff := cmp.Diff(test.raw, byName(v, scores)); diff != "" {
				t.Errorf("raw (-want +got):\n%s", diff)
			}
			scoring.Scorer.Normalize(v.Nodes, scores)
			if diff := cmp.Diff(test.normalized, byName(v, scores)); diff != "" {
				t.Errorf("normalized (-want +got):\n%s", diff)
			}
		})
	}
}

func ptr[T any](v T) *T { return &v }

func byName(v *cluster.Snapshot, scores []int64) map[string]int64 {
	out := map[string]int64{}
	for i, n := range v.Nodes {
		out[n.Name] = scores[i]
	}
	return out
}

func TestPreScoreIsSkippedWhenNothingComesTogether(t *testing.T) {
	fan := likes(pod("fan", "a1"), 7, term("new", zone))
	tests := []struct {
		name    string
		objects []cluster.Object
		pod     *corev1.Pod
		args    configv1.InterPodAffinityArgs
		skip    bool
	}{
		{"nobody cares", twoZones(), pod("new", "", "app", "new"), configv1.InterPodAffinityArgs{}, true},
		{
			"preferences that match nobody", twoZones(), likes(pod("new", ""), 1, term("nobody", zone)),
			configv1.InterPodAffinityArgs{},
			true,
		},
		{
			"matches on nodes without the key only", twoZones(pod("n", "x1", "app", "n")),
			likes(pod("new", ""), 1, term("n", zone)),
			configv1.InterPodAffinityArgs{},
			true,
		},
		{
			"a weight of 0", twoZones(near(pod("fan", "b1"), term("new", zone))), pod("new", "", "app", "new"),
			configv1.InterPodAffinityArgs{HardPodAffinityWeight: ptr(int32(0))},
			true,
		},
		{"an existing pod cares", twoZones(fan), pod("new", "", "app", "new"), configv1.InterPodAffinityArgs{}, false},
		{
			"and is not listened to", twoZones(fan), pod("new", "", "app", "new"),
			configv1.InterPodAffinityArgs{IgnorePreferredTermsOfExistingPods: true},
			true,
		},
		{
			"unless the pod has preferences itself", twoZones(fan),
			likes(pod("new", "", "app", "new"), 1, term("nobody", zone)),
			configv1.InterPodAffinityArgs{IgnorePreferredTermsOfExistingPods: true},
			false,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(test.objects...)
			v := s.Snapshot()
			got := interpodaffinity.New(test.args, interpodaffinity.Ways{}).PreScore(s.ParsePod(test.pod), v, v.Nodes).Verdict
			if (got.Code == trace.Skip) != test.skip {
				t.Errorf("got %v, want skip %t", got, test.skip)
			}
		})
	}
}

func TestScoreSaysWhereItsPointsComeFrom(t *testing.T) {
	s := build.State(twoZones(likes(pod("fan", "a2"), 7, term("new", zone)), pod("web2", "a2", "app", "web"))...)
	v := s.Snapshot()
	p := dislikes(pod("new", "", "app", "new"), 10, term("web", zone))
	a1, _ := v.Node("a1")
	got := plugin().PreScore(s.ParsePod(p), v, v.Nodes).Scorer.(framework.Reasoner).Why(a1)
	want := []string{
		"preferred anti-affinity to app=web in topology topology.kubernetes.io/zone=a, weight -10: has -20, used 2",
		"terms of existing pods in topology topology.kubernetes.io/zone=a: has 7",
	}
	if diff := cmp.Diff(want, build.Texts(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
