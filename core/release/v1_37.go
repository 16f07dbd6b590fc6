package release

import (
	"time"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// v1_37 is kube-scheduler 1.37.
var v1_37 = &Release{
	Version: "1.37", Patch: "1.37.1", Compared: Whole,
	Configurations: []string{"kubescheduler.config.k8s.io/v1"},
	PodGroups:      "scheduling.k8s.io/v1beta1",
	Gates: []Gate{
		{Name: "CompositePodGroup", Needs: []string{"GenericWorkload", "TopologyAwareWorkloadScheduling"}},
		{Name: "DRAAdminAccess", On: true, Locked: true},
		{Name: "DRAConsumableCapacity", On: true, Offers: true},
		{Name: "DRADerivedAttributes", Offers: true},
		{Name: "DRADeviceBindingConditions", On: true, Offers: true},
		{Name: "DRADeviceCompatibilityGroups", Offers: true, Needs: []string{"DRAPartitionableDevices"}},
		{Name: "DRADeviceTaintRules", On: true, Offers: true, Needs: []string{"DRADeviceTaints"}},
		{Name: "DRADeviceTaints", On: true, Offers: true},
		{Name: "DRAExtendedResource", On: true, Locked: true},
		// On only with a minimum compatibility version of 1.37, which by default is 1.36.
		{Name: "DRAFractionalCapacityRange", Offers: true, Needs: []string{"DRAConsumableCapacity"}},
		{Name: "DRAListTypeAttributes", Offers: true},
		{Name: "DRANodeAllocatableResources"},
		{Name: "DRAOptionalNodeOperations", Offers: true},
		{Name: "DRAPartitionableDevices", On: true, Offers: true},
		{Name: "DRAPrioritizedList", On: true, Locked: true},
		{Name: "DRAResourceClaimDeviceStatus", On: true, Locked: true},
		{Name: "DRASchedulerFilterTimeout", On: true, Offers: true},
		{Name: "DRAWorkloadResourceClaims", Needs: []string{"GenericWorkload"}},
		{Name: "DynamicResourceAllocation", On: true, Locked: true},
		{Name: "GenericWorkload", Offers: true},
		{Name: "InPlacePodLevelResourcesVerticalScaling", On: true, Offers: true, Needs: []string{"PodLevelResources"}},
		{Name: "InPlacePodVerticalScaling", On: true, Locked: true},
		{Name: "InPlacePodVerticalScalingSchedulerPreemption"},
		{Name: "InterPodAffinityHostnameFastPath", Offers: true},
		{Name: "MatchLabelKeysInPodTopologySpread", On: true, Offers: true},
		{Name: "NodeDeclaredFeatures", On: true, Locked: true},
		{Name: "NodeInclusionPolicyInPodTopologySpread", On: true, Locked: true},
		{Name: "NominatedNodeNameForExpectation", On: true, Offers: true},
		{Name: "OpportunisticBatching", On: true, Offers: true},
		{Name: "PodGroupPreemptionPolicy", Offers: true, Needs: []string{"GenericWorkload"}},
		{Name: "PodLevelResources", On: true, Offers: true},
		{Name: "SchedulerAsyncAPICalls"},
		{Name: "SchedulerAsyncPreemption", On: true, Offers: true},
		{Name: "SchedulerPopFromBackoffQ", On: true, Offers: true},
		{Name: "SchedulerPreQueueingHints"},
		{Name: "StorageCapacityScoring", On: true, Offers: true},
		{Name: "TaintTolerationComparisonOperators", Offers: true},
		{Name: "TopologyAwareWorkloadScheduling", Offers: true, Needs: []string{"GenericWorkload"}},
		{Name: "VolumeAttributesClass", On: true, Locked: true},
		{Name: "VolumeLimitScaling", On: true, Offers: true},
	},
	Behaviour: framework.Behaviour{
		Preselection: framework.EveryNode{},
		EventScope:   framework.EveryPodConcerned{},
		Search:       framework.Sampling{},
		Studies:      framework.Studies{Disjoint: trace.UnschedulableAndUnresolvable},
		Rejection:    framework.FirstFailure{},
		Scale: framework.Scale{
			Max: framework.MaxNodeScore, Extender: framework.MaxNodeScore / framework.MaxExtenderScore,
		},
		TieBreak: framework.HeapRoot{},
		Message:  framework.CountedReasons{},
		Groups:   framework.GroupBehaviour{Search: framework.OnAllNodes{}, Policy: framework.PodsAgree{}},
		Phases: []trace.Phase{
			trace.PhasePop, trace.PhasePreFilter, trace.PhaseFilter, trace.PhasePostFilter, trace.PhasePreScore,
			trace.PhaseScore, trace.PhaseSelect, trace.PhaseReserve, trace.PhasePermit, trace.PhasePreBind,
			trace.PhaseBind, trace.PhasePostBind, trace.PhaseFailure, trace.PhaseEnd,
		},
		Queue: queue.Discipline{
			Backoff: queue.WindowedBackoff{Window: time.Second, Count: queue.FailuresOfOneKind},
			Requeue: queue.ByHints{},
			Sweep:   queue.Sweep{Every: 30 * time.Second, After: 5 * time.Minute, RetriesGated: true},
			Labels: queue.Labels{
				Arrived: "UnscheduledPodAdd", Changed: "UnscheduledPodUpdate",
				GroupKnown: "scheduling.k8s.io/PodGroupAdd", Failed: "ScheduleAttemptFailure",
				BackoffOver: "BackoffComplete", PoppedEarly: "PopFromBackoffQ",
			},
		},
	},
	PreemptionOrder: []trace.Criterion{
		trace.ByViolations, trace.ByHighestPriority, trace.ByPrioritySum, trace.ByVictims, trace.ByEarliestStart,
	},
	Plugins: []Plugin{
		{Name: "SchedulingGates", Points: points(framework.PreEnqueue)},
		{Name: "PrioritySort", Points: points(framework.QueueSort)},
		{Name: "NodeName", Points: filters()},
		{Name: "NodeUnschedulable", Points: filters()},
		{Name: "TaintToleration", Points: filters(framework.PreScore, framework.Score), Weight: 3},
		{Name: "NodeAffinity", Points: filters(framework.PreScore, framework.Score), Weight: 2},
		{Name: "NodePorts", Points: filters()},
		{
			Name: "NodeResourcesFit", Weight: 1,
			Points: filters(framework.PreScore, framework.Score, framework.PlacementScore),
		},
		{Name: "VolumeRestrictions", Points: filters()},
		{Name: "NodeVolumeLimits", Points: filters()},
		{
			Name:   "VolumeBinding",
			Points: filters(framework.PreScore, framework.Score, framework.Reserve, framework.PreBind),
		},
		{Name: "VolumeZone", Points: filters()},
		{Name: "PodTopologySpread", Points: filters(framework.PreScore, framework.Score), Weight: 2},
		{Name: "InterPodAffinity", Points: filters(framework.PreScore, framework.Score), Weight: 2},
		{
			Name: "DynamicResources", Weight: 2,
			Points: points(
				framework.PreEnqueue, framework.PreFilter, framework.Filter, framework.PostFilter,
				framework.PodGroupPostFilter, framework.Score, framework.Reserve, framework.PreBind,
			),
		},
		{
			Name:   "DefaultPreemption",
			Points: points(framework.PreEnqueue, framework.PostFilter, framework.PodGroupPostFilter),
		},
		{Name: "NodeResourcesBalancedAllocation", Points: points(framework.PreScore, framework.Score), Weight: 1},
		{Name: "ImageLocality", Points: points(framework.Score), Weight: 1},
		{Name: "DefaultBinder", Points: points(framework.Bind)},
		{Name: "NodeDeclaredFeatures", Points: filters()},

		{
			Name: "GangScheduling", Points: points(framework.PreEnqueue, framework.Permit),
			In: ByGate, Gate: "GenericWorkload",
		},
		{
			Name: "TopologyPlacementGenerator", Points: points(framework.PlacementGenerate),
			In: ByGate, Gate: "TopologyAwareWorkloadScheduling",
		},
		{
			Name: "PodGroupPodsCount", Points: points(framework.PlacementScore), Weight: 1,
			In: ByGate, Gate: "TopologyAwareWorkloadScheduling",
		},

		{
			Name: "DeferredPodScheduling", Points: points(framework.PreFilter, framework.Filter, framework.Permit),
			In: Never,
		},
	},
}

// points is a list of extension points.
func points(list ...framework.Point) []framework.Point { return list }

// filters are the extension points of a plugin that filters, with others that it has besides.
func filters(besides ...framework.Point) []framework.Point {
	return append([]framework.Point{framework.PreFilter, framework.Filter}, besides...)
}
