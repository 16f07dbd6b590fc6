//go:build !before_1_32

package oracle

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

type snapshot = *internalcache.Snapshot

func emptySnapshot() snapshot { return internalcache.NewEmptySnapshot() }

// refresh has the snapshot see what the cache has.
func (o *Oracle) refresh() error { return o.scheduler.Cache.UpdateSnapshot(o.logger, o.snapshot) }

// nodeStatuses are the cycle's statuses of nodes.
type nodeStatuses = *framework.NodeToStatus

func statusesOf(d *framework.Diagnosis) nodeStatuses { return d.NodeToStatus }

func statusCount(d *framework.Diagnosis) int { return d.NodeToStatus.Len() }

func eachStatus(statuses nodeStatuses, f func(node string, status *fwk.Status)) {
	statuses.ForEachExplicitNode(f)
}

// mayHelp reports whether a preemption may change the status of the node.
func mayHelp(statuses nodeStatuses, node string) bool {
	return statuses.Get(node).Code() == fwk.Unschedulable
}

// eligible reports whether the pod may preempt, and why not.
func (q question) eligible(statuses nodeStatuses) (bool, string) {
	return q.profile.preemption.PodEligibleToPreemptOthers(
		q.ctx, q.pod, statuses.Get(q.pod.Status.NominatedNodeName),
	)
}

// candidates is a dry run over nodes. Its errors are among those that PostFilter reports.
func (q question) candidates(
	state fwk.CycleState, nodes []fwk.NodeInfo,
) ([]preemption.Candidate, nodeStatuses, error) {
	evaluator := q.profile.preemption.Evaluator
	pdbs, err := evaluator.PdbLister.List(labels.Everything())
	if err != nil {
		return nil, nil, fmt.Errorf("pod %s: disruption budgets: %w", key(q.pod), err)
	}
	_, wanted := q.profile.preemption.GetOffsetAndNumCandidates(int32(len(nodes)))
	found, refused, _ := evaluator.DryRunPreemption(q.ctx, state, q.pod, nodes, pdbs, 0, wanted)
	return found, refused, nil
}

// preemptionOf finds the plugin among those that the framework hands out.
func preemptionOf(_ framework.Framework, instances map[string]fwk.Plugin) *defaultpreemption.DefaultPreemption {
	p, _ := instances[defaultpreemption.Name].(*defaultpreemption.DefaultPreemption)
	return p
}

// hinting reports whether queueing hints are on by default.
const hinting = true

var (
	assignedPodAdd    = framework.EventAssignedPodAdd
	assignedPodDelete = framework.EventAssignedPodDelete
	unscheduledPodAdd = framework.EventUnscheduledPodAdd
)

func label(e fwk.ClusterEvent) string { return e.Label() }

func nodeChanges(after, before *corev1.Node) []fwk.ClusterEvent {
	return framework.NodeSchedulingPropertiesChange(after, before)
}
