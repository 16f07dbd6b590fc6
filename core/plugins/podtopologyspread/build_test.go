package podtopologyspread_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/podtopologyspread"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

const (
	zone = corev1.LabelTopologyZone
	host = corev1.LabelHostname
)

// node has the labels given as key, value, key, value.
func node(name string, pairs ...string) *corev1.Node {
	return build.Node(name, build.NodeLabels(pairs...))
}

// pod is in namespace "default" on a node; "" leaves it unscheduled.
func pod(name, on string, pairs ...string) *corev1.Pod {
	return build.Pod(name, build.On(on), build.PodLabels(pairs...))
}

func terminating(p *corev1.Pod) *corev1.Pod {
	p.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	return p
}

func spreading(p *corev1.Pod, constraints ...corev1.TopologySpreadConstraint) *corev1.Pod {
	p.Spec.TopologySpreadConstraints = constraints
	return p
}

// hard and soft are constraints on pods with app=web.
func hard(key string, maxSkew int32) corev1.TopologySpreadConstraint {
	return corev1.TopologySpreadConstraint{
		TopologyKey: key, MaxSkew: maxSkew, WhenUnsatisfiable: corev1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
	}
}

func soft(key string, maxSkew int32) corev1.TopologySpreadConstraint {
	c := hard(key, maxSkew)
	c.WhenUnsatisfiable = corev1.ScheduleAnyway
	return c
}

func plugin(t testing.TB, args configv1.PodTopologySpreadArgs) *podtopologyspread.Plugin {
	t.Helper()
	p, err := podtopologyspread.New(args, podtopologyspread.Ways{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func system(t testing.TB) *podtopologyspread.Plugin {
	return plugin(t, configv1.PodTopologySpreadArgs{DefaultingType: configv1.SystemDefaulting})
}

// verdicts filters every node with the check; keys are the names of nodes.
func verdicts(check framework.Check, snapshot *cluster.Snapshot) map[string]trace.Verdict {
	out := map[string]trace.Verdict{}
	for _, n := range snapshot.Nodes {
		out[n.Name] = check.Filter(n)
	}
	return out
}

// threeZones has a1 a2 in zone a with 2 web pods, b1 in zone b with 1, c1 in zone c with none.
func threeZones(more ...cluster.Object) []cluster.Object {
	return append([]cluster.Object{
		node("a1", zone, "a", host, "a1"), node("a2", zone, "a", host, "a2"),
		node("b1", zone, "b", host, "b1"), node("c1", zone, "c", host, "c1"),
		pod("w1", "a1", "app", "web"), pod("w2", "a2", "app", "web"), pod("w3", "b1", "app", "web"),
	}, more...)
}
