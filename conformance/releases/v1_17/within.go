package main

import (
	"context"
	"reflect"
	"slices"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/predicates"
	extenderv1 "k8s.io/kubernetes/pkg/scheduler/apis/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	"k8s.io/kubernetes/pkg/scheduler/listers"
	schedulernodeinfo "k8s.io/kubernetes/pkg/scheduler/nodeinfo"

	"github.com/schedstep/schedstep/conformance/releases/early"
)

// What kube-scheduler 1.17 does not export, and what no other function of it does.

//go:linkname preempt k8s.io/kubernetes/pkg/scheduler.(*Scheduler).preempt
func preempt(
	s *scheduler.Scheduler, ctx context.Context, state *framework.CycleState, f framework.Framework, pod *corev1.Pod,
	why error,
) (string, error)

//go:linkname mayPreempt k8s.io/kubernetes/pkg/scheduler/core.podEligibleToPreemptOthers
func mayPreempt(pod *corev1.Pod, nodes map[string]*schedulernodeinfo.NodeInfo, policies bool) bool

//go:linkname mightHelp k8s.io/kubernetes/pkg/scheduler/core.nodesWherePreemptionMightHelp
func mightHelp(nodes map[string]*schedulernodeinfo.NodeInfo, fit *core.FitError) []*corev1.Node

//go:linkname selectNodes k8s.io/kubernetes/pkg/scheduler/core.(*genericScheduler).selectNodesForPreemption
func selectNodes(
	g unsafe.Pointer, ctx context.Context, state *framework.CycleState, pod *corev1.Pod, potential []*corev1.Node,
	budgets []*policyv1beta1.PodDisruptionBudget,
) (map[*corev1.Node]*extenderv1.Victims, error)

// algorithm is the genericScheduler.
func (o *oracle) algorithm() unsafe.Pointer {
	return reflect.ValueOf(o.Scheduler.Algorithm).UnsafePointer()
}

// refresh has the snapshot see what the cache has, and the scheduler do so again in its cycle.
//
// The tree that lists the nodes by zones goes on where the last snapshot ended: after a node came or went, one may be
// listed twice and another not at all, until the snapshot after that. That is left out here, see the gaps of the table:
// each snapshot begins at the first node. So are nodes that are gone and had pods, of which the snapshot keeps what it
// knew, for preemption alone.
func (o *oracle) refresh() error {
	o.rewind()
	err := o.Scheduler.Algorithm.Snapshot()
	o.rewind()
	there := map[string]bool{}
	for _, info := range o.snapshot.NodeInfoList {
		there[info.Node().Name] = true
	}
	for name := range o.snapshot.NodeInfoMap {
		if !there[name] {
			delete(o.snapshot.NodeInfoMap, name)
		}
	}
	return err
}

// rewind has the tree of nodes begin at its first one.
func (o *oracle) rewind() {
	tree := reflect.ValueOf(o.Scheduler.SchedulerCache).Elem().FieldByName("nodeTree").Elem()
	set := func(index reflect.Value) { *(*int)(unsafe.Pointer(index.UnsafeAddr())) = 0 } //nolint:gosec // of this field
	set(tree.FieldByName("zoneIndex"))
	for zones := tree.FieldByName("tree").MapRange(); zones.Next(); {
		set(zones.Value().Elem().FieldByName("lastIndex"))
	}
}

// sortMatches has the pods that ServiceAffinity looks at be in the order of their nodes, where kube-scheduler lists
// them in the order of a map, and takes the first.
func (o *oracle) sortMatches() {
	producer := early.Hidden[predicates.MetadataProducer](o.Scheduler.Algorithm, "predicateMetaProducer")
	made := *producer
	*producer = func(pod *corev1.Pod, lister listers.SharedLister) predicates.Metadata {
		meta := made(pod, lister)
		service := reflect.ValueOf(meta).Elem().FieldByName("serviceAffinityMetadata")
		if service.IsNil() {
			return meta
		}
		list := service.Elem().FieldByName("matchingPodList").UnsafeAddr()
		pods := *(*[]*corev1.Pod)(unsafe.Pointer(list)) //nolint:gosec // of this very field
		at := map[*corev1.Pod]int{}
		for _, node := range o.snapshot.NodeInfoList {
			for _, on := range node.Pods() {
				at[on] = len(at)
			}
		}
		slices.SortFunc(pods, func(a, b *corev1.Pod) int { return at[a] - at[b] })
		return meta
	}
}
