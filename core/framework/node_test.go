package framework_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// namesake filters and scores by names alone.
type namesake struct{}

func (namesake) Name() string { return "Namesake" }

func (namesake) Filter(pod *cluster.Pod, node *cluster.Node) trace.Verdict {
	if pod.API.Name == node.Name {
		return trace.Verdict{}
	}
	return trace.Verdict{Code: trace.Unschedulable, Reasons: []string{"another name"}}
}

func (namesake) Score(pod *cluster.Pod, node *cluster.Node) (int64, trace.Verdict) {
	if node.Name == "broken" {
		return 0, trace.Verdict{Code: trace.Error, Reasons: []string{"cannot read the name"}}
	}
	return int64(len(node.Name)), trace.Verdict{Evidence: []trace.Evidence{{What: "name", Have: trace.Text(node.Name)}}}
}

func (namesake) NormalizeScore(scores []int64) { framework.DefaultNormalize(scores) }

func (namesake) Hints() []queue.Hint {
	return []queue.Hint{{Event: cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.Added}}}
}

// clusterOf is a pod and nodes.
func clusterOf(pod string, nodes ...string) (*cluster.Pod, *cluster.Snapshot) {
	s := cluster.NewState()
	for _, name := range nodes {
		s.Apply(cluster.Event{Object: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}})
	}
	api := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: pod}}
	return s.ParsePod(api), s.Snapshot()
}

func TestFilterWithoutPreFilterJudgesNodeByNode(t *testing.T) {
	filter, is := framework.FilterOf(namesake{})
	if !is {
		t.Fatal("it is no filter")
	}
	pod, snapshot := clusterOf("a", "a", "b")
	study := filter.PreFilter(pod, snapshot)
	if !study.Verdict.OK() || study.Nodes != nil {
		t.Errorf("PreFilter says %s, nodes %v", study.Verdict, study.Nodes)
	}
	for i, want := range []string{"Success", "Unschedulable: another name"} {
		if got := study.Check.Filter(snapshot.Nodes[i]).String(); got != want {
			t.Errorf("node %s: %s, want %s", snapshot.Nodes[i].Name, got, want)
		}
	}
}

func TestScoreWithoutPreScoreIsNormalizedAndSaysWhy(t *testing.T) {
	score, is := framework.ScoreOf(namesake{})
	if !is {
		t.Fatal("it is no score")
	}
	pod, snapshot := clusterOf("a", "a", "bb")
	scorer := score.PreScore(pod, snapshot, snapshot.Nodes).Scorer
	scores := make([]int64, 2)
	if v := scorer.Score(snapshot.Nodes, scores); !v.OK() || scores[0] != 1 || scores[1] != 2 {
		t.Errorf("raw scores are %v, %s", scores, v)
	}
	if v := scorer.Normalize(snapshot.Nodes, scores); !v.OK() || scores[0] != 50 || scores[1] != 100 {
		t.Errorf("scores are %v, %s", scores, v)
	}
	reasoner, is := scorer.(framework.Reasoner)
	if !is || reasoner.Why(snapshot.Nodes[1])[0].String() != "name: has bb" {
		t.Error("it does not say what the score rests on")
	}
	pod, snapshot = clusterOf("a", "broken")
	scorer = score.PreScore(pod, snapshot, snapshot.Nodes).Scorer
	if v := scorer.Score(snapshot.Nodes, scores); v.String() != "Error: cannot read the name" {
		t.Errorf("an error is %s", v)
	}
}

// TestHintsOfAFilterWithoutPreFilterCount is for profiles, which read the hints of their plugins.
func TestHintsOfAFilterWithoutPreFilterCount(t *testing.T) {
	filter, _ := framework.FilterOf(namesake{})
	p := framework.Profile{Filter: []framework.FilterPlugin{filter}}
	if w := p.Wakers(); len(w) != 1 || w[0].Name() != "Namesake" || len(w[0].Hints()) != 1 {
		t.Errorf("the wakers are %v", w)
	}
}

func TestAPluginThatIsNeitherFiltersNorScores(t *testing.T) {
	type nobody struct{ framework.Plugin }
	if _, is := framework.FilterOf(nobody{}); is {
		t.Error("it filters")
	}
	if _, is := framework.ScoreOf(nobody{}); is {
		t.Error("it scores")
	}
}
