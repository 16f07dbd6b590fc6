package release

import (
	"time"

	"github.com/schedstep/schedstep/core/former/predicates"
	"github.com/schedstep/schedstep/core/former/priorities"
	"github.com/schedstep/schedstep/core/former/roundrobin"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/admission"
	"github.com/schedstep/schedstep/core/plugins/defaultpreemption"
	"github.com/schedstep/schedstep/core/plugins/interpodaffinity"
	"github.com/schedstep/schedstep/core/plugins/tainttoleration"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// v1_10 is kube-scheduler 1.10. It has predicates and priorities, and no framework: the plugins of its table are these,
// under their own names. Predicates run in a fixed order, and scores go from 0 to 10.
var v1_10 = like(v1_19, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.10", "1.10.13", Tables
	r.Configurations, r.Args = nil, map[string][]string{}
	r.Policy = policy1_10()
	r.Providers = []Provider{
		{Name: "DefaultProvider"},
		{Name: "ClusterAutoscalerProvider", Instead: map[string]string{"LeastRequestedPriority": "MostRequestedPriority"}},
	}
	r.Gates = nil
	r.gates(true, "VolumeScheduling")
	r.offer(false, "EnableEquivalenceClassCache", "PodPriority", "ResourceLimitsPriorityFunction", "TaintNodesByCondition")
	r.orders = nil
	r.Plugins = plugins1_10()
	r.Behaviour = behaviour1_10(&r.Behaviour, r.Plugins)
	r.Ranked = &queue.Discipline{
		Backoff: queue.NoBackoff{}, Requeue: queue.ByEvents{}, Sweep: queue.Sweep{Never: true, Every: time.Second},
		Labels: r.Behaviour.Queue.Labels, GatedArrivalNotNominated: r.Behaviour.Queue.GatedArrivalNotNominated,
		GatesRunAfterBackoff: true, EventsMoveEveryPod: true, ChangeSkipsBackoff: true,
	}
	r.Equivalence = predicates.EquivalenceCache{}
	r.PreemptionOrder = []trace.Criterion{
		trace.ByViolations, trace.ByHighestPriority, trace.ByPrioritySum, trace.ByVictims,
	}
	r.Ways.TaintToleration = tainttoleration.Ways{}
	r.Ways.InterPodAffinity = interpodaffinity.Ways{ScoresStretchFromZero: true}
	r.Ways.DefaultPreemption = defaultpreemption.Ways{
		SuccessHasNoReason: true, VictimChargedToEveryBudget: true, AllNodesAreTried: true,
		AnyDeletionAwaited: true, ProtectedVictimsFirst: true, NominationKeptOnFailure: true,
	}
})

// behaviour1_10 is what no predicate and no priority decides.
func behaviour1_10(next *framework.Behaviour, plugins []Plugin) framework.Behaviour {
	b := *next
	b.Search, b.TieBreak = framework.AllNodes{}, roundrobin.TieBreak{}
	b.Scale = framework.Scale{Max: priorities.Max, Extender: 1, ScoresUnchecked: true}
	b.Message, b.SearchContinuesAfterError = framework.CountedPredicates{}, true
	b.EventScope, b.Waits = admission.Checks{OnlyAffinityTermsWake: true, NodeEventConcernsAll: true}, waits1_19(plugins)
	b.Phases = []trace.Phase{
		trace.PhasePop, trace.PhaseFilter, trace.PhasePostFilter, trace.PhaseScore, trace.PhaseSelect, trace.PhaseReserve,
		trace.PhasePreBind, trace.PhaseBind, trace.PhaseFailure, trace.PhaseEnd,
	}
	b.Names = map[trace.Phase]string{
		trace.PhaseFilter: "Predicates", trace.PhasePostFilter: "Preemption", trace.PhaseScore: "Priorities",
		trace.PhaseReserve: "Assume", trace.PhasePreBind: "Volumes",
	}
	b.Reading.Requests.PlacedInitUncounted = true
	b.Queue.FIFOOnly, b.Queue.GatesRunAfterBackoff = true, true
	b.Queue.Backoff = queue.BackoffOfPod{Initial: time.Second, Limit: time.Minute}
	b.Queue.Sweep = queue.Sweep{Never: true, Every: time.Second}
	return b
}

// plugins1_10 are the predicates in the order in which they run (predicatesOrdering), then the priorities.
func plugins1_10() []Plugin {
	list := []Plugin{
		{Name: "FIFO", Points: points(framework.QueueSort), In: WithoutGate, Gate: "PodPriority"},
		{Name: "PriorityQueue", Points: points(framework.QueueSort), In: ByGate, Gate: "PodPriority"},
		{
			Name: "CheckNodeCondition", Points: points(framework.Filter), In: WithoutGate, Gate: "TaintNodesByCondition",
		},
	}
	list = append(list, predicatesOf(Always, "GeneralPredicates")...)
	list = append(list, predicatesOf(
		Never, "HostName", "PodFitsHostPorts", "MatchNodeSelector", "PodFitsResources",
	)...)
	list = append(list, predicatesOf(Always, "NoDiskConflict", "PodToleratesNodeTaints")...)
	list = append(list, predicatesOf(Always, "MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxAzureDiskVolumeCount")...)
	list = append(list, Plugin{
		Name: "CheckVolumeBinding", Points: points(framework.Filter, framework.Reserve, framework.PreBind),
	})
	list = append(list, predicatesOf(
		Always, "NoVolumeZoneConflict", "CheckNodeMemoryPressure", "CheckNodeDiskPressure", "MatchInterPodAffinity",
	)...)
	list = append(list, prioritiesBefore1_11()...)
	return append(
		list,
		Plugin{
			Name: "ResourceLimitsPriority", Points: points(framework.Score), Weight: 1, In: ByGate,
			Gate: "ResourceLimitsPriorityFunction",
		},
		Plugin{Name: "DefaultPreemption", Points: points(framework.PostFilter), In: ByGate, Gate: "PodPriority"},
		Plugin{Name: "DefaultBinder", Points: points(framework.Bind)},
	)
}

// predicatesOf are rows of predicates that need no more than a name.
func predicatesOf(in Membership, names ...string) []Plugin {
	list := make([]Plugin, len(names))
	for i, name := range names {
		list[i] = Plugin{Name: name, Points: points(framework.Filter), In: in}
	}
	return list
}

// prioritiesBefore1_11 are the priorities of 1.6 and 1.10, by name.
func prioritiesBefore1_11() []Plugin {
	score := points(framework.Score)
	return []Plugin{
		{Name: "BalancedResourceAllocation", Points: score, Weight: 1},
		{Name: "EqualPriority", Points: score, Weight: 1, In: Never},
		{Name: "ImageLocalityPriority", Points: score, Weight: 1, In: Never},
		{Name: "InterPodAffinityPriority", Points: score, Weight: 1},
		{Name: "LeastRequestedPriority", Points: score, Weight: 1},
		{Name: "MostRequestedPriority", Points: score, Weight: 1, In: Never},
		{Name: "NodeAffinityPriority", Points: score, Weight: 1},
		{Name: "NodePreferAvoidPodsPriority", Points: score, Weight: 10000},
		{Name: "SelectorSpreadPriority", Points: score, Weight: 1},
		{Name: "ServiceSpreadingPriority", Points: score, Weight: 1, In: Never},
		{Name: "TaintTolerationPriority", Points: score, Weight: 1},
	}
}

// policy1_10 is what a Policy is to 1.10: its names are those of the plugins.
func policy1_10() *Policy {
	return &Policy{
		NamesArePlugins: true, RunsOnlyOrder: true, ReadsCheckAll: true, ReadsHardWeight: true,
		APIVersions: []string{"v1"},
		Mandatory:   []string{"CheckNodeCondition"},
		Order: []string{
			"CheckNodeCondition", "CheckNodeUnschedulable", "GeneralPredicates", "HostName", "PodFitsHostPorts",
			"MatchNodeSelector", "PodFitsResources", "NoDiskConflict", "PodToleratesNodeTaints",
			"PodToleratesNodeNoExecuteTaints", LabelsPredicate, ServiceAffinityPredicate, "MaxEBSVolumeCount",
			"MaxGCEPDVolumeCount", "MaxAzureDiskVolumeCount", "CheckVolumeBinding", "NoVolumeZoneConflict",
			"CheckNodeMemoryPressure", "CheckNodeDiskPressure", "MatchInterPodAffinity",
		},
		Unasked: []string{"PodFitsPorts"},
	}
}
