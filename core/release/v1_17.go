package release

import (
	"time"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/admission"
	"github.com/schedstep/schedstep/core/queue"
)

// v1_17 is kube-scheduler 1.17. Its plugins are predicates and priorities inside: no plugin has a PreFilter or
// PreScore, a filter has one reason, and preemption and the binding of volumes are no plugins yet. Here they are, under
// the names that they have later.
var v1_17 = before(v1_19, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.17", "1.17.17", Whole
	r.Configurations = []string{
		"kubescheduler.config.k8s.io/v1alpha1",
	}
	r.Policy = policy1_17()
	r.Args = map[string][]string{
		"NodeLabel":                {"presentLabels", "absentLabels", "presentLabelsPreference", "absentLabelsPreference"},
		"RequestedToCapacityRatio": {"shape", "resources"},
		"ServiceAffinity":          {"affinityLabels", "antiAffinityLabelsPreference"},
		"VolumeBinding":            {"bindTimeoutSeconds"},
	}
	r.Gates = nil
	r.gates(true, "LocalStorageCapacityIsolation", "PodDisruptionBudget")
	r.gates(false, "BalanceAttachedNodeVolumes", "EvenPodsSpread", "ResourceLimitsPriorityFunction")
	r.offer(false, "NonPreemptingPriority", "PodOverhead")

	scores := points(framework.Score)
	both := points(framework.Filter, framework.Score)
	r.Plugins = []Plugin{
		{Name: "PrioritySort", Points: points(framework.QueueSort)},
		{Name: "NodeUnschedulable", Points: points(framework.Filter)},
		{Name: "NodeResourcesFit", Points: points(framework.Filter)},
		{Name: "NodeName", Points: points(framework.Filter)},
		{Name: "NodePorts", Points: points(framework.Filter)},
		{Name: "NodeAffinity", Points: both, Weight: 1},
		{Name: "VolumeRestrictions", Points: points(framework.Filter)},
		{Name: "TaintToleration", Points: both, Weight: 1},
		{Name: "EBSLimits", Points: points(framework.Filter)},
		{Name: "GCEPDLimits", Points: points(framework.Filter)},
		{Name: "NodeVolumeLimits", Points: points(framework.Filter)},
		{Name: "AzureDiskLimits", Points: points(framework.Filter)},
		{Name: "VolumeBinding", Points: points(framework.Filter, framework.Reserve, framework.PreBind)},
		{Name: "VolumeZone", Points: points(framework.Filter)},
		{Name: "InterPodAffinity", Points: both, Weight: 1},
		{Name: "DefaultPreemption", Points: points(framework.PostFilter)},
		{Name: "NodeResourcesBalancedAllocation", Points: scores, Weight: 1},
		{Name: "ImageLocality", Points: scores, Weight: 1},
		{Name: "NodeResourcesLeastAllocated", Points: scores, Weight: 1},
		{Name: "NodePreferAvoidPods", Points: scores, Weight: 10000},
		{Name: "DefaultPodTopologySpread", Points: scores, Weight: 1},
		{Name: "DefaultBinder", Points: points(framework.Bind)},
		{Name: "CinderLimits", Points: points(framework.Filter), In: Never},
		{Name: "NodeResourcesMostAllocated", Points: scores, In: Never},
		{Name: "RequestedToCapacityRatio", Points: scores, In: Never},
		{Name: "NodeLabel", Points: both, In: Never},
		{Name: "ServiceAffinity", Points: both, In: Never},
		{Name: ratioByDefault, Points: scores, In: Never},
		{Name: ServiceSpreading, Points: scores, In: Never},
	}
	r.orders = map[framework.Point][]string{
		framework.Score: {
			"NodeResourcesBalancedAllocation", "ImageLocality", "InterPodAffinity", "NodeResourcesLeastAllocated",
			"NodeAffinity", "NodePreferAvoidPods", "DefaultPodTopologySpread", "TaintToleration",
		},
	}

	r.Behaviour.Message = framework.CountedFilters{}
	r.Behaviour.Hearing, r.Behaviour.Waits = admission.Checks{TermsOnly: true, AnyNode: true}, waits1_19(r.Plugins)
	r.Behaviour.Queue.Backoff = queue.ForgetfulBackoff{ExactBackoff: queue.ExactBackoff{Every: time.Second}}
	r.Behaviour.Queue.Anew = true
	r.Ways.DefaultPreemption.StillWaits = true
	r.Ways.DefaultPreemption.Unaccounted = true
	r.Ways.ImageLocality.Alike = true
	r.Behaviour.Reading.ListsAnew = true
	r.Ways.TaintToleration.Any = true
	r.Ways.InterPodAffinity.Predicate = true
	r.Ways.NodeResources.OneReason, r.Ways.NodeResources.FullIsNone = true, true
	r.Ways.Priorities.Hundred = true
	r.Ways.VolumeBinding.Breaks = true
	r.Ways.VolumeZone.BetaOnly = true
	r.Changes = changes1_17
	r.Gaps = []Gap{
		{"feature gates", "EvenPodsSpread, ResourceLimitsPriorityFunction and BalanceAttachedNodeVolumes; those of the " +
			"migration to CSI"},
		{"search", "which of more than 100 nodes are found first, where 16 are asked at the same time"},
		{"NodeResourcesFit", "of several extended resources and huge pages that a node has too little of, " +
			"any one is named there"},
		{"nodes", "after a node came or went, the next cycle may look at one node twice and at another not at all"},
		{"preemption", "a node that is gone and had pods stays a candidate"},
		{"volumes", "a pod whose Policy has no CheckVolumeBinding fails in the end when its claims have no volumes"},
		{"ServiceAffinity", "of several Services that select a pod, any one counts there, and always the same here; so it " +
			"is with the pods of a Service on nodes with other labels"},
		{"extenders", "a failed preemption by an extender"},
		{"queue", "services do not wake anybody here"},
		conditionEndsBackoff, nominationOutlivesErrors,
	}
})

// changes1_17 is what a pod can feel between 1.17 and 1.19.
var changes1_17 = []Change{
	{
		Who: "messages", Shown: "releases_1_17_one_reason",
		Does: "a filter has one reason: of what a node has too little of the first, and pods are one of these; taints have " +
			"no names",
		Then: "every reason is told, and the first taint by its name",
	},
	{
		Who: "fields of pods", Shown: "releases_1_17_fields_that_are_not_stored",
		Does: "topologySpreadConstraints, preemptionPolicy and overhead are not stored, for their feature gates are off",
		Then: "they count",
	},
	{
		Who: "InterPodAffinity", Shown: "releases_1_17_first_of_a_group",
		Does: "the first of a group of pods that want to be together goes to any node",
		Then: "the node needs the label of the topology",
	},
	{
		Who: "VolumeBinding", Shown: "releases_1_17_claims_that_break",
		Does: "a claim that should have its volume by now ends the cycle with an error",
		Then: "the pod is rejected",
	},
	{
		Who: "VolumeZone", Shown: "releases_1_17_labels_of_volumes",
		Does: "of the labels of a volume only failure-domain.beta.kubernetes.io/zone and region count",
		Then: "topology.kubernetes.io/zone and region count too",
	},
	{
		Who: "DefaultPreemption", Shown: "releases_1_17_budgets_are_not_counted_down",
		Does: "a disruption budget protects pods only while it allows nobody to go at all",
		Then: "victims are counted against what it allows",
	},
	{
		Who: "queue", Shown: "releases_1_17_backoff_is_forgotten",
		Does: "backoffs are counted, and forgotten 20 s after the last one began", Then: "attempts are counted",
	},
	{
		Who: "Policy", Shown: "releases_1_17_policy",
		Does: "PodFitsPorts is known and never asked; " +
			"alwaysCheckAllPredicates and hardPodAffinitySymmetricWeight change nothing",
		Then: "PodFitsPorts is PodFitsHostPorts, all predicates are asked, and the weight counts",
	},
}
