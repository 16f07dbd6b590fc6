package release

import (
	"time"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/admission"
	"github.com/schedstep/schedstep/core/plugins/defaultpreemption"
	"github.com/schedstep/schedstep/core/plugins/interpodaffinity"
	"github.com/schedstep/schedstep/core/plugins/predicates"
	"github.com/schedstep/schedstep/core/plugins/priorities"
	"github.com/schedstep/schedstep/core/plugins/tainttoleration"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// v1_10 is kube-scheduler 1.10. It has predicates and priorities, and no framework: the plugins of its table are these,
// under their own names. Predicates are asked in a fixed order, and scores go from 0 to 10.
var v1_10 = before(v1_19, func(r *Release) {
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
		Labels: r.Behaviour.Queue.Labels, Unnamed: r.Behaviour.Queue.Unnamed, LateGates: true, MovesAll: true,
		AtOnce: true,
	}
	r.Equivalence = predicates.EquivalenceCache{}
	r.PreemptionOrder = []trace.Criterion{
		trace.ByViolations, trace.ByHighestPriority, trace.ByPrioritySum, trace.ByVictims,
	}
	r.Ways.TaintToleration = tainttoleration.Ways{}
	r.Ways.InterPodAffinity = interpodaffinity.Ways{Zero: true}
	r.Ways.DefaultPreemption = defaultpreemption.Ways{
		Silent: true, EveryBudget: true, Everywhere: true, AnyGoing: true, Unsorted: true, Keeps: true,
	}
	r.Changes = changes1_10
	r.Gaps = []Gap{
		{"feature gates", "the alpha gates besides those that are offered"},
		{
			"EnableEquivalenceClassCache",
			"an answer out of the equivalence cache decides there; here it is told, and what is true now decides",
		},
		{"configuration", "files of kind KubeSchedulerConfiguration (componentconfig/v1alpha1)"},
		{"comparison", "it was held to upstream's own table tests of that release, and to no kube-scheduler that runs"},
		{"CheckVolumeBinding", "a pod whose volumes are bound goes back to the queue there, and waits for them here"},
		{"volumes", "KUBE_MAX_PD_VOLS, an environment variable of the scheduler"},
		{"predicates", "which of several errors is said first, and in which order nodes are looked at, is chance there"},
		{"queue", "the FIFO knows no nominations there; here a pod that comes with one counts on its node"},
		{"ServiceAntiAffinity", "of several Services that select a pod, any one counts there, and always the same here"},
		{"extenders", "a preemption asks the filters of extenders there"},
	}
})

// behaviour1_10 is what no predicate and no priority decides.
func behaviour1_10(next *framework.Behaviour, plugins []Plugin) framework.Behaviour {
	b := *next
	b.Search, b.TieBreak = framework.AllNodes{}, framework.RoundRobin{}
	b.Scale = framework.Scale{Max: priorities.Max, Extender: 1, Free: true}
	b.Message, b.Onwards = framework.CountedPredicates{}, true
	b.Hearing, b.Waits = admission.Checks{TermsOnly: true, AnyNode: true}, waits1_19(plugins)
	b.Phases = []trace.Phase{
		trace.PhasePop, trace.PhaseFilter, trace.PhasePostFilter, trace.PhaseScore, trace.PhaseSelect, trace.PhaseReserve,
		trace.PhasePreBind, trace.PhaseBind, trace.PhaseFailure, trace.PhaseEnd,
	}
	b.Names = map[trace.Phase]string{
		trace.PhaseFilter: "Predicates", trace.PhasePostFilter: "Preemption", trace.PhaseScore: "Priorities",
		trace.PhaseReserve: "Assume", trace.PhasePreBind: "Volumes",
	}
	b.Reading.Requests.Main = true
	b.Queue.InLine, b.Queue.LateGates = true, true
	b.Queue.Backoff = queue.BackoffOfPod{Initial: time.Second, Limit: time.Minute}
	b.Queue.Sweep = queue.Sweep{Never: true, Every: time.Second}
	return b
}

// plugins1_10 are the predicates in the order in which they are asked (predicatesOrdering), then the priorities.
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
		Bare: true, Ordered: true, ChecksAll: true, Symmetric: true,
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

// changes1_10 is what a pod can feel between 1.10 and 1.19.
var changes1_10 = []Change{
	{
		Who: "scores", Shown: "releases_1_10_in_turn",
		Does: "priorities score from 0 to 10; of the best nodes each is taken in turn, the last of the alphabet first",
		Then: "plugins score from 0 to 100, and one of the best nodes is drawn",
	},
	{
		Who: "predicates", Shown: "releases_1_10_first_of_a_fixed_order",
		Does: "predicates are asked in a fixed order; CheckNodeCondition is asked always, and one of a Policy whose name is " +
			"not in the order is never asked",
		Then: "plugins are asked in the order of the profile, and conditions of nodes are taints",
	},
	{
		Who: "queue", Shown: "releases_1_10_no_event_helps",
		Does: "a FIFO: who fails comes back after a backoff of its own or when the pod changes, whatever its priority",
		Then: "pods wait by priority, and events of the cluster move them",
	},
	{
		Who: "equivalence cache", Shown: "releases_1_10_equivalence_cache",
		Does: "with EnableEquivalenceClassCache the answers of predicates are kept for the pods of one controller",
		Then: "nothing is kept",
	},
	{
		Who: "queue", Shown: "releases_1_10_backoff_begins_anew",
		Does: "the backoff of a pod goes from 1 s to 60 s, and then begins anew", Then: "it goes to 10 s, and stays there",
	},
	{
		Who: "preemption", Shown: "releases_1_10_preemption",
		Does: "only with PodPriority; the start of victims does not count, and they are told by whom",
		Then: "always; the node whose most important victim started last is better",
	},
	{
		Who: "MatchInterPodAffinity", Shown: "releases_1_10_affinity_term_by_term",
		Does: "each affinity term is judged for itself; where the topology is the node, a pod that is about itself goes to a " +
			"node without any",
		Then: "one pod has to be what all terms are about; the first of a group alone goes where none is",
	},
	{
		Who: "nodes", Shown: "releases_1_10_conditions_of_nodes",
		Does: "predicates read the conditions of nodes: memory pressure keeps pods away that request nothing, disk pressure " +
			"everybody",
		Then: "no plugin reads them: they are taints",
	},
	{
		Who: "volumes", Shown: "releases_1_10_disks_of_a_cloud",
		Does: "MaxEBSVolumeCount, MaxGCEPDVolumeCount and MaxAzureDiskVolumeCount count 39, 16 and 16 disks of a node",
		Then: "EBSLimits, GCEPDLimits and AzureDiskLimits do",
	},
	{
		Who: "ImageLocalityPriority", Shown: "releases_1_10_images",
		Does: "a Policy alone asks for it, and the images that a node has count by their size, from 23 MB to 1000 MB",
		Then: "it is a default, and an image counts for as much as nodes have it",
	},
	{
		Who: "SelectorSpreadPriority", Shown: "releases_1_10_spread_by_zone",
		Does: "a third of ten points is the node's, and two thirds are its zone's", Then: "it is SelectorSpread, of 100 points",
	},
	{
		Who: "NodePreferAvoidPodsPriority", Shown: "releases_1_10_nodes_that_avoid_pods",
		Does: "a node that avoids the pod's controller gets 0 of 100000", Then: "it is NodePreferAvoidPods, of 1000000",
	},
}
