//go:build before_1_34

package oracle

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// kindsOfRelease is empty: no plugin reads devices while DynamicResourceAllocation is off, as it is by default.
func kindsOfRelease() []runtime.Object { return nil }

func resourceOfRelease(runtime.Object) (fwk.EventResource, bool) { return "", false }

func preFilter(
	ctx context.Context, p fwk.PreFilterPlugin, state fwk.CycleState, pod *corev1.Pod, _ []fwk.NodeInfo,
) (*fwk.PreFilterResult, *fwk.Status) {
	return p.PreFilter(ctx, state, pod)
}
