//go:build kube_1_36

package oracle

import (
	"container/heap"
	"context"
	"reflect"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// The parts of the oracle that are written against 1.36.

func withSnapshot(*internalcache.Snapshot) []scheduler.Option { return nil }

// snapshotOf is the scheduler's own snapshot, which 1.36 lets nobody give it.
func snapshotOf(s *scheduler.Scheduler, _ *internalcache.Snapshot) *internalcache.Snapshot {
	field := reflect.ValueOf(s).Elem().FieldByName("nodeInfoSnapshot")
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())). //nolint:gosec // of this very field
										Elem().Interface().(*internalcache.Snapshot)
}

func kindsOfRelease() []runtime.Object {
	return []runtime.Object{&resourcev1beta2.DeviceTaintRule{}, &schedulingv1alpha2.PodGroup{}}
}

func isPodGroup(object runtime.Object) bool {
	_, is := object.(*schedulingv1alpha2.PodGroup)
	return is
}

func unrollPodEvent(e fwk.ClusterEvent) []fwk.ClusterEvent { return []fwk.ClusterEvent{e} }

func podChanges(after, before *corev1.Pod, _ bool) []fwk.ClusterEvent {
	return framework.PodSchedulingPropertiesChange(after, before)
}

// bySnapshot keeps nothing: 1.36 has no way to sort scores anew, so that cycles whose order is that of a map reuse
// none.
func bySnapshot([]fwk.NodePluginScores) (framework.SortedScoredNodes, string) { return nil, "" }

// bestFirst does not say what is left: to ask is to take it.
func bestFirst(framework.SortedScoredNodes) []string { return nil }

// first is the node that kube-scheduler chooses by these scores: the root of its heap.
func first(scores []fwk.NodePluginScores) string {
	h := byTotal(append([]fwk.NodePluginScores(nil), scores...))
	heap.Init(&h)
	return h[0].Name
}

// byTotal is ordered as kube-scheduler's heap of nodes is, which it does not export.
type byTotal []fwk.NodePluginScores

func (h byTotal) Len() int           { return len(h) }
func (h byTotal) Less(i, j int) bool { return h[i].TotalScore > h[j].TotalScore }
func (h byTotal) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *byTotal) Push(any)          { panic("nothing is added") }
func (h *byTotal) Pop() any          { panic("nothing is taken") }

// rawScore is 0, for it is unknown: 1.36 does not keep it.
func rawScore(fwk.NodePluginScores, int) int64 { return 0 }

// spare stands for the eviction of a victim: nothing happens to it.
func spare(context.Context, preemption.Candidate, preemption.ExecutorPreemptor, *corev1.Pod, string) error {
	return nil
}
