package nodedeclaredfeatures_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/plugins/nodedeclaredfeatures"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

// needy is a pod that needs RestartAllContainersOnContainerExits.
func needy() *corev1.Pod {
	return build.Pod("web", build.Containers(corev1.Container{RestartPolicyRules: []corev1.ContainerRestartRule{
		{Action: corev1.ContainerRestartRuleActionRestartAllContainers},
	}}))
}

const feature = "RestartAllContainersOnContainerExits"

func node(name string, features ...string) *corev1.Node {
	return build.Node(name, func(n *corev1.Node) { n.Status.DeclaredFeatures = features })
}

func TestPodsRunWhereTheirFeaturesAreDeclared(t *testing.T) {
	s := build.State(node("all", feature), node("none"), node("others", "SomethingNewer"))
	study := nodedeclaredfeatures.New().PreFilter(s.ParsePod(needy()), s.Snapshot())
	want := map[string]string{
		"all": "Success",
		"none": "UnschedulableAndUnresolvable: " + nodedeclaredfeatures.Reason + " features of the kubelet: wants " +
			feature + ", has none declared",
		"others": "UnschedulableAndUnresolvable: " + nodedeclaredfeatures.Reason + " features of the kubelet: wants " +
			feature + ", has SomethingNewer",
	}
	for _, n := range s.Snapshot().Nodes {
		v := study.Check.Filter(n)
		got := v.String()
		for _, e := range v.Evidence {
			got += " " + e.String()
		}
		if got != want[n.Name] {
			t.Errorf("%s: got %s, want %s", n.Name, got, want[n.Name])
		}
	}
}

func TestPodThatNeedsNothingIsSkipped(t *testing.T) {
	s := cluster.NewState()
	study := nodedeclaredfeatures.New().PreFilter(s.ParsePod(&corev1.Pod{}), s.Snapshot())
	if study.Verdict.Code != trace.Skip {
		t.Errorf("got %s", study.Verdict)
	}
}

func TestOtherFeaturesAndOtherNeedsWake(t *testing.T) {
	s := cluster.NewState()
	hints := nodedeclaredfeatures.New().Hints()
	before, after := cluster.NewNode(node("n")), cluster.NewNode(node("n", feature))
	plain, wants := s.ParsePod(&corev1.Pod{}), s.ParsePod(needy())
	for _, test := range []struct {
		name   string
		hint   int
		change cluster.Change
		want   bool
	}{
		{"a new node", 0, cluster.Change{NewNode: before}, true},
		{"other features", 0, cluster.Change{OldNode: before, NewNode: after}, true},
		{"the same features", 0, cluster.Change{OldNode: after, NewNode: after}, false},
		{"other needs", 1, cluster.Change{OldPod: wants, NewPod: plain}, true},
		{"the same needs", 1, cluster.Change{OldPod: wants, NewPod: wants}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, err := hints[test.hint].Helps(wants, &test.change, s); err != nil || got != test.want {
				t.Errorf("got %t and %v, want %t", got, err, test.want)
			}
		})
	}
}
