//go:build before_1_32

package oracle

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// snapshot is kube-scheduler's own, whose type is internal to it.
type snapshot = framework.SharedLister

func emptySnapshot() snapshot { return nil }

// refresh has the snapshot see what the cache has.
func (o *Oracle) refresh() error {
	update := reflect.ValueOf(o.scheduler.Cache).MethodByName("UpdateSnapshot")
	err, _ := update.Call([]reflect.Value{reflect.ValueOf(o.logger), reflect.ValueOf(o.snapshot)})[0].Interface().(error)
	return err
}

// nodeStatuses are the cycle's statuses of nodes.
type nodeStatuses = framework.NodeToStatusMap

func statusesOf(d *framework.Diagnosis) nodeStatuses { return d.NodeToStatusMap }

func statusCount(d *framework.Diagnosis) int { return len(d.NodeToStatusMap) }

func eachStatus(statuses nodeStatuses, f func(node string, status *fwk.Status)) {
	for _, node := range slices.Sorted(maps.Keys(statuses)) {
		f(node, statuses[node])
	}
}

// mayHelp reports whether a preemption may change the status of the node.
func mayHelp(statuses nodeStatuses, node string) bool {
	return statuses[node].Code() == fwk.Unschedulable
}

// eligible reports whether the pod may preempt, and why not.
func (q question) eligible(statuses nodeStatuses) (bool, string) {
	return q.profile.preemption.PodEligibleToPreemptOthers(q.pod, statuses[q.pod.Status.NominatedNodeName])
}

// candidates is a dry run over nodes. Its errors are among those that PostFilter reports.
func (q question) candidates(
	state fwk.CycleState, nodes []fwk.NodeInfo,
) ([]preemption.Candidate, nodeStatuses, error) {
	lister := q.factory.Policy().V1().PodDisruptionBudgets().Lister()
	pdbs, err := lister.List(labels.Everything())
	if err != nil {
		return nil, nil, fmt.Errorf("pod %s: disruption budgets: %w", key(q.pod), err)
	}
	evaluator := preemption.Evaluator{
		PluginName: defaultpreemption.Name, Handler: q.profile.framework.(framework.Handle),
		PodLister: q.factory.Core().V1().Pods().Lister(), PdbLister: lister, State: state, Interface: q.profile.preemption,
	}
	_, wanted := q.profile.preemption.GetOffsetAndNumCandidates(int32(len(nodes)))
	found, refused, _ := evaluator.DryRunPreemption(q.ctx, q.pod, nodes, pdbs, 0, wanted)
	return found, refused, nil
}

// preemptionOf finds the plugin among those that the framework keeps to itself: it has no events to register.
func preemptionOf(f framework.Framework, _ map[string]fwk.Plugin) *defaultpreemption.DefaultPreemption {
	field := reflect.ValueOf(f).Elem().FieldByName("postFilterPlugins")
	plugins := reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())). //nolint:gosec // of this very field
											Elem().Interface().([]framework.PostFilterPlugin)
	for _, p := range plugins {
		if p, is := p.(*defaultpreemption.DefaultPreemption); is {
			return p
		}
	}
	return nil
}

// spareVictims does nothing: the eviction of a victim is a call to the API server, which only remembers it.
func spareVictims(*profilePlugins) {}

// preempting reports whether victims are still being evicted for the pod: PostFilter has waited for that.
func preempting(*profilePlugins, types.UID) bool { return false }

// inFlight is no claim: no plugin reads claims while DynamicResourceAllocation is off, as it is by default.
func inFlight(framework.Framework) []types.UID { return nil }

func landed(framework.Framework, types.UID) {}

// hinting reports whether queueing hints are on by default.
const hinting = false

var assignedPodAdd, assignedPodDelete, unscheduledPodAdd fwk.ClusterEvent

func label(e fwk.ClusterEvent) string { return e.Label }

func nodeChanges(_, _ *corev1.Node) []fwk.ClusterEvent { return nil }

func podChanges(_, _ *corev1.Pod, _ bool) []fwk.ClusterEvent { return nil }
