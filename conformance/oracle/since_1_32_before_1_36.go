//go:build !before_1_32 && before_1_36

package oracle

import (
	"context"
	"reflect"
	"sync"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// spareVictims has nothing happen to victims.
func spareVictims(p *profilePlugins) {
	p.preemption.Evaluator.PreemptPod = func(
		context.Context, preemption.Candidate, *corev1.Pod, *corev1.Pod, string,
	) error {
		return nil
	}
}

// preempting reports whether victims are still being evicted for the pod.
func preempting(p *profilePlugins, pod types.UID) bool {
	return p.preemption.Evaluator.IsPodRunningPreemption(pod)
}

// inFlight is the claims whose allocation is promised. No method of the tracker lists them.
func inFlight(f framework.Framework) []types.UID {
	manager := f.SharedDRAManager()
	if manager == nil || reflect.ValueOf(manager).IsNil() {
		return nil
	}
	field := reflect.ValueOf(manager.ResourceClaims()).Elem().FieldByName("inFlightAllocations")
	promised := *(**sync.Map)(unsafe.Pointer(field.UnsafeAddr())) //nolint:gosec // of this very field
	var uids []types.UID
	promised.Range(func(uid, _ any) bool {
		uids = append(uids, uid.(types.UID))
		return true
	})
	return uids
}

// landed ends a promise as a successful PreBind does.
func landed(f framework.Framework, claim types.UID) {
	f.SharedDRAManager().ResourceClaims().RemoveClaimPendingAllocation(claim)
}
