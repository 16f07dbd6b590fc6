package release

import (
	"slices"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/predicates"
	"github.com/schedstep/schedstep/core/plugins/priorities"
	"github.com/schedstep/schedstep/core/trace"
)

// v1_6 is kube-scheduler 1.6. It leaves nodes out that are not healthy, asks every predicate about each of the others
// whatever the others said, and scores even a single node.
var v1_6 = before(v1_10, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.6", "1.6.13", Tables
	r.Policy = policy1_6()
	r.Gates, r.Ranked, r.Equivalence = nil, nil, nil
	r.offer(false, "AffinityInAnnotations")
	r.Plugins = plugins1_6()
	r.Behaviour.Preselection = predicates.Healthy{}
	r.Behaviour.Rejection = framework.EveryFailure{}
	r.Behaviour.AlwaysScores, r.Behaviour.ClaimsFirst = true, false
	r.Behaviour.Message = framework.NamedPredicates{}
	r.Behaviour.Waits = waits1_19(r.Plugins)
	r.Behaviour.Phases = slices.DeleteFunc(slices.Clone(r.Behaviour.Phases), func(p trace.Phase) bool {
		return p == trace.PhasePostFilter || p == trace.PhasePreBind // nobody is evicted, no volume is bound
	})
	r.Behaviour.Reading.Requests.Opaque = true
	r.Ways.Predicates = predicates.Ways{
		Names: true, Numbers: true, AnyAffinity: true, Unfound: true, NoWaiting: true,
	}
	r.Ways.Priorities = priorities.Ways{Floats: true, NoPodsInZones: true, Shifted: true}
	r.Changes = changes1_6
	r.Gaps = []Gap{
		{"comparison", "it was held to upstream's own table tests of that release, and to no kube-scheduler that runs"},
		{"ServiceAntiAffinity", "the order of the scores of nodes that have the label is chance there"},
		{
			"InterPodAffinityPriority", "with AffinityInAnnotations, preferred anti-affinity without a topology is about nodes, " +
				"zones and regions there",
		},
		{"configuration", "hard-pod-affinity-symmetric-weight, which is a flag there, and 1 here"},
		{"volumes", "KUBE_MAX_PD_VOLS, an environment variable of the scheduler"},
		{"predicates", "which of several errors is said first is chance there"},
	}
})

// plugins1_6 are the predicates, of which all are asked, then the priorities.
func plugins1_6() []Plugin {
	list := []Plugin{{Name: "FIFO", Points: points(framework.QueueSort)}}
	list = append(list, predicatesOf(
		Always, "GeneralPredicates", "NoDiskConflict", "PodToleratesNodeTaints", "MaxEBSVolumeCount", "MaxGCEPDVolumeCount",
		"MaxAzureDiskVolumeCount", "NoVolumeZoneConflict", "CheckNodeMemoryPressure", "CheckNodeDiskPressure",
		"MatchInterPodAffinity",
	)...)
	list = append(list, predicatesOf(
		Never, "HostName", "MatchNodeSelector", "PodFitsHostPorts", "PodFitsPorts", "PodFitsResources",
	)...)
	list = append(list, prioritiesBefore1_11()...)
	return append(list, Plugin{Name: "DefaultBinder", Points: points(framework.Bind)})
}

// policy1_6 is what a Policy is to 1.6.
func policy1_6() *Policy { return &Policy{Bare: true, APIVersions: []string{"v1"}} }

// changes1_6 is what a pod can feel between 1.6 and 1.10.
var changes1_6 = []Change{
	{
		Who: "predicates", Shown: "releases_1_6_every_reason",
		Does: "every predicate is asked about every node, and the reasons are names: MatchNodeSelector (1)",
		Then: "the first that rejects a node ends it, and the reasons are sentences with counts",
	},
	{
		Who: "nodes", Shown: "releases_1_6_nodes_left_out",
		Does: "nodes that are not healthy or are cordoned are left out before predicates, and no message counts them",
		Then: "CheckNodeCondition rejects them",
	},
	{
		Who: "PodFitsHostPorts", Shown: "releases_1_6_ports_by_number",
		Does: "host ports are compared by their numbers", Then: "protocol and address count too",
	},
	{
		Who: "SelectorSpreadPriority", Shown: "releases_1_6_division_by_zero",
		Does: "a fault: in zones without any pod of the Service it divides 0 by 0, and these nodes are the worst there are",
		Then: "they are the best",
	},
	{
		Who: "serviceAntiAffinity", Shown: "releases_1_6_scores_of_others",
		Does: "a fault: nodes get the scores of other nodes where some have the label and some do not",
		Then: "each node has its own",
	},
	{
		Who: "affinity", Shown: "releases_1_6_affinity_in_annotations",
		Does: "AffinityInAnnotations reads the annotation that was the affinity of a pod until 1.5",
		Then: "nobody reads it",
	},
	{
		Who: "GeneralPredicates", Shown: "releases_1_6_general_predicates",
		Does: "its four parts give the names of predicates for reasons", Then: "they give sentences",
	},
	{
		Who: "NoVolumeZoneConflict", Shown: "releases_1_10_zones_of_volumes",
		Does: "a label a__b of a volume is a zone of that name", Then: "it is the zones a and b",
	},
	{
		Who: "errors", Shown: "releases_1_6_predicate_that_breaks",
		Does: "a claim that is missing breaks a predicate: `SchedulerPredicates failed due to …, which is unexpected.`",
		Then: "claims are looked at before predicates",
	},
	{
		Who: "binding", Shown: "releases_1_6_binding_is_refused",
		Does: "the event of one that is refused is no warning", Then: "it is one",
	},
}
