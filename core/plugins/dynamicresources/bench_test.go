package dynamicresources_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
)

// fleet is a scheduler of 500 nodes with 16 devices each.
func fleet(d trace.Detail) *core.Scheduler {
	c := config.Default()
	s := core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: time.Unix(1e9, 0),
		Detail: d,
	})
	s.Apply(cluster.Event{Object: class("gpu", `device.driver == "gpu.example.com"`)})
	for i := range 500 {
		n := node(fmt.Sprintf("n%03d", i))
		n.Status.Allocatable = corev1.ResourceList{
			corev1.ResourcePods: resource.MustParse("110"), corev1.ResourceCPU: resource.MustParse("64"),
		}
		s.Apply(cluster.Event{Object: n})
		devices := slice(n.Name)
		for k := range 16 {
			devices.Spec.Devices = append(devices.Spec.Devices, device(fmt.Sprintf("d%02d", k), "a100"))
		}
		s.Apply(cluster.Event{Object: devices})
	}
	return s
}

// place runs one cycle and lets the world answer.
func place(b *testing.B, s *core.Scheduler, world *play.Simulated) {
	effects, _, ok := s.Schedule()
	if !ok {
		b.Fatal("nothing to schedule")
	}
	for _, effect := range effects {
		for _, t := range world.Do(effect, s.State(), s.Now()).Events {
			s.Apply(t.Event)
		}
	}
}

func schedulable(p *corev1.Pod) *corev1.Pod {
	p.Spec.SchedulerName = corev1.DefaultSchedulerName
	return p
}

// Benchmark5000Claims places 5,000 pods with a claim each on 500 nodes, which is one operation; the figures are per
// cycle.
func Benchmark5000Claims(b *testing.B) {
	for b.Loop() {
		s, world := fleet(trace.Summary), play.NewSimulated()
		began := time.Now()
		for i := range 5000 {
			name := fmt.Sprintf("p%04d", i)
			s.Apply(cluster.Event{Object: claim(name, exactly("req", "gpu", 1))})
			s.Apply(cluster.Event{Object: schedulable(pod(name, name))})
			place(b, s, world)
		}
		b.ReportMetric(5000/time.Since(began).Seconds(), "cycles/s")
		if taken := s.State().Objects().TakenDevices().State.AllocatedDevices.Len(); taken != 5000 {
			b.Fatalf("%d devices are taken", taken)
		}
		var memory runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&memory)
		b.ReportMetric(float64(memory.HeapAlloc)/(1<<20), "MiB")
		runtime.KeepAlive(s)
	}
}

// BenchmarkPodsWithoutClaims places pods that use no devices beside 5,000 devices in use and beside none.
func BenchmarkPodsWithoutClaims(b *testing.B) {
	for _, claims := range []int{0, 5000} {
		b.Run(fmt.Sprintf("claims=%d", claims), func(b *testing.B) {
			s, world := fleet(trace.Summary), play.NewSimulated()
			for i := range claims {
				at := fmt.Sprintf("n%03d", i%500)
				s.Apply(cluster.Event{
					Object: allocated(claim(fmt.Sprintf("c%04d", i)), at, fmt.Sprintf("d%02d", i/500), "somebody"),
				})
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				s.Apply(cluster.Event{Object: schedulable(pod(fmt.Sprintf("p%06d", i)))})
				place(b, s, world)
				i++
			}
		})
	}
}
