package core_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
)

// pinned is a pod that can only go to one node.
func pinned(i int, node string) *corev1.Pod {
	p := benchPod(i)
	p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{
				{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}},
			},
		}}},
	}}
	return p
}

// last is how the cycle of the last of the objects ends, all cycles before it run.
func last(t *testing.T, objects ...cluster.Object) trace.Ended {
	t.Helper()
	c := config.Default()
	s := core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: time.Unix(1e9, 0),
		Detail: trace.Full,
	})
	var ended trace.Ended
	for _, o := range objects {
		s.Apply(cluster.Event{Action: cluster.Add, Object: o})
		for {
			_, facts, ok := s.Schedule()
			if !ok {
				break
			}
			ended = facts[len(facts)-1].(trace.Ended)
		}
	}
	return ended
}

func TestMessageNamesWhatRejectedTheNominatedNodeAmongTheNodeSets(t *testing.T) {
	tainted := benchNode(1)
	tainted.Spec.Taints = []corev1.Taint{{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule}}
	pod := pinned(0, "elsewhere")
	pod.Status.NominatedNodeName = tainted.Name
	const want = "0/2 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity TaintToleration], 1 node(s) had untolerated taint(s). preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
	if got := last(t, benchNode(0), tainted, pod).Message; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestCycleThatPreFilterEndsTellsWhereItWouldHaveBegun(t *testing.T) {
	conflict := pinned(1, "n0000")
	terms := conflict.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	terms[0].MatchFields = append(terms[0].MatchFields, pinned(
		2, "n0001",
	).Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields...)
	if got := last(t, benchNode(0), benchNode(1), pinned(0, "n0001"), conflict); got.StartIndex != 1 || got.Node != "" {
		t.Errorf("got %+v", got)
	}
}

func TestWholeTruthAsksEachFilterWithAndWithoutNominatedPods(t *testing.T) {
	s := benchScheduler(1, 100, trace.Full)
	friend := benchPod(0)
	friend.Labels["app"] = "friend"
	friend.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("4")
	friend.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "later"}}
	friend.Status.NominatedNodeName = "n0000"
	pod := benchPod(1)
	pod.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: friend.Labels},
		}},
	}}
	s.Apply(cluster.Event{Action: cluster.Add, Object: friend})
	s.Apply(cluster.Event{Action: cluster.Add, Object: pod})
	_, facts, _ := s.Schedule()
	cycle, _ := trace.Fold(facts)
	c := cycle.Latest()
	var got []string
	for _, f := range c.Matrix.OnNode(0) {
		got = append(got, c.Matrix.Plugins[f.Plugin]+": "+f.Verdict.Message())
	}
	want := []string{"NodeResourcesFit: Insufficient cpu", "InterPodAffinity: node(s) didn't match pod affinity rules"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("failing cells (-want +got):\n%s", diff)
	}
}
