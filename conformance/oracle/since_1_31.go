//go:build !before_1_31

package oracle

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

func runPreFilters(
	ctx context.Context, f framework.Framework, state fwk.CycleState, pod *corev1.Pod,
) (*fwk.PreFilterResult, *fwk.Status) {
	result, status, _ := f.RunPreFilterPlugins(ctx, state, pod)
	return result, status
}

// eventsOfPlugin is the events that may help pods which the plugin rejected.
func eventsOfPlugin(
	ctx context.Context, registered func(context.Context) ([]fwk.ClusterEventWithHint, error),
) ([]fwk.ClusterEventWithHint, error) {
	return registered(ctx)
}
