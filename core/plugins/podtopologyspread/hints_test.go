package podtopologyspread_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
)

func TestHintsWakeOnWhatMayHelpAndOnNothingElse(t *testing.T) {
	honor := hard(zone, 1)
	honor.NodeTaintsPolicy = ptr(corev1.NodeInclusionPolicyHonor)
	web := func(on string) *corev1.Pod { return pod("other", on, "app", "web") }
	nominated := web("")
	nominated.Status.NominatedNodeName = "a1"
	foreign := web("a1")
	foreign.Namespace = "elsewhere"
	tolerant := pod("new", "", "app", "web")
	tolerant.Spec.Tolerations = []corev1.Toleration{{Key: "gpu"}}
	tainted := node("n", zone, "a")
	tainted.Spec.Taints = []corev1.Taint{{Key: "gpu"}}

	tests := []struct {
		name       string
		resource   cluster.Resource
		constraint corev1.TopologySpreadConstraint
		was, is    cluster.Object
		want       bool
	}{
		{"a matching pod was placed", cluster.AssignedPod, hard(zone, 1), nil, web("a1"), true},
		{"a matching pod was nominated", cluster.AssignedPod, hard(zone, 1), nil, nominated, true},
		{"a matching pod without a place", cluster.AssignedPod, hard(zone, 1), nil, web(""), false},
		{"a matching pod of another namespace", cluster.AssignedPod, hard(zone, 1), nil, foreign, false},
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
		{"a toleration, taints honoured", cluster.TargetPod, honor, pod("new", "", "app", "web"), tolerant, true},
		{"a toleration, taints ignored", cluster.TargetPod, hard(zone, 1), pod("new", "", "app", "web"), tolerant, false},

		{"a node with the key came", cluster.NodeResource, hard(zone, 1), nil, node("n", zone, "a"), true},
		{"a node without the key came", cluster.NodeResource, hard(zone, 1), nil, node("n"), false},
		{"a node with the key went", cluster.NodeResource, hard(zone, 1), node("n", zone, "a"), nil, true},
		{"a node without the key went", cluster.NodeResource, hard(zone, 1), node("n"), nil, false},
		{"a node got the key", cluster.NodeResource, hard(zone, 1), node("n"), node("n", zone, "a"), true},
		{"a node lost the key", cluster.NodeResource, hard(zone, 1), node("n", zone, "a"), node("n"), true},
		{"a node changed its domain", cluster.NodeResource, hard(zone, 1), node("n", zone, "a"), node("n", zone, "b"), true},
		{"a node changed its taints", cluster.NodeResource, hard(zone, 1), node("n", zone, "a"), tainted, true},
		{
			"a node changed another label", cluster.NodeResource, hard(zone, 1), node("n", zone, "a"),
			node("n", zone, "a", "x", "y"), false,
		},
		{"a node without the key changed", cluster.NodeResource, hard(zone, 1), node("n"), node("n", "x", "y"), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := cluster.NewState()
			p := s.ParsePod(spreading(pod("new", "", "app", "web"), test.constraint))
			got, err := hintFor(t, test.resource).Helps(p, changeOf(s, test.was, test.is), s)
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
	if _, err := hintFor(t, cluster.NodeResource).Helps(p, changeOf(s, nil, node("n", zone, "a")), s); err == nil {
		t.Error("no error")
	}
}

func hintFor(t *testing.T, resource cluster.Resource) queue.Hint {
	t.Helper()
	for _, h := range system(t).Hints() {
		if h.Event.Resource == resource {
			return h
		}
	}
	t.Fatalf("no hint for %s", resource)
	return queue.Hint{}
}

func changeOf(s *cluster.State, was, is cluster.Object) *cluster.Change {
	c := &cluster.Change{}
	if p, ok := was.(*corev1.Pod); ok {
		c.OldPod = s.ParsePod(p)
	}
	if p, ok := is.(*corev1.Pod); ok {
		c.NewPod = s.ParsePod(p)
	}
	if n, ok := was.(*corev1.Node); ok {
		c.OldNode = cluster.NewNode(n)
	}
	if n, ok := is.(*corev1.Node); ok {
		c.NewNode = cluster.NewNode(n)
	}
	return c
}
