package core_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
)

// The clusters of spec/performance.md: nodes of 4 CPUs and 32 GiB in three zones, and a small pod.

func benchNode(i int) *corev1.Node {
	name := fmt.Sprintf("n%04d", i)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			corev1.LabelHostname: name, corev1.LabelTopologyZone: fmt.Sprintf("zone%d", i%3),
		}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("32Gi"),
			corev1.ResourcePods: resource.MustParse("110"),
		}},
	}
}

func benchPod(i int) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: fmt.Sprintf("p%05d", i), Labels: map[string]string{"app": "bench"},
		},
		Spec: corev1.PodSpec{
			SchedulerName: "default-scheduler",
			Containers: []corev1.Container{{Name: "c", Image: "pause", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("50Mi"),
				},
			}}},
		},
	}
}

func benchScheduler(nodes int, percentage int32, d trace.Detail) *core.Scheduler {
	c := config.DefaultWith(config.Options{Percentage: &percentage})
	s := core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: time.Unix(1e9, 0),
		Detail: d,
	})
	for i := range nodes {
		s.Apply(cluster.Event{Action: cluster.Add, Object: benchNode(i)})
	}
	return s
}

// BenchmarkCycle is one cycle of a small pod, from pop to bind, with the arrival of the pod before it.
func BenchmarkCycle(b *testing.B) {
	for _, nodes := range []int{100, 1000, 5000} {
		for _, percentage := range []int32{0, 100} {
			for _, d := range []trace.Detail{trace.Summary, trace.Full} {
				b.Run(fmt.Sprintf("nodes=%d/percent=%d/%s", nodes, percentage, d), func(b *testing.B) {
					s := benchScheduler(nodes, percentage, d)
					b.ReportAllocs()
					b.ResetTimer()
					for i := range b.N {
						p := benchPod(i)
						s.Apply(cluster.Event{Action: cluster.Add, Object: p})
						if _, _, ok := s.Schedule(); !ok {
							b.Fatal("nothing to schedule")
						}
					}
				})
			}
		}
	}
}
