package interpodaffinity_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/build"
)

func wantsWeb() *corev1.Pod { return near(pod("new", "", "app", "new"), term("web", zone)) }
func shunsWeb() *corev1.Pod { return away(pod("new", "", "app", "new"), term("web", zone)) }
func web() *corev1.Pod      { return pod("other", "a1", "app", "web") }
func db() *corev1.Pod       { return pod("other", "a1", "app", "db") }

func nominatedWeb() *corev1.Pod {
	p := pod("other", "", "app", "web")
	p.Status.NominatedNodeName = "a1"
	return p
}

// hintTests are changes of the cluster, and whether the hint wakes a pod for them.
var hintTests = []struct {
	name     string
	resource cluster.Resource
	pod      *corev1.Pod
	was, is  cluster.Object
	want     bool
}{
	{"a wanted pod was placed", cluster.AssignedPod, wantsWeb(), nil, web(), true},
	{"a wanted pod was nominated", cluster.AssignedPod, wantsWeb(), nil, nominatedWeb(), true},
	{"a wanted pod without a place", cluster.AssignedPod, wantsWeb(), nil, pod("other", "", "app", "web"), false},
	{"a wanted pod of another namespace", cluster.AssignedPod, wantsWeb(), nil, in("elsewhere", web()), false},
	{"another pod was placed", cluster.AssignedPod, wantsWeb(), nil, db(), false},
	{"a shunned pod was placed", cluster.AssignedPod, shunsWeb(), nil, web(), false},
	{"a pod became wanted", cluster.AssignedPod, wantsWeb(), db(), web(), true},
	{"a pod was wanted already", cluster.AssignedPod, wantsWeb(), web(), web(), false},
	{"a pod stopped being shunned", cluster.AssignedPod, shunsWeb(), web(), db(), true},
	{"a pod became shunned", cluster.AssignedPod, shunsWeb(), db(), web(), false},
	{"a shunned pod went", cluster.AssignedPod, shunsWeb(), web(), nil, true},
	{"a wanted pod went", cluster.AssignedPod, wantsWeb(), web(), nil, false},
	{
		"a pod that shuns this one went", cluster.AssignedPod, pod("new", "", "app", "new"),
		away(db(), term("new", zone)), nil, true,
	},
	{
		"a pod that shuns another went", cluster.AssignedPod, pod("new", "", "app", "new"),
		away(db(), term("web", zone)), nil, false,
	},

	{"a node came where the wanted may be", cluster.NodeResource, wantsWeb(), nil, node("n", zone, "a"), true},
	{"a node came without the key", cluster.NodeResource, wantsWeb(), nil, node("n"), false},
	{"any node came for a pod that shuns", cluster.NodeResource, shunsWeb(), nil, node("n"), true},
	{"any node came for a pod without terms", cluster.NodeResource, pod("new", ""), nil, node("n", zone, "a"), false},
	{"a node got the key, wanted", cluster.NodeResource, wantsWeb(), node("n"), node("n", zone, "a"), true},
	{"a node got the key, shunned", cluster.NodeResource, shunsWeb(), node("n"), node("n", zone, "a"), false},
	{"a node lost the key, wanted", cluster.NodeResource, wantsWeb(), node("n", zone, "a"), node("n"), false},
	{"a node lost the key, shunned", cluster.NodeResource, shunsWeb(), node("n", zone, "a"), node("n"), true},
	{"a node moved, wanted", cluster.NodeResource, wantsWeb(), node("n", zone, "a"), node("n", zone, "b"), true},
	{"a node moved, shunned", cluster.NodeResource, shunsWeb(), node("n", zone, "a"), node("n", zone, "b"), true},
	{
		"a node changed another label", cluster.NodeResource, shunsWeb(), node("n", zone, "a"),
		node("n", zone, "a", "x", "y"), false,
	},
}

func TestHintsWakeOnWhatMayHelpAndOnNothingElse(t *testing.T) {
	for _, test := range hintTests {
		t.Run(test.name, func(t *testing.T) {
			s := cluster.NewState()
			got, err := build.HintFor(t, plugin().Hints(), test.resource).Helps(
				s.ParsePod(test.pod), build.Change(s, test.was, test.is), s,
			)
			if err != nil || got != test.want {
				t.Errorf("got %t, %v; want %t", got, err, test.want)
			}
		})
	}
}

func TestOwnLabelsAlwaysWake(t *testing.T) {
	h := build.HintFor(t, plugin().Hints(), cluster.TargetPod)
	if h.Helps != nil || h.Event.Action != cluster.UpdatePodLabel {
		t.Errorf("got %+v", h)
	}
}

func TestHintsOfAnUnparsableTermAreErrors(t *testing.T) {
	bad := corev1.PodAffinityTerm{TopologyKey: zone, LabelSelector: &metav1.LabelSelector{
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Near"}},
	}}
	for _, p := range []*corev1.Pod{near(pod("new", ""), bad), away(pod("new", ""), bad)} {
		s := cluster.NewState()
		for resource, is := range map[cluster.Resource]cluster.Object{
			cluster.AssignedPod: pod("o", "a1"), cluster.NodeResource: node("n"),
		} {
			if helps, err := build.HintFor(t, plugin().Hints(), resource).Helps(
				s.ParsePod(p), build.Change(s, nil, is), s,
			); err == nil || !helps {
				t.Errorf("%s: got %t, %v", resource, helps, err)
			}
		}
	}
	s := cluster.NewState()
	gone := build.Change(s, away(pod("o", "a1"), bad), nil)
	if helps, err := build.HintFor(t, plugin().Hints(), cluster.AssignedPod).Helps(
		s.ParsePod(pod("new", "")), gone, s,
	); err == nil || !helps {
		t.Errorf("a pod with such a term that went: got %t, %v", helps, err)
	}
}
