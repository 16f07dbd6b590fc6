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
	// Silent reports no reason for a preemption that makes room (1.36 and earlier).
	Silent bool
	// EveryBudget counts a victim against every disruption budget that selects it, also after one was exceeded (1.36 and
	// earlier).
	EveryBudget bool
	// LateStarts reads the clock anew for a pod that has not started whenever it is compared (1.36 and earlier).
	LateStarts bool
	// Everywhere looks for candidates on all nodes (1.20 and earlier).
	Everywhere bool
	// AnyGoing has a pod wait for any less important pod that is on its way out of its node, whatever deleted it. Unsorted
	// has victims that a budget protects be listed first and count as the most important (1.19 and earlier).
	AnyGoing, Unsorted bool
	// StillWaits has a pod wait for a node that it is nominated to also when that has turned out to be no good at all
	// (1.17 and earlier).
	StillWaits bool
	// Keeps leaves a pod nominated when no node is a candidate, unless no node could be helped (1.19 and earlier).
	Keeps bool
	// Unaccounted has a budget protect pods only while it allows no disruption at all (1.17 and earlier).
	Unaccounted bool
	// WaitsForNothing has the plugin register no event, since victims leave before the cycle ends and PreEnqueue holds
	// no pod back (SchedulerAsyncPreemption=false where it is on by default; 1.37, default_preemption.go,
	// EventsToRegister).
	WaitsForNothing bool
}

// Enough is how many candidates are enough where the configuration sets no number, in percent of the nodes.
func (w Ways) Enough() int32 {
	if w.Everywhere {
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
			{What: "eviction", Want: trace.Text("asked to go"), Have: trace.Text("still there"), By: []string{victim}},
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
	if p.ways.WaitsForNothing {
		return nil
	}
	return []queue.Hint{{
		Event: cluster.ClusterEvent{Resource: cluster.AssignedPod, Action: cluster.Deleted},
		Helps: func(*cluster.Pod, *cluster.Change, *cluster.State) (bool, error) { return false, nil },
	}}
}
