//go:build before_1_33

package oracle

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

func scoreOf(
	ctx context.Context, p fwk.ScorePlugin, state fwk.CycleState, pod *corev1.Pod, node fwk.NodeInfo,
) (int64, *fwk.Status) {
	return p.Score(ctx, state, pod, node.Node().Name)
}

// nominationsWake reports whether the deletion of a pod that had a node kept for it is an event.
const nominationsWake = false
