package noderesources_test

import (
	"fmt"
	"testing"

	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/internal/build"
)

// crowd is a cluster of equal nodes, each with four pods that leave 3 of 4 CPUs free.
func crowd(nodes int) *cluster.State {
	s := cluster.NewState()
	for i := range nodes {
		name := fmt.Sprintf("n%04d", i)
		s.Apply(cluster.Event{Object: node(name, amounts{"cpu": "4", "memory": "8Gi", "pods": "110"})})
		for k := range 4 {
			s.Apply(cluster.Event{
				Object: on(name, pod(fmt.Sprintf("%s-%d", name, k), amounts{"cpu": "250m", "memory": "512Mi"})),
			})
		}
	}
	return s
}

func BenchmarkFilter5000(b *testing.B) {
	s := crowd(5000)
	snapshot := s.Snapshot()
	plugin := fit(configv1.LeastAllocated)
	for _, test := range []struct {
		name     string
		requests amounts
	}{
		{"passing", amounts{"cpu": "1", "memory": "1Gi"}},
		{"failing", amounts{"cpu": "3500m", "memory": "1Gi"}},
		{"failing twice", amounts{"cpu": "16", "memory": "64Gi"}},
	} {
		p := s.ParsePod(pod("new", test.requests))
		b.Run(test.name, func(b *testing.B) { build.FilterEach(b, plugin, p, snapshot) })
	}
}

func BenchmarkScore500(b *testing.B) {
	s := crowd(500)
	snapshot := s.Snapshot()
	p := s.ParsePod(pod("new", amounts{"cpu": "1", "memory": "1Gi"}))
	raw := make([]int64, len(snapshot.Nodes))
	for _, test := range []struct {
		name   string
		plugin framework.ScorePlugin
	}{
		{"least allocated", fit(configv1.LeastAllocated)},
		{"most allocated", fit(configv1.MostAllocated)},
		{"balanced", balanced()},
	} {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				test.plugin.PreScore(p, snapshot, snapshot.Nodes).Scorer.Score(snapshot.Nodes, raw)
			}
		})
	}
}
