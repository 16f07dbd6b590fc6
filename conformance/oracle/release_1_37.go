//go:build !kube_1_36

package oracle

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// The parts of the oracle that are written against 1.37: other releases have a file of their own.

func withSnapshot(s *internalcache.Snapshot) []scheduler.Option {
	return []scheduler.Option{scheduler.WithNodeInfoSnapshot(s)}
}

func snapshotOf(_ *scheduler.Scheduler, given *internalcache.Snapshot) *internalcache.Snapshot {
	return given
}

func kindsOfRelease() []runtime.Object {
	return []runtime.Object{&resourcev1.DeviceTaintRule{}, &schedulingv1beta1.PodGroup{}}
}

func isPodGroup(object runtime.Object) bool {
	_, is := object.(*schedulingv1beta1.PodGroup)
	return is
}

func unrollPodEvent(e fwk.ClusterEvent) []fwk.ClusterEvent { return framework.UnrollPodEvent(e) }

func podChanges(after, before *corev1.Pod, target bool) []fwk.ClusterEvent {
	return framework.PodSchedulingPropertiesChange(after, before, target)
}

// bySnapshot is the scores that are left, as the order of the snapshot would have left them, and the node chosen first.
func bySnapshot(scores []fwk.NodePluginScores) (framework.SortedScoredNodes, string) {
	others := framework.NewSortedScoredNodes(scores)
	return others, others.Pop().Name
}

// bestFirst lists the nodes whose scores are left; it leaves others as they are.
func bestFirst(others framework.SortedScoredNodes) []string {
	var names []string
	for left := framework.NewSortedScoredNodes(others.UnorderedList()); left.Len() > 0; {
		names = append(names, left.Pop().Name)
	}
	return names
}

// first is the node that kube-scheduler chooses by these scores.
func first(scores []fwk.NodePluginScores) string {
	return framework.NewSortedScoredNodes(scores).Pop().Name
}

// rawScore is what a score plugin returned for the node.
func rawScore(node fwk.NodePluginScores, column int) int64 { return node.RawScores[column].Score }

// spare stands for the eviction of a victim: nothing happens to it.
func spare(context.Context, preemption.Candidate, preemption.ExecutorPreemptor, *corev1.Pod, string) (bool, error) {
	return false, nil
}
