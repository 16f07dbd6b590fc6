package nodeaffinity_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

func TestScoreAddsTheWeightsOfMatchingTerms(t *testing.T) {
	s := build.State(
		node("a", labels{"disk": "ssd", "zone": "a"}), node("b", labels{"disk": "ssd"}), node("c", labels{"zone": "a"}),
		node("d", nil),
	)
	ssd, zone := prefer(5, term(in("disk", "ssd"))), prefer(2, term(in("zone", "a")))
	added := &corev1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{zone}}
	for _, test := range []struct {
		name            string
		added           *corev1.NodeAffinity
		pod             *corev1.Pod
		raw, normalised []int64
	}{
		{"the pod's", nil, pod(nil, nil, ssd, zone), []int64{7, 5, 2, 0}, []int64{100, 71, 28, 0}},
		{"the configuration's", added, pod(nil, nil), []int64{2, 0, 2, 0}, []int64{100, 0, 100, 0}},
		{"both", added, pod(nil, nil, ssd), []int64{7, 5, 2, 0}, []int64{100, 71, 28, 0}},
		{
			"weight 0 counts for nothing", nil, pod(nil, nil, prefer(0, term(in("disk", "ssd")))),
			[]int64{0, 0, 0, 0},
			[]int64{0, 0, 0, 0},
		},
		{"an empty term matches nothing", nil, pod(nil, nil, prefer(5, term())), []int64{0, 0, 0, 0}, []int64{0, 0, 0, 0}},
		{
			"names count too", nil, pod(nil, nil, prefer(4, named(in("metadata.name", "b")))),
			[]int64{0, 4, 0, 0},
			[]int64{0, 100, 0, 0},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			nodes := s.Snapshot().Nodes
			scoring := plugin(t, test.added).PreScore(s.ParsePod(test.pod), s.Snapshot(), nodes)
			if !scoring.Verdict.OK() {
				t.Fatal(scoring.Verdict)
			}
			scores := []int64{9, 9, 9, 9}
			scoring.Scorer.Score(nodes, scores)
			if diff := cmp.Diff(test.raw, scores); diff != "" {
				t.Errorf("raw (-want +got):\n%s", diff)
			}
			for i, n := range nodes {
				sum := int64(0)
				for _, e := range scoring.Scorer.(framework.Reasoner).Why(n) {
					weight, _ := e.Have.Number()
					sum += weight
				}
				if sum != test.raw[i] {
					t.Errorf("%s: the reasons add up to %d, the score is %d", n.Name, sum, test.raw[i])
				}
			}
			scoring.Scorer.Normalize(nodes, scores)
			if diff := cmp.Diff(test.normalised, scores); diff != "" {
				t.Errorf("normalised (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhyTellsTheTermAndItsWeight(t *testing.T) {
	s := build.State(node("a", labels{"disk": "ssd", "zone": "a"}))
	p := pod(nil, nil, prefer(5, term(in("disk", "ssd", "nvme"), requirement("zone", corev1.NodeSelectorOpExists))))
	scorer := plugin(t, nil).PreScore(s.ParsePod(p), s.Snapshot(), nil).Scorer.(framework.Reasoner)
	want := []string{"preferred term label disk in (ssd, nvme) and label zone present, weight: has 5"}
	if diff := cmp.Diff(want, build.Texts(scorer.Why(s.Snapshot().Nodes[0]))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestScoringIsSkippedWhenNobodyPrefersAnything(t *testing.T) {
	s := build.State(node("a", nil))
	for name, p := range map[string]*corev1.Pod{
		"no affinity": pod(nil, nil), "required only": pod(nil, selector(term(in("a", "b")))),
	} {
		if got := plugin(t, nil).PreScore(s.ParsePod(p), s.Snapshot(), nil).Verdict; got.Code != trace.Skip {
			t.Errorf("%s: got %s, want Skip", name, got)
		}
	}
	empty := pod(nil, nil)
	empty.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{},
	}}
	if got := plugin(t, nil).PreScore(s.ParsePod(empty), s.Snapshot(), nil).Verdict; !got.OK() {
		t.Errorf("an empty list: got %s, want Success", got)
	}
}

func TestUnreadablePreferenceIsAnError(t *testing.T) {
	s := build.State(node("a", nil))
	p := s.ParsePod(pod(nil, nil, prefer(1, term(requirement("a", "Near", "b")))))
	got := plugin(t, nil).PreScore(p, s.Snapshot(), nil).Verdict
	if got.Code != trace.Error || len(got.Reasons) != 1 {
		t.Errorf("got %s, want Error with one reason", got)
	}
}

func BenchmarkScore500(b *testing.B) {
	s := cluster.NewState()
	for i := range 500 {
		s.Apply(cluster.Event{Object: node(fmt.Sprintf("n%03d", i), labels{
			"disk": "ssd", "zone": fmt.Sprint(i % 3), "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
		})})
	}
	snapshot := s.Snapshot()
	p := s.ParsePod(pod(nil, nil, prefer(5, term(in("disk", "ssd"))), prefer(2, term(in("zone", "1", "2")))))
	none := plugin(b, nil)
	raw := make([]int64, len(snapshot.Nodes))
	b.ReportAllocs()
	for b.Loop() {
		scorer := none.PreScore(p, snapshot, snapshot.Nodes).Scorer
		scorer.Score(snapshot.Nodes, raw)
		scorer.Normalize(snapshot.Nodes, raw)
	}
}
