// Package defaultpreemption is kube-scheduler's DefaultPreemption plugin (1.37): when a pod fits nowhere, it looks for
// the node where the least harm would make room. core/preemption works out which pods would have to leave; the
// evictions themselves are effects of the scheduler.
package defaultpreemption

import (
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/preemption"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// pluginName is kube-scheduler's name of the plugin.
const pluginName = "DefaultPreemption"

// Ways are what differs between releases. The zero value is 1.37's.
type Ways struct {
	// SuccessHasNoReason returns no reason with a preemption that makes room (1.36 and earlier,
	// framework/preemption/preemption.go, Preempt).
	SuccessHasNoReason bool
	// VictimChargedToEveryBudget counts a victim against every disruption budget that selects it, also after one of
	// them was exceeded (1.36 and earlier, filterPodsWithPDBViolation).
	VictimChargedToEveryBudget bool
	// UnstartedPodStartsNow reads the clock for the start time of a pod that has not started, each time it is
	// compared (1.36 and earlier, util/utils.go, GetPodStartTime).
	UnstartedPodStartsNow bool
	// AllNodesAreTried looks for candidates on all nodes, and not on a sample of them (1.20 and earlier,
	// dryRunPreemption).
	AllNodesAreTried bool
	// AnyDeletionAwaited makes a pod wait while any less important pod is being deleted on its nominated node,
	// whatever deleted it (1.19 and earlier, podEligibleToPreemptOthers).
	AnyDeletionAwaited bool
	// ProtectedVictimsFirst lists the victims that a budget protects first, where the first victim counts as the most
	// important (1.19 and earlier, selectVictimsOnNode).
	ProtectedVictimsFirst bool
	// HopelessNodeAwaited makes a pod wait for its nominated node also after a filter returned
	// UnschedulableAndUnresolvable there (1.17 and earlier, core/generic_scheduler.go, podEligibleToPreemptOthers).
	HopelessNodeAwaited bool
	// NominationKeptOnFailure leaves a pod nominated when no node is a candidate, unless preemption could help at no
	// node (1.19 and earlier, where Preempt clears it only then).
	NominationKeptOnFailure bool
	// BudgetNotCountedDown compares each victim with a budget as if it were the first: the budget protects pods only
	// while it allows no disruption at all (1.17 and earlier, filterPodsWithPDBViolation).
	BudgetNotCountedDown bool
	// RegistersNoEvent makes EventsToRegister return nothing, since victims are deleted before the cycle ends and
	// PreEnqueue holds no pod back (SchedulerAsyncPreemption=false where it is on by default; 1.37,
	// default_preemption.go).
	RegistersNoEvent bool
}

// Enough is how many candidates are enough where the configuration sets no number, in percent of the nodes.
func (w Ways) Enough() int32 {
	if w.AllNodesAreTried {
		return 100
	}
	return 10
}

// Plugin is DefaultPreemption with its arguments.
type Plugin struct {
	percentage int // of the potential nodes: so many candidates are enough
	absolute   int // candidates, when the percentage makes fewer
	order      preemption.Order
	ways       Ways
	units      units
	mayNot     func(framework.Group) bool // reports whether a group, or any of its pods, forbids preemption
}

var (
	_ framework.PreEnqueuePlugin         = (*Plugin)(nil)
	_ framework.PostFilterPlugin         = (*Plugin)(nil)
	_ framework.PodGroupPostFilterPlugin = (*Plugin)(nil)
	_ framework.Waker                    = (*Plugin)(nil)
)

// New makes the plugin from arguments that are defaulted and valid, and from what the profile makes of preemption.
func New(
	args configv1.DefaultPreemptionArgs, order preemption.Order, groups framework.GroupRules, ways Ways,
) *Plugin {
	p := &Plugin{
		percentage: int(*args.MinCandidateNodesPercentage), absolute: int(*args.MinCandidateNodesAbsolute),
		order: order, ways: ways, units: alone{}, mayNot: memberMayNot,
	}
	if groups.Together {
		p.units = grouped{}
	}
	if groups.OwnPolicy {
		p.mayNot = groupMayNot
	}
	return p
}

// Name is DefaultPreemption.
func (p *Plugin) Name() string { return pluginName }

// PreEnqueue holds a pod back while victims are being evicted for it, or for its group.
func (p *Plugin) PreEnqueue(pod *cluster.Pod, known *cluster.State) trace.Verdict {
	uid, whom := p.units.preemptor(pod, known)
	victim, waits := known.Preempting(uid)
	if !waits {
		return trace.Verdict{}
	}
	return trace.Verdict{
		Code:    trace.UnschedulableAndUnresolvable,
		Reasons: []string{"waiting for the preemption for this " + whom + " to be finished"},
		Evidence: []trace.Evidence{
			{What: "eviction", Want: trace.Words("asked to go"), Have: trace.Words("still there"), By: []string{victim}},
		},
	}
}

// enough is how many candidates are looked for among n potential nodes.
func (p *Plugin) enough(n int) int {
	return min(n, max(n*p.percentage/100, p.absolute))
}

// Hints registers the deletion of a placed pod, so that the queue looks again at a pod held back by PreEnqueue. Its
// hint always returns false: whether the deletion helps is for the plugin that rejected the pod in its cycle to decide.
func (p *Plugin) Hints() []queue.Hint {
	if p.ways.RegistersNoEvent {
		return nil
	}
	return []queue.Hint{{
		Event: cluster.ClusterEvent{Resource: cluster.AssignedPod, Action: cluster.Deleted},
		Helps: func(*cluster.Pod, *cluster.Change, *cluster.State) (bool, error) { return false, nil },
	}}
}
