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
var v1_17 = like(v1_19, func(r *Release) {
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
	r.Behaviour.EventScope = admission.Checks{OnlyAffinityTermsWake: true, NodeEventConcernsAll: true}
	r.Behaviour.Waits = waits1_19(r.Plugins)
	r.Behaviour.Queue.Backoff = queue.ForgetfulBackoff{ExactBackoff: queue.ExactBackoff{
		Every: time.Second, Count: queue.EveryAttempt,
	}}
	r.Behaviour.Queue.ChangeResetsBackoff = true
	r.Ways.DefaultPreemption.HopelessNodeAwaited = true
	r.Ways.DefaultPreemption.BudgetNotCountedDown = true
	r.Ways.ImageLocality.OneThresholdForAll = true
	r.Behaviour.Reading.NodeListMadeEachCycle = true
	r.Ways.TaintToleration.ReasonNamesNoTaint = true
	r.Ways.InterPodAffinity.FiltersAsPredicate = true
	r.Ways.NodeResources.OnlyFirstShortage, r.Ways.NodeResources.OverfullScoresZero = true, true
	r.Ways.Priorities.MaxScoreIsHundred = true
	r.Ways.VolumeBinding.UnboundClaimIsError = true
	r.Ways.VolumeZone.BetaLabelsOnly = true
})
