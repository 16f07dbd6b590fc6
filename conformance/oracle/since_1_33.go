//go:build !before_1_33

package oracle

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

func scoreOf(
	ctx context.Context, p fwk.ScorePlugin, state fwk.CycleState, pod *corev1.Pod, node fwk.NodeInfo,
) (int64, *fwk.Status) {
	return p.Score(ctx, state, pod, node)
}

// AddEventHandlerWithOptions is part of the informers since 1.33.
func (i *informer) AddEventHandlerWithOptions(
	h cache.ResourceEventHandler, _ cache.HandlerOptions,
) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(h)
}

// SetWatchErrorHandlerWithContext is part of the informers since 1.33.
func (i *informer) SetWatchErrorHandlerWithContext(cache.WatchErrorHandlerWithContext) error {
	return nil
}
