//go:build !before_1_34

package oracle

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubescheduler "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// devices has the kinds of dynamic resource allocation, which is on by default since 1.34.
func devices() []runtime.Object {
	return []runtime.Object{&resourcev1.ResourceClaim{}, &resourcev1.ResourceSlice{}, &resourcev1.DeviceClass{}}
}

func resourceOfDevice(object runtime.Object) (kubescheduler.EventResource, bool) {
	switch object.(type) {
	case *resourcev1.ResourceClaim:
		return kubescheduler.ResourceClaim, true
	case *resourcev1.ResourceSlice:
		return kubescheduler.ResourceSlice, true
	case *resourcev1.DeviceClass:
		return kubescheduler.DeviceClass, true
	}
	return "", false
}

func matches(registered, event fwk.ClusterEvent) bool {
	return framework.MatchClusterEvents(registered, event)
}

func preFilter(
	ctx context.Context, p fwk.PreFilterPlugin, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo,
) (*fwk.PreFilterResult, *fwk.Status) {
	return p.PreFilter(ctx, state, pod, nodes)
}
