package owner

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play/request"
)

// Scales reports whether the controller of a kind gives pods up, in an order that is known, when it is to have fewer.
func Scales(kind cluster.Kind) bool {
	switch kind {
	case KindDeployment, cluster.KindReplicaSet, cluster.KindReplicationController, cluster.KindStatefulSet:
		return true
	}
	return false
}

// GivenUp are the pods of a workload in the order in which it gives them up when it is to have fewer: a StatefulSet the
// highest ordinals first.
func GivenUp(of request.Object, pods []*corev1.Pod, now time.Time) []*corev1.Pod {
	if of.Kind != cluster.KindStatefulSet {
		return LeastMissed(pods, now)
	}
	ordinal := func(p *corev1.Pod) int {
		n, _ := strconv.Atoi(strings.TrimPrefix(p.Name, of.Name+"-"))
		return n
	}
	sorted := slices.Clone(pods)
	slices.SortStableFunc(sorted, func(a, b *corev1.Pod) int { return cmp.Compare(ordinal(b), ordinal(a)) })
	return sorted
}

// LeastMissed are pods in the order in which a ReplicaSet gives them up (ActivePodsWithRanks,
// pkg/controller/controller_utils.go, 1.37).
func LeastMissed(pods []*corev1.Pod, now time.Time) []*corev1.Pod {
	ready := map[string]int{}
	for _, p := range pods {
		if request.IsReady(p) {
			ready[p.Spec.NodeName]++
		}
	}
	sorted := slices.Clone(pods)
	slices.SortStableFunc(sorted, func(a, b *corev1.Pod) int {
		return cmp.Or(
			flag(a.Spec.NodeName != "", b.Spec.NodeName != ""),
			cmp.Compare(phaseRank(a), phaseRank(b)),
			flag(request.IsReady(a), request.IsReady(b)),
			cmp.Compare(deletionCost(a), deletionCost(b)),
			cmp.Compare(ready[b.Spec.NodeName], ready[a.Spec.NodeName]),
			youngest(ReadySince(a), ReadySince(b), now),
			cmp.Compare(restarts(b), restarts(a)),
			youngest(a.CreationTimestamp.Time, b.CreationTimestamp.Time, now),
			cmp.Compare(a.UID, b.UID),
		)
	})
	return sorted
}

// flag sorts false before true.
func flag(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func phaseRank(p *corev1.Pod) int {
	switch p.Status.Phase {
	case corev1.PodPending:
		return 0
	case corev1.PodUnknown:
		return 1
	}
	return 2
}

func deletionCost(p *corev1.Pod) int {
	n, _ := strconv.Atoi(p.Annotations[corev1.PodDeletionCost]) // 0 where it is none
	return n
}

func restarts(p *corev1.Pod) (most int32) {
	for i := range p.Status.ContainerStatuses {
		most = max(most, p.Status.ContainerStatuses[i].RestartCount)
	}
	return most
}

// youngest sorts later moments first, by powers of two of how long they are ago: those that are of about one age are
// equal. A moment that is not known comes first.
func youngest(a, b, now time.Time) int {
	age := func(t time.Time) int64 {
		if t.IsZero() {
			return -1
		}
		return int64(math.Log2(float64(max(now.Sub(t), 1))))
	}
	return cmp.Compare(age(a), age(b))
}

// ReadySince is when a pod became Ready; the zero time where its status does not show it.
func ReadySince(p *corev1.Pod) time.Time {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			return c.LastTransitionTime.Time
		}
	}
	return time.Time{}
}
