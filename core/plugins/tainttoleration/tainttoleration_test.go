package tainttoleration_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/tainttoleration"
	"github.com/schedstep/schedstep/internal/build"
)

func taint(key, value string, effect corev1.TaintEffect) corev1.Taint {
	return corev1.Taint{Key: key, Value: value, Effect: effect}
}

func node(name string, taints ...corev1.Taint) *corev1.Node {
	return build.Node(name, build.Taints(taints...))
}

func pod(tolerations ...corev1.Toleration) *corev1.Pod {
	return build.Pod("p", build.Tolerations(tolerations...))
}

var (
	dedicated  = taint("dedicated", "gpu", corev1.TaintEffectNoSchedule)
	evicting   = taint("maintenance", "", corev1.TaintEffectNoExecute)
	preferring = taint("old", "yes", corev1.TaintEffectPreferNoSchedule)
)

const rejected = "UnschedulableAndUnresolvable: node(s) had untolerated taint(s)"

func equal(key, value string, effect corev1.TaintEffect) corev1.Toleration {
	return corev1.Toleration{Key: key, Operator: corev1.TolerationOpEqual, Value: value, Effect: effect}
}

func exists(key string) corev1.Toleration {
	return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists}
}

var tolerations = []struct {
	name     string
	node     *corev1.Node
	pod      *corev1.Pod
	want     string
	evidence []string
}{
	{"no taint", node("n"), pod(), "Success", nil},
	{"NoSchedule", node("n", dedicated), pod(), rejected, []string{
		"taint: wants a toleration of dedicated=gpu:NoSchedule, has none",
	}},
	{"NoExecute", node("n", evicting), pod(), rejected, []string{
		"taint: wants a toleration of maintenance:NoExecute, has none",
	}},
	{"PreferNoSchedule does not reject", node("n", preferring), pod(), "Success", nil},
	{
		"tolerated by value", node("n", dedicated), pod(equal("dedicated", "gpu", corev1.TaintEffectNoSchedule)),
		"Success", nil,
	},
	{
		"another value", node("n", dedicated), pod(equal("dedicated", "cpu", corev1.TaintEffectNoSchedule)),
		rejected,
		[]string{"taint: wants a toleration of dedicated=gpu:NoSchedule, has none"},
	},
	{
		"another effect", node("n", dedicated), pod(equal("dedicated", "gpu", corev1.TaintEffectNoExecute)),
		rejected,
		[]string{"taint: wants a toleration of dedicated=gpu:NoSchedule, has none"},
	},
	{"tolerated by key", node("n", dedicated), pod(exists("dedicated")), "Success", nil},
	{"tolerated altogether", node("n", dedicated, evicting), pod(exists("")), "Success", nil},
	{"one of two tolerated", node("n", dedicated, evicting), pod(exists("dedicated")), rejected, []string{
		"taint: wants a toleration of maintenance:NoExecute, has none",
	}},
	{
		"every untolerated taint is told", node("n", preferring, dedicated, evicting), pod(exists("other")), rejected,
		[]string{
			"taint: wants a toleration of dedicated=gpu:NoSchedule, has none",
			"taint: wants a toleration of maintenance:NoExecute, has none",
		},
	},
	{
		"numbers are not compared, for that gate is off", node("n", taint("level", "5", corev1.TaintEffectNoSchedule)),
		pod(corev1.Toleration{Key: "level", Operator: corev1.TolerationOpGt, Value: "1"}), rejected,
		[]string{"taint: wants a toleration of level=5:NoSchedule, has none"},
	},
}

func TestTaintsKeepAwayWhoDoesNotTolerateThem(t *testing.T) {
	for _, test := range tolerations {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(test.node)
			study := tainttoleration.New(tainttoleration.Ways{}).PreFilter(s.ParsePod(test.pod), s.Snapshot())
			if !study.Verdict.OK() {
				t.Errorf("PreFilter: %s, want Success", study.Verdict)
			}
			got := study.Check.Filter(s.Snapshot().Nodes[0])
			build.WantVerdict(t, got, test.want, test.evidence)
		})
	}
}

func TestEachNodeIsToldItsOwnTaint(t *testing.T) {
	var nodes []cluster.Object
	for i := range 30 {
		nodes = append(nodes, node(fmt.Sprintf("n%02d", i), taint("rack", fmt.Sprint(i%15), corev1.TaintEffectNoSchedule)))
	}
	s := build.State(nodes...)
	check := tainttoleration.New(tainttoleration.Ways{}).PreFilter(s.ParsePod(pod()), s.Snapshot()).Check
	for i, n := range s.Snapshot().Nodes {
		want := fmt.Sprintf("taint: wants a toleration of rack=%d:NoSchedule, has none", i%15)
		if got := check.Filter(n).Evidence[0].String(); got != want {
			t.Errorf("%s: got %q, want %q", n.Name, got, want)
		}
	}
}

func TestScoreCountsUntoleratedPreferNoScheduleTaints(t *testing.T) {
	newer := taint("newer", "", corev1.TaintEffectPreferNoSchedule)
	third := taint("third", "", corev1.TaintEffectPreferNoSchedule)
	s := build.State(
		node("a"), node("b", preferring), node("c", preferring, newer, third), node("d", dedicated, preferring, newer),
	)
	for _, test := range []struct {
		name            string
		pod             *corev1.Pod
		raw, normalised []int64
	}{
		{"no tolerations", pod(), []int64{0, 1, 3, 2}, []int64{100, 67, 0, 34}},
		{
			"a toleration without effect covers them", pod(corev1.Toleration{Key: "old", Operator: corev1.TolerationOpExists}),
			[]int64{0, 0, 2, 1},
			[]int64{100, 100, 0, 50},
		},
		{
			"one of another effect does not",
			pod(corev1.Toleration{Key: "old", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}),
			[]int64{0, 1, 3, 2},
			[]int64{100, 67, 0, 34},
		},
		{
			"all tolerated", pod(corev1.Toleration{Operator: corev1.TolerationOpExists}),
			[]int64{0, 0, 0, 0},
			[]int64{100, 100, 100, 100},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			nodes := s.Snapshot().Nodes
			scorer := tainttoleration.New(tainttoleration.Ways{}).PreScore(s.ParsePod(test.pod), s.Snapshot(), nodes).Scorer
			scores := []int64{9, 9, 9, 9}
			scorer.Score(nodes, scores)
			if diff := cmp.Diff(test.raw, scores); diff != "" {
				t.Errorf("raw (-want +got):\n%s", diff)
			}
			for i, n := range nodes {
				if why := scorer.(framework.Reasoner).Why(n); int64(len(why)) != test.raw[i] {
					t.Errorf("%s: %d reasons for a score of %d", n.Name, len(why), test.raw[i])
				}
			}
			scorer.Normalize(nodes, scores)
			if diff := cmp.Diff(test.normalised, scores); diff != "" {
				t.Errorf("normalised (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNodesThatOpenUpWake(t *testing.T) {
	for _, test := range []struct {
		name     string
		old, now *corev1.Node
		want     bool
	}{
		{"a new node without taints", nil, node("n"), true},
		{"a new node with one that the pod tolerates", nil, node("n", evicting), true},
		{"a new node with one that it does not", nil, node("n", dedicated), false},
		{"the taint goes", node("n", dedicated), node("n"), true},
		{
			"one of two goes", node("n", dedicated, taint("other", "", corev1.TaintEffectNoSchedule)),
			node("n", dedicated), false,
		},
		{"the taint comes", node("n"), node("n", dedicated), false},
		{"what goes did not bar the pod", node("n", evicting), node("n"), false},
		{
			"the taint only prefers now", node("n", dedicated),
			node("n", taint("dedicated", "gpu", corev1.TaintEffectPreferNoSchedule)), true,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := cluster.NewState()
			if test.old != nil {
				s.Apply(cluster.Event{Object: test.old})
			}
			change := s.Apply(cluster.Event{Action: cluster.Update, Object: test.now})[0]
			parked := s.ParsePod(pod(corev1.Toleration{Key: "maintenance", Operator: corev1.TolerationOpExists}))
			got, err := tainttoleration.New(tainttoleration.Ways{}).Hints()[0].Helps(parked, &change, s)
			if err != nil || got != test.want {
				t.Errorf("got %t and %v, want %t", got, err, test.want)
			}
		})
	}
}

func TestAnyTolerationOfThePodItselfWakes(t *testing.T) {
	hints := tainttoleration.New(tainttoleration.Ways{}).Hints()
	if want := (cluster.ClusterEvent{
		Resource: cluster.NodeResource, Action: cluster.Added | cluster.UpdateNodeTaint,
	}); hints[0].Event != want {
		t.Errorf("the first hint is for %+v, want %+v", hints[0].Event, want)
	}
	want := cluster.ClusterEvent{Resource: cluster.TargetPod, Action: cluster.UpdatePodToleration}
	if hints[1].Event != want || hints[1].Helps != nil {
		t.Errorf("the second hint is for %+v, want %+v and always", hints[1].Event, want)
	}
}

// rack is a cluster whose nodes have two taints each, one of ten racks and one that all share.
func rack(nodes int) *cluster.State {
	s := cluster.NewState()
	for i := range nodes {
		s.Apply(cluster.Event{Object: node(fmt.Sprintf("n%04d", i),
			taint("rack", fmt.Sprint(i%4), corev1.TaintEffectNoSchedule), preferring)})
	}
	return s
}

func BenchmarkFilter5000(b *testing.B) {
	clean := cluster.NewState()
	for i := range 5000 {
		clean.Apply(cluster.Event{Object: node(fmt.Sprintf("n%04d", i))})
	}
	for _, test := range []struct {
		name  string
		state *cluster.State
		pod   *corev1.Pod
	}{
		{"without taints", clean, pod()},
		{"tolerating", rack(5000), pod(corev1.Toleration{Key: "rack", Operator: corev1.TolerationOpExists})},
		{"failing", rack(5000), pod()},
	} {
		snapshot := test.state.Snapshot()
		p := test.state.ParsePod(test.pod)
		b.Run(test.name, func(b *testing.B) { build.FilterEach(b, tainttoleration.New(tainttoleration.Ways{}), p, snapshot) })
	}
}

func BenchmarkScore500(b *testing.B) {
	s := rack(500)
	snapshot := s.Snapshot()
	p := s.ParsePod(pod(corev1.Toleration{Key: "rack", Operator: corev1.TolerationOpExists}))
	raw := make([]int64, len(snapshot.Nodes))
	b.ReportAllocs()
	for b.Loop() {
		scorer := tainttoleration.New(tainttoleration.Ways{}).PreScore(p, snapshot, snapshot.Nodes).Scorer
		scorer.Score(snapshot.Nodes, raw)
		scorer.Normalize(snapshot.Nodes, raw)
	}
}
