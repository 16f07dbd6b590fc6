package interpodaffinity_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

func webPod(name, on string) *corev1.Pod { return pod(name, on, "app", "web", "tier", "front") }
func shyWeb(name, on string) *corev1.Pod { return away(webPod(name, on), term("web", host)) }
func fondWeb(name, on string) *corev1.Pod {
	return likes(webPod(name, on), 10, term("web", zone))
}

func BenchmarkFilterAllNodes(b *testing.B) {
	tests := []struct {
		name string
		make func(name, on string) *corev1.Pod
		web  int
		pod  *corev1.Pod
	}{
		{"anti-affinity on hosts, half full", shyWeb, 2500, shyWeb("new", "")},
		{"anti-affinity on hosts, full", shyWeb, 5000, shyWeb("new", "")},
		{"anti-affinity on hosts, 5 a node", shyWeb, 25000, shyWeb("new", "")},
		{"affinity on zones", webPod, 25000, near(webPod("new", ""), term("web", zone))},
		{"plain pod, nobody cares", webPod, 25000, webPod("new", "")},
		{"plain pod, others shun others", shyWeb, 25000, pod("new", "", "app", "new")},
	}
	for _, test := range tests {
		b.Run(fmt.Sprintf("%s/%d pods", test.name, 2*test.web), func(b *testing.B) {
			s := build.Crowd(test.web, test.make)
			p := s.ParsePod(test.pod)
			v := s.Snapshot()
			b.ReportAllocs()
			for b.Loop() {
				study := plugin().PreFilter(p, v)
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

func BenchmarkScore500Nodes(b *testing.B) {
	tests := []struct {
		name string
		make func(name, on string) *corev1.Pod
		pod  *corev1.Pod
	}{
		{"affinity on zones", fondWeb, fondWeb("new", "")},
		{"plain pod, nobody cares", webPod, webPod("new", "")},
		{"plain pod, existing pods like it", fondWeb, webPod("new", "")},
	}
	for _, test := range tests {
		for _, web := range []int{5000, 25000} {
			b.Run(fmt.Sprintf("%s/%d pods", test.name, 2*web), func(b *testing.B) {
				s := build.Crowd(web, test.make)
				p := s.ParsePod(test.pod)
				v := s.Snapshot()
				feasible := v.Nodes[:500]
				raw := make([]int64, len(feasible))
				b.ReportAllocs()
				for b.Loop() {
					scoring := plugin().PreScore(p, v, feasible)
					if scoring.Verdict.Code == trace.Skip {
						continue
					}
					scoring.Scorer.Score(feasible, raw)
					scoring.Scorer.Normalize(feasible, raw)
				}
			})
		}
	}
}

func BenchmarkWithout(b *testing.B) {
	s := build.Crowd(25000, shyWeb)
	v := s.Snapshot()
	check := plugin().PreFilter(s.ParsePod(shyWeb("new", "")), v).Check.(framework.Disturbable)
	n := v.Nodes[0]
	b.ReportAllocs()
	for b.Loop() {
		check.Without(n.WithRequiredAntiAffinity[0], n).Filter(n)
	}
}
