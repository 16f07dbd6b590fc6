package core_test

import (
	"fmt"
	"testing"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// BenchmarkPreemption is scheduler_perf's PreemptionAsync at 5,000 nodes: 20,000 less important pods fill the cluster,
// and each of the measured pods evicts some of them, which leave at once, and then takes their place: two cycles and
// the events between them.
func BenchmarkPreemption(b *testing.B) {
	for _, d := range []trace.Detail{trace.Summary, trace.Reported} {
		b.Run(d.String(), func(b *testing.B) {
			var s *core.Scheduler
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if i%4000 == 0 {
					b.StopTimer()
					s = fullCluster(d)
					b.StartTimer()
				}
				preemptOnce(b, s, i)
				i++
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pods/s")
		})
	}
}

func fullCluster(d trace.Detail) *core.Scheduler {
	s := preemptScheduler(d)
	for i := range 5000 {
		name := fmt.Sprintf("n%04d", i)
		apply(s, preemptNode(name, 4))
		for k := range 4 {
			apply(s, preemptPod(fmt.Sprintf("low-%04d-%d", i, k), name, 1, 0))
		}
	}
	return s
}

func preemptOnce(b *testing.B, s *core.Scheduler, i int) {
	apply(s, preemptPod(fmt.Sprintf("high-%d", i), "", 3, 10))
	for range 2 {
		effects, _, ok := s.Schedule()
		if !ok {
			b.Fatal("nobody is ready")
		}
		for _, e := range effects {
			switch e := e.(type) {
			case core.Bind:
				apply(s, e.Pod.API)
				return
			case core.Nominate:
				apply(s, e.Pod.Nominate(e.Node).API)
			case core.Evict:
				s.Apply(cluster.Event{Action: cluster.Delete, Object: e.Pod.API})
			}
		}
	}
	b.Fatal("the pod was not placed at its second attempt")
}
