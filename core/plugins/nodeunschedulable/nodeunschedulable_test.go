package nodeunschedulable_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/plugins/nodeunschedulable"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

func cordoned(name string) *corev1.Node { return build.Node(name, cordon) }

func cordon(n *corev1.Node) { n.Spec.Unschedulable = true }

func pod(tolerations ...corev1.Toleration) *corev1.Pod {
	return build.Pod("p", build.Tolerations(tolerations...))
}

var (
	bearsCordon = corev1.Toleration{
		Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule,
	}
	bearsAll   = corev1.Toleration{Operator: corev1.TolerationOpExists}
	bearsOther = corev1.Toleration{Key: "dedicated", Operator: corev1.TolerationOpExists}
)

const rejected = "UnschedulableAndUnresolvable: node(s) were unschedulable"

func TestCordonedNodesTakeOnlyPodsThatTolerateIt(t *testing.T) {
	for _, test := range []struct {
		name string
		node *corev1.Node
		pod  *corev1.Pod
		want string
	}{
		{"an open node", build.Node("n"), pod(), "Success"},
		{"a cordoned node", cordoned("n"), pod(), rejected},
		{"a toleration of something else", cordoned("n"), pod(bearsOther), rejected},
		{"a toleration of it", cordoned("n"), pod(bearsCordon), "Success"},
		{"a toleration of everything", cordoned("n"), pod(bearsOther, bearsAll), "Success"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := cluster.NewState()
			s.Apply(cluster.Event{Object: test.node})
			snapshot := s.Snapshot()
			study := nodeunschedulable.New().PreFilter(s.ParsePod(test.pod), snapshot)
			if !study.Verdict.OK() {
				t.Errorf("PreFilter: %s, want Success", study.Verdict)
			}
			got := study.Check.Filter(snapshot.Nodes[0])
			if got.String() != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			want := "spec.unschedulable: wants false, or a toleration of node.kubernetes.io/unschedulable:NoSchedule, has true"
			if !got.OK() && got.Evidence[0].String() != want {
				t.Errorf("evidence: got %q, want %q", got.Evidence[0], want)
			}
		})
	}
}

func TestNodesThatMayBeUsedWake(t *testing.T) {
	for _, test := range []struct {
		name     string
		old, now *corev1.Node
		want     bool
	}{
		{"a new open node", nil, build.Node("n"), true},
		{"a new cordoned node", nil, cordoned("n"), false},
		{"an uncordoned node", cordoned("n"), build.Node("n"), true},
		{"a node that was open", build.Node("n"), build.Node("n"), false},
		{"a node that stays cordoned", cordoned("n"), cordoned("n"), false},
		{"a node that is cordoned now", build.Node("n"), cordoned("n"), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := cluster.NewState()
			if test.old != nil {
				s.Apply(cluster.Event{Object: test.old})
			}
			change := s.Apply(cluster.Event{Action: cluster.Update, Object: test.now})[0]
			got, err := nodeunschedulable.New().Hints()[0].Helps(s.ParsePod(pod()), &change, s)
			if err != nil || got != test.want {
				t.Errorf("got %t and %v, want %t", got, err, test.want)
			}
		})
	}
}

func TestTheRightTolerationWakes(t *testing.T) {
	for _, test := range []struct {
		now  *corev1.Pod
		want bool
	}{{pod(bearsCordon), true}, {pod(bearsAll), true}, {pod(bearsOther), false}} {
		s := cluster.NewState()
		s.Apply(cluster.Event{Object: pod()})
		change := s.Apply(cluster.Event{Action: cluster.Update, Object: test.now})[0]
		got, err := nodeunschedulable.New().Hints()[1].Helps(s.ParsePod(pod()), &change, s)
		if err != nil || got != test.want {
			t.Errorf("%v: got %t and %v, want %t", test.now.Spec.Tolerations, got, err, test.want)
		}
	}
}

func TestHintsAreForNodesAndTolerations(t *testing.T) {
	hints := nodeunschedulable.New().Hints()
	for i, want := range []cluster.ClusterEvent{
		{Resource: cluster.NodeResource, Action: cluster.Added | cluster.UpdateNodeTaint},
		{Resource: cluster.TargetPod, Action: cluster.UpdatePodToleration},
	} {
		if hints[i].Event != want {
			t.Errorf("hint %d is for %+v, want %+v", i, hints[i].Event, want)
		}
	}
}

func BenchmarkFilter5000(b *testing.B) {
	for _, test := range []struct {
		name    string
		changes []func(*corev1.Node)
	}{{"passing", nil}, {"failing", []func(*corev1.Node){cordon}}} {
		s := cluster.NewState()
		for i := range 5000 {
			s.Apply(cluster.Event{Object: build.Node(fmt.Sprintf("n%04d", i), test.changes...)})
		}
		snapshot := s.Snapshot()
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				check := nodeunschedulable.New().PreFilter(s.ParsePod(pod()), snapshot).Check
				for _, n := range snapshot.Nodes {
					if check.Filter(n).Code == trace.Error {
						b.Fatal("error")
					}
				}
			}
		})
	}
}
