package release

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/defaultpreemption"
	"github.com/schedstep/schedstep/core/plugins/dynamicresources"
	"github.com/schedstep/schedstep/core/plugins/imagelocality"
	"github.com/schedstep/schedstep/core/plugins/interpodaffinity"
)

// v1_36 is kube-scheduler 1.36.
var v1_36 = like(v1_37, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.36", "1.36.3", Whole
	r.PodGroups = "" // those of v1alpha2 are read by nobody here
	r.notYet(
		"CompositePodGroup", "DRADerivedAttributes", "DRADeviceCompatibilityGroups", "DRAFractionalCapacityRange",
		"DRAOptionalNodeOperations", "InPlacePodVerticalScalingSchedulerPreemption", "InterPodAffinityHostnameFastPath",
		"PodGroupPreemptionPolicy", "SchedulerPreQueueingHints",
	)
	r.oneSetting( // its allocator of devices differs in more than these gates
		"DRAConsumableCapacity", "DRADeviceBindingConditions", "DRADeviceTaints", "DRAListTypeAttributes",
		"DRAPartitionableDevices",
	)
	r.gates(false, "DRADeviceTaintRules", "GenericWorkload")
	r.offer(false, "StorageCapacityScoring", "VolumeLimitScaling")
	r.gates(true, "DRAExtendedResource", "DRAPrioritizedList", "DRAResourceClaimDeviceStatus", "NodeDeclaredFeatures")
	for _, name := range []string{"GangScheduling", "TopologyAwareWorkloadScheduling", "WorkloadAwarePreemption"} {
		r.gate(Gate{Name: name, Needs: []string{"GenericWorkload"}})
	}
	r.gate(Gate{Name: "SchedulerQueueingHints", On: true, Locked: true})
	r.gate(Gate{Name: "SidecarContainers", On: true, Locked: true})

	gangs := r.Plugins[r.plugin("GangScheduling")]
	gangs.Gate = "GangScheduling"
	r.replace(gangs)
	r.swap("NodeName", "NodeUnschedulable")
	for _, name := range []string{"NodeName", "NodeUnschedulable"} {
		r.replace(Plugin{Name: name, Points: points(framework.Filter)})
	}
	r.replace(Plugin{
		Name: "TaintToleration", Points: points(framework.Filter, framework.PreScore, framework.Score), Weight: 3,
	})
	r.without("DeferredPodScheduling")

	r.Behaviour.Reading.Requests.Resize = cluster.LargestOfEach
	r.Behaviour.Reading.Unseen = cluster.UpdatePodScaleUp | cluster.UpdateNodePreemptionPolicy
	r.Ways.DefaultPreemption = defaultpreemption.Ways{
		SuccessHasNoReason: true, VictimChargedToEveryBudget: true, UnstartedPodStartsNow: true,
	}
	r.Behaviour.BatchEndsIfNodeFitsAgain = true
	r.Behaviour.Queue.GatedArrivalNotNominated, r.Behaviour.Queue.Sweep.RetriesGated = true, false
	r.Ways.DynamicResources = dynamicresources.Ways{FreeingNothingHasReason: true, CountersForEveryNode: true}
	r.Ways.ImageLocality = imagelocality.Ways{VolumesRaiseNoThreshold: true}
	r.Ways.InterPodAffinity = interpodaffinity.Ways{ResolvedSelectorKept: true, HintsJoinAntiAffinity: true}
})
