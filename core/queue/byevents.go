package queue

import (
	"iter"
	"reflect"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// ByEvents tries an item again after every event that a plugin which rejected it waits for, and runs no hint (without
// SchedulerQueueingHints, as by default until 1.31).
type ByEvents struct{ ByHints }

// judge decides as if every hint returned Queue. No hint runs, so no answer becomes a fact.
func (b ByEvents) judge(item *Item, h happening, at Moment) (decision, []trace.Fact) {
	at.Detail = trace.Summary
	return b.ByHints.judge(item, h, at)
}

// replay tries the item again if any event came while it was in flight: kube-scheduler does not keep which one
// (moveRequestCycle, 1.31).
func (ByEvents) replay(_ *Item, missed iter.Seq[happening], _ Moment) (decision, cause, []trace.Fact) {
	for h := range missed {
		return decision{strategy: afterBackoff}, cause{reason: whileInFlight(h.event.Label())}, nil
	}
	return decision{}, cause{}, nil
}

var ownUpdateEvent = cluster.ClusterEvent{Resource: cluster.TargetPod, Action: cluster.Updated}

// itself requeues a parked pod after an update that changed more than its status, whichever plugin rejected the pod.
func (ByEvents) itself(q *Queue, s spot, own ownUpdate, at Moment) []trace.Fact {
	if reflect.DeepEqual(described(own.old.API), described(own.updated.API)) {
		return nil
	}
	_, facts := q.resettle(s, decision{strategy: afterBackoff}, cause{event: ownUpdateEvent.Label()}, at)
	return facts
}

// described is the pod without the fields whose change does not count as an update (isPodUpdated, 1.31).
func described(api *corev1.Pod) *corev1.Pod {
	pod := *api
	pod.ResourceVersion, pod.Generation, pod.ManagedFields, pod.Finalizers = "", 0, nil, nil
	pod.Status = corev1.PodStatus{ResourceClaimStatuses: api.Status.ResourceClaimStatuses}
	return &pod
}
