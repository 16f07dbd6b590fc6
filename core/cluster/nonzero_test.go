package cluster_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/core/cluster"
)

// resizing is a running pod of one container that requests and was given 1 CPU and 1Gi.
func resizing() *corev1.Pod {
	both := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("1Gi"),
	}
	return &corev1.Pod{
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: both}}},
		},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			Name: "c", AllocatedResources: both, Resources: &corev1.ResourceRequirements{Requests: both},
		}}},
	}
}

func TestDefaultsStandInWhereTheStatusLeavesARequestOut(t *testing.T) {
	const gibibyte = 1 << 30
	for _, test := range []struct {
		name        string
		change      func(*corev1.Pod)
		cpu, memory int64
	}{
		{"nothing left out", func(*corev1.Pod) {}, 1000, gibibyte},
		{"an infeasible resize, reported on", func(p *corev1.Pod) { infeasible(p) }, 1000, gibibyte},
		{"an infeasible resize of a container nobody reported on", func(p *corev1.Pod) {
			infeasible(p)
			p.Status.ContainerStatuses = nil
		}, cluster.DefaultMilliCPU, cluster.DefaultMemoryBytes},
		{"an infeasible resize of a container given less than the default", func(p *corev1.Pod) {
			infeasible(p)
			given := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
			p.Status.ContainerStatuses[0].AllocatedResources = given
			p.Status.ContainerStatuses[0].Resources.Requests = given
		}, 1000, cluster.DefaultMemoryBytes},
	} {
		t.Run(test.name, func(t *testing.T) {
			api := resizing()
			test.change(api)
			p := cluster.NewState().ParsePod(api)
			if p.NonZeroCPU != test.cpu || p.NonZeroMem != test.memory {
				t.Errorf("counts for %d millicores and %d bytes, want %d and %d", p.NonZeroCPU, p.NonZeroMem, test.cpu, test.memory)
			}
		})
	}
}

func infeasible(p *corev1.Pod) {
	p.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodResizePending, Status: corev1.ConditionTrue, Reason: corev1.PodReasonInfeasible},
	}
}
