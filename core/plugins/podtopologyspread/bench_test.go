package podtopologyspread_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

// crowd is 5,000 nodes in 3 zones with so many web pods, and 50 other apps' pods in the same numbers.
func crowd(b *testing.B, web, services int) *cluster.State {
	b.Helper()
	s := build.Crowd(web, func(name, on string) *corev1.Pod { return pod(name, on, "app", "web", "tier", "front") })
	add := func(o cluster.Object) { s.Apply(cluster.Event{Action: cluster.Add, Object: o}) }
	for i := range services {
		add(&corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("svc-%d", i)},
			Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": fmt.Sprintf("app-%d", i)}},
		})
	}
	add(&corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "web"}},
	})
	return s
}

func BenchmarkFilterAllNodes(b *testing.B) {
	tests := []struct {
		name string
		pod  *corev1.Pod
	}{
		{"zone", spreading(pod("new", "", "app", "web", "tier", "front"), hard(zone, 1))},
		{"zone failing everywhere", spreading(pod("new", "", "app", "web", "tier", "front"), edited(
			hard(zone, 1), func(c *corev1.TopologySpreadConstraint) { c.MinDomains = ptr(int32(4)) },
		))},
		{"host", spreading(pod("new", "", "app", "web", "tier", "front"), hard(host, 1))},
		{"host failing everywhere", spreading(pod("new", "", "app", "web", "tier", "front"), edited(
			hard(host, 1), func(c *corev1.TopologySpreadConstraint) { c.MinDomains = ptr(int32(6000)) },
		))},
		{"plain", pod("new", "", "app", "web", "tier", "front")},
	}
	for _, test := range tests {
		for _, web := range []int{5000, 25000} {
			b.Run(fmt.Sprintf("%s/%d pods", test.name, 2*web), func(b *testing.B) {
				s := crowd(b, web, 0)
				p := s.ParsePod(test.pod)
				v := s.Snapshot()
				plugin := system(b)
				b.ReportAllocs()
				for b.Loop() {
					study := plugin.PreFilter(p, v)
					if study.Verdict.Code == trace.Skip {
						continue
					}
					for _, n := range v.Nodes {
						study.Check.Filter(n)
					}
				}
			})
		}
	}
}

func BenchmarkScore500Nodes(b *testing.B) {
	for _, test := range []struct {
		name          string
		pod           *corev1.Pod
		web, services int
	}{
		{"defaults", pod("new", "", "app", "web", "tier", "front"), 5000, 0},
		{"defaults", pod("new", "", "app", "web", "tier", "front"), 25000, 0},
		{"defaults, 1,000 services", pod("new", "", "app", "web", "tier", "front"), 5000, 1000},
		{"zone", spreading(pod("new", "", "app", "web", "tier", "front"), soft(zone, 1)), 5000, 0},
		{"plain", pod("new", "", "app", "none"), 5000, 0},
	} {
		b.Run(fmt.Sprintf("%s/%d pods", test.name, 2*test.web), func(b *testing.B) {
			s := crowd(b, test.web, test.services)
			p := s.ParsePod(test.pod)
			v := s.Snapshot()
			plugin := system(b)
			feasible := v.Nodes[:500]
			raw := make([]int64, len(feasible))
			b.ReportAllocs()
			for b.Loop() {
				scoring := plugin.PreScore(p, v, feasible)
				if scoring.Verdict.Code == trace.Skip {
					continue
				}
				scoring.Scorer.Score(feasible, raw)
				scoring.Scorer.Normalize(feasible, raw)
			}
		})
	}
}

func BenchmarkWithout(b *testing.B) {
	s := crowd(b, 25000, 0)
	v := s.Snapshot()
	check := system(b).PreFilter(
		s.ParsePod(spreading(pod("new", "", "app", "web"), hard(zone, 1))), v,
	).Check.(framework.Disturbable)
	n := v.Nodes[0]
	b.ReportAllocs()
	for b.Loop() {
		check.Without(n.Pods[0], n).Filter(n)
	}
}
