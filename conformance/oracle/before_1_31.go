//go:build before_1_31

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
	return f.RunPreFilterPlugins(ctx, state, pod)
}

// eventsOfPlugin is the events that may help pods which the plugin rejected.
func eventsOfPlugin(
	_ context.Context, registered func() []fwk.ClusterEventWithHint,
) ([]fwk.ClusterEventWithHint, error) {
	return registered(), nil
}
