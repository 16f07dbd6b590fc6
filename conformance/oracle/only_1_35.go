//go:build before_1_36 && !before_1_35

package oracle

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// run runs the cycle proper. ByMap: the feasible nodes are in the order of a map.
func (q question) run(
	state fwk.CycleState, _ *framework.PodInfo, byMap bool,
) (scheduler.ScheduleResult, Batch, error) {
	b := q.watched(byMap)
	result, err := q.scheduler.SchedulePod(q.ctx, b, state, q.pod)
	return result, b.Batch, err
}

// GetNodeHint remembers the hint.
func (b *batching) GetNodeHint(
	ctx context.Context, pod *corev1.Pod, state fwk.CycleState, cycle int64,
) (string, signature) {
	b.setAge()
	hint, signed := b.Framework.GetNodeHint(ctx, pod, state, cycle)
	b.Hint = hint
	return hint, signed
}
