package release

import (
	"time"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/admission"
)

// v1_19 is kube-scheduler 1.19. Ten releases lie between it and 1.29, and it has little in common with that: its table
// sets anew every field that the table of 1.29 sets.
var v1_19 = like(v1_29, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.19", "1.19.16", Whole
	r.Configurations = []string{
		"kubescheduler.config.k8s.io/v1beta1",
	}
	r.Policy = policy1_19()
	r.Providers = []Provider{
		{Name: "DefaultProvider"},
		{
			Name:    "ClusterAutoscalerProvider",
			Instead: map[string]string{"NodeResourcesLeastAllocated": "NodeResourcesMostAllocated"},
		},
	}
	r.Args = map[string][]string{
		"InterPodAffinity":            {"hardPodAffinityWeight"},
		"NodeLabel":                   {"presentLabels", "absentLabels", "presentLabelsPreference", "absentLabelsPreference"},
		"NodeResourcesFit":            {"ignoredResources", "ignoredResourceGroups"},
		"NodeResourcesLeastAllocated": {"resources"},
		"NodeResourcesMostAllocated":  {"resources"},
		"PodTopologySpread":           {"defaultConstraints"},
		"RequestedToCapacityRatio":    {"shape", "resources"},
		"ServiceAffinity":             {"affinityLabels", "antiAffinityLabelsPreference"},
		"VolumeBinding":               {"bindTimeoutSeconds"},
	}
	r.Gates = nil
	r.gates(true, "LocalStorageCapacityIsolation", "PodDisruptionBudget", "PodOverhead")
	r.gates(
		false, "BalanceAttachedNodeVolumes", "CSIStorageCapacity", "DefaultPodTopologySpread", "GenericEphemeralVolume",
	)

	scores := points(framework.Score)
	r.Plugins = []Plugin{
		{Name: "PrioritySort", Points: points(framework.QueueSort)},
		{Name: "NodeUnschedulable", Points: points(framework.Filter)},
		{Name: "NodeResourcesFit", Points: filters()},
		{Name: "NodeName", Points: points(framework.Filter)},
		{Name: "NodePorts", Points: filters()},
		{Name: "NodeAffinity", Points: points(framework.Filter, framework.Score), Weight: 1},
		{Name: "VolumeRestrictions", Points: points(framework.Filter)},
		{Name: "TaintToleration", Points: points(framework.Filter, framework.PreScore, framework.Score), Weight: 1},
		{Name: "EBSLimits", Points: points(framework.Filter)},
		{Name: "GCEPDLimits", Points: points(framework.Filter)},
		{Name: "NodeVolumeLimits", Points: points(framework.Filter)},
		{Name: "AzureDiskLimits", Points: points(framework.Filter)},
		{Name: "VolumeBinding", Points: filters(framework.Reserve, framework.PreBind)},
		{Name: "VolumeZone", Points: points(framework.Filter)},
		{Name: "PodTopologySpread", Points: filters(framework.PreScore, framework.Score), Weight: 2},
		{Name: "InterPodAffinity", Points: filters(framework.PreScore, framework.Score), Weight: 1},
		{Name: "DefaultPreemption", Points: points(framework.PostFilter)},
		{Name: "NodeResourcesBalancedAllocation", Points: scores, Weight: 1},
		{Name: "ImageLocality", Points: scores, Weight: 1},
		{Name: "NodeResourcesLeastAllocated", Points: scores, Weight: 1},
		{Name: "NodePreferAvoidPods", Points: scores, Weight: 10000},
		{Name: "SelectorSpread", Points: points(framework.PreScore, framework.Score), Weight: 1},
		{Name: "DefaultBinder", Points: points(framework.Bind)},
		{Name: "CinderLimits", Points: points(framework.Filter), In: Never},
		{Name: "NodeResourcesMostAllocated", Points: scores, In: Never},
		{Name: "RequestedToCapacityRatio", Points: scores, In: Never},
		{Name: "NodeLabel", Points: points(framework.Filter, framework.Score), In: Never},
		{Name: "ServiceAffinity", Points: filters(framework.Score), In: Never},
	}
	r.orders = map[framework.Point][]string{
		framework.PreFilter: {
			"NodeResourcesFit", "NodePorts", "PodTopologySpread", "InterPodAffinity", "VolumeBinding",
		},
		framework.PreScore: {"InterPodAffinity", "PodTopologySpread", "TaintToleration", "SelectorSpread"},
		framework.Score: {
			"NodeResourcesBalancedAllocation", "ImageLocality", "InterPodAffinity", "NodeResourcesLeastAllocated",
			"NodeAffinity", "NodePreferAvoidPods", "PodTopologySpread", "TaintToleration", "SelectorSpread",
		},
	}

	r.Behaviour.Message = framework.CountedNodes{}
	r.Behaviour.AssumedPodExpiry, r.Behaviour.FailureAfterAssumeWakesNoPod = 30*time.Second, true
	r.Behaviour.NoPluginSkipped, r.Behaviour.NominatedNodeNotFirst, r.Behaviour.MissingClaimEndsCycle = true, true, true
	r.Behaviour.EventScope = admission.Checks{OnlyAffinityTermsWake: true, NodeEventConcernsAll: true}
	r.Behaviour.Waits = waits1_19(r.Plugins)
	r.Behaviour.Queue.Sweep.After = flush1_19
	r.Behaviour.Queue.EventsMoveEveryPod, r.Behaviour.Queue.MovesSincePopCount = true, true
	r.Behaviour.Queue.ChangeSkipsBackoff = true

	r.Behaviour.Reading.ImageCountFixedAtUpdate, r.Behaviour.Reading.SeenPodStaysAssumed = true, true
	r.Ways.NodeName.ReasonNamesHostname = true
	r.Ways.TaintToleration.ReasonInPastTense = true
	r.Ways.NodeAffinity.NoPreFilter = true
	r.Ways.InterPodAffinity.GeneralReasonAdded, r.Ways.InterPodAffinity.ScoresStretchFromZero = true, true
	r.Ways.PodTopologySpread.ScoreFractionsCut, r.Ways.PodTopologySpread.NoSystemDefaults = true, true
	r.Ways.PodTopologySpread.ExcludedNodesCounted = true
	r.Ways.NodeResources.BalanceOfCPUAndMemory, r.Ways.NodeResources.UnrequestedShortageRejects = true, true
	r.Ways.DefaultPreemption.AllNodesAreTried, r.Ways.DefaultPreemption.NominationKeptOnFailure = true, true
	r.Ways.DefaultPreemption.AnyDeletionAwaited, r.Ways.DefaultPreemption.ProtectedVictimsFirst = true, true
	r.Ways.VolumeRestrictions.ClaimsUnchecked = true
	r.Ways.VolumeZone.NoPreFilter = true
	r.Ways.NodeVolumeLimits.NoInTreeMigration = true
	r.Ways.VolumeBinding.CapacityUnchecked, r.Ways.VolumeBinding.LostClaimIsBound = true, true
})
