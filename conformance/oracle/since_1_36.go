//go:build !before_1_36

package oracle

import (
	"context"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// nodesOf lists the nodes that the cycle sees, in the order of the snapshot.
func nodesOf(s snapshot) ([]fwk.NodeInfo, error) { return s.ListNodesInPlacement() }

func spareVictims(p *profilePlugins) { p.preemption.Executor.PreemptPod = spare }

// preempting reports whether victims are still being evicted for the pod.
func preempting(p *profilePlugins, pod types.UID) bool {
	return p.preemption.Executor.IsPodRunningPreemption(pod)
}

// run runs the cycle proper. ByMap: the feasible nodes are in the order of a map.
func (q question) run(
	state fwk.CycleState, info *framework.PodInfo, byMap bool,
) (scheduler.ScheduleResult, Batch, error) {
	b := q.watched(byMap)
	queued := &framework.QueuedPodInfo{PodInfo: info, PodSignature: q.signatures[key(q.pod)]}
	result, err := q.scheduler.SchedulePod(q.ctx, b, state, queued)
	return result, b.Batch, err
}

// sign signs a pod that waits, as kube-scheduler's queue does when the pod comes.
func (o *Oracle) sign(pod *corev1.Pod) {
	profile, mine := o.profiles[pod.Spec.SchedulerName]
	if _, placed := o.placed[key(pod)]; placed || !mine || pod.Spec.NodeName != "" {
		return
	}
	o.signatures[key(pod)] = profile.framework.SignPod(o.ctx, pod)
}

// GetNodeHint remembers the hint.
func (b *batching) GetNodeHint(
	ctx context.Context, pod *corev1.Pod, signature signature, state fwk.CycleState, cycle int64,
) string {
	b.setAge()
	b.Hint = b.Framework.GetNodeHint(ctx, pod, signature, state, cycle)
	return b.Hint
}

// inFlight is the claims whose allocation is promised. No method of the tracker lists them.
func inFlight(f framework.Framework) []types.UID {
	manager := f.SharedDRAManager()
	if manager == nil {
		return nil
	}
	var uids []types.UID
	for _, uid := range reflect.ValueOf(manager.ResourceClaims()).Elem().FieldByName("inFlightAllocations").MapKeys() {
		uids = append(uids, types.UID(uid.String()))
	}
	return uids
}

// landed ends a promise as a successful PreBind does.
func landed(f framework.Framework, claim types.UID) {
	f.SharedDRAManager().ResourceClaims().MaybeRemoveClaimPendingAllocation(claim, true)
}

// HasSyncedChecker is part of the informers since 1.36.
func (informer) HasSyncedChecker() cache.DoneChecker { return synced{} }

// HasSyncedChecker is part of the registrations since 1.36.
func (synced) HasSyncedChecker() cache.DoneChecker { return synced{} }
