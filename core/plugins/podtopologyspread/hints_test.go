package podtopologyspread_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/build"
)

func web(on string) *corev1.Pod { return pod("other", on, "app", "web") }

func nominated() *corev1.Pod {
	p := web("")
	p.Status.NominatedNodeName = "a1"
	return p
}

func foreign() *corev1.Pod {
	p := web("a1")
	p.Namespace = "elsewhere"
	return p
}

func tolerant() *corev1.Pod {
	p := pod("new", "", "app", "web")
	p.Spec.Tolerations = []corev1.Toleration{{Key: "gpu"}}
	return p
}

func tainted() *corev1.Node {
	return build.Node("n", build.NodeLabels(zone, "a"), build.Taints(corev1.Taint{Key: "gpu"}))
}

// honoring is a constraint that counts only nodes whose taints the pod tolerates.
func honoring() corev1.TopologySpreadConstraint {
	return edited(hard(zone, 1), func(c *corev1.TopologySpreadConstraint) {
		c.NodeTaintsPolicy = ptr(corev1.NodeInclusionPolicyHonor)
	})
}

var wakes = []struct {
	name       string
	resource   cluster.Resource
	constraint corev1.TopologySpreadConstraint
	was, is    cluster.Object
	want       bool
}{
	{"a matching pod was placed", cluster.AssignedPod, hard(zone, 1), nil, web("a1"), true},
	{"a matching pod was nominated", cluster.AssignedPod, hard(zone, 1), nil, nominated(), true},
	{"a matching pod without a place", cluster.AssignedPod, hard(zone, 1), nil, web(""), false},
	{"a matching pod of another namespace", cluster.AssignedPod, hard(zone, 1), nil, foreign(), false},
	{"another pod was placed", cluster.AssignedPod, hard(zone, 1), nil, pod("other", "a1"), false},
	{"a matching pod went", cluster.AssignedPod, hard(zone, 1), web("a1"), nil, true},
	{"another pod went", cluster.AssignedPod, hard(zone, 1), pod("other", "a1"), nil, false},
	{"a pod began to match", cluster.AssignedPod, hard(zone, 1), pod("other", "a1"), web("a1"), true},
	{
		"a pod changed another label", cluster.AssignedPod, hard(zone, 1), web("a1"),
		pod("other", "a1", "app", "web", "v", "2"), false,
	},
	{"a pod changed no label", cluster.AssignedPod, hard(zone, 1), web("a1"), web("a1"), false},

	{
		"the pod itself stopped matching", cluster.TargetPod, hard(zone, 1), pod("new", "", "app", "web"),
		pod("new", ""), true,
	},
	{
		"the pod itself changed another label", cluster.TargetPod, hard(zone, 1), pod("new", ""),
		pod("new", "", "v", "2"), false,
	},
	{"a toleration, taints honoured", cluster.TargetPod, honoring(), pod("new", "", "app", "web"), tolerant(), true},
	{"a toleration, taints ignored", cluster.TargetPod, hard(zone, 1), pod("new", "", "app", "web"), tolerant(), false},

	{"a node with the key came", cluster.NodeResource, hard(zone, 1), nil, node("n", zone, "a"), true},
	{"a node without the key came", cluster.NodeResource, hard(zone, 1), nil, node("n"), false},
	{"a node with the key went", cluster.NodeResource, hard(zone, 1), node("n", zone, "a"), nil, true},
	{"a node without the key went", cluster.NodeResource, hard(zone, 1), node("n"), nil, false},
	{"a node got the key", cluster.NodeResource, hard(zone, 1), node("n"), node("n", zone, "a"), true},
	{"a node lost the key", cluster.NodeResource, hard(zone, 1), node("n", zone, "a"), node("n"), true},
	{"a node changed its domain", cluster.NodeResource, hard(zone, 1), node("n", zone, "a"), node("n", zone, "b"), true},
	{"a node changed its taints", cluster.NodeResource, hard(zone, 1), node("n", zone, "a"), tainted(), true},
	{
		"a node changed another label", cluster.NodeResource, hard(zone, 1), node("n", zone, "a"),
		node("n", zone, "a", "x", "y"), false,
	},
	{"a node without the key changed", cluster.NodeResource, hard(zone, 1), node("n"), node("n", "x", "y"), false},
}

func TestHintsWakeOnWhatMayHelpAndOnNothingElse(t *testing.T) {
	for _, test := range wakes {
		t.Run(test.name, func(t *testing.T) {
			s := cluster.NewState()
			p := s.ParsePod(spreading(pod("new", "", "app", "web"), test.constraint))
			got, err := build.HintFor(t, system(t).Hints(), test.resource).Helps(p, build.Change(s, test.was, test.is), s)
			if err != nil || got != test.want {
				t.Errorf("got %t, %v; want %t", got, err, test.want)
			}
		})
	}
}

func TestHintOfAnUnparsableConstraintIsAnError(t *testing.T) {
	c := hard(zone, 1)
	c.LabelSelector.MatchLabels = map[string]string{"app": "not a value"}
	s := cluster.NewState()
	p := s.ParsePod(spreading(pod("new", ""), c))
	if _, err := build.HintFor(t, system(t).Hints(), cluster.NodeResource).Helps(
		p, build.Change(s, nil, node("n", zone, "a")), s,
	); err == nil {
		t.Error("no error")
	}
}
