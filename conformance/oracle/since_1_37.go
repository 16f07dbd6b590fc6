//go:build !before_1_37

package oracle

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	kubescheduler "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// The parts of the oracle that are written against 1.37. before_1_37.go has them for the releases before, and so has
// every pair of files with such names.

func withSnapshot(s snapshot) []scheduler.Option {
	return []scheduler.Option{scheduler.WithNodeInfoSnapshot(s)}
}

func snapshotOf(_ *scheduler.Scheduler, given snapshot) snapshot { return given }

func kindsOfRelease() []runtime.Object {
	return append(devices(), &resourcev1.DeviceTaintRule{}, &schedulingv1beta1.PodGroup{})
}

func resourceOfRelease(object runtime.Object) (kubescheduler.EventResource, bool) {
	if _, is := object.(*schedulingv1beta1.PodGroup); is {
		return kubescheduler.PodGroup, true
	}
	return resourceOfDevice(object)
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

// bestFirst lists the nodes whose scores are left, which stay as they are.
func bestFirst(others framework.SortedScoredNodes) (same framework.SortedScoredNodes, names []string) {
	for left := framework.NewSortedScoredNodes(others.UnorderedList()); left.Len() > 0; {
		names = append(names, left.Pop().Name)
	}
	return others, names
}

// first is the node that kube-scheduler chooses by these scores.
func first(scores []fwk.NodePluginScores) string {
	return framework.NewSortedScoredNodes(scores).Pop().Name
}

// rawScores is what the score plugins returned for the node, in the order of its Scores.
func (q question) rawScores(_ fwk.CycleState, node fwk.NodePluginScores) ([]int64, error) {
	raw := make([]int64, len(node.RawScores))
	for i, s := range node.RawScores {
		raw[i] = s.Score
	}
	return raw, nil
}

// groupState is what the plugins keep for all members of a pod group while its cycle goes on.
type groupState = kubescheduler.PodGroupCycleState

func newGroupState() groupState { return framework.NewCycleState() }

// newState is the state of a cycle, of a member within that of its group.
func (q question) newState() *framework.CycleState {
	state := framework.NewCycleState()
	if q.member {
		state.SetPodGroupSchedulingCycle(q.group)
	}
	return state
}

// leaveGroup has a member go on alone.
func leaveGroup(state fwk.CycleState) {
	if of, is := state.(*framework.CycleState); is {
		of.SetPodGroupSchedulingCycle(nil)
	}
}

// spare stands for the eviction of a victim: nothing happens to it.
func spare(context.Context, preemption.Candidate, preemption.ExecutorPreemptor, *corev1.Pod, string) (bool, error) {
	return false, nil
}
