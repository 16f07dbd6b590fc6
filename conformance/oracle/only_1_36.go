//go:build before_1_37 && !before_1_36

package oracle

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	"k8s.io/apimachinery/pkg/runtime"
	kubescheduler "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

func kindsOfRelease() []runtime.Object {
	return append(devices(), &resourcev1beta2.DeviceTaintRule{}, &schedulingv1alpha2.PodGroup{})
}

func resourceOfRelease(object runtime.Object) (kubescheduler.EventResource, bool) {
	if _, is := object.(*schedulingv1alpha2.PodGroup); is {
		return kubescheduler.PodGroup, true
	}
	return resourceOfDevice(object)
}

// spare stands for the eviction of a victim: nothing happens to it.
func spare(context.Context, preemption.Candidate, preemption.ExecutorPreemptor, *corev1.Pod, string) error {
	return nil
}
