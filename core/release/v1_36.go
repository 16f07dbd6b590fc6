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
var v1_36 = before(v1_37, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.36", "1.36.3", Whole
	r.PodGroups = "" // those of v1alpha2 are read by nobody here
	r.notYet(
		"CompositePodGroup", "DRADerivedAttributes", "DRADeviceCompatibilityGroups", "DRAFractionalCapacityRange",
		"DRAOptionalNodeOperations", "InPlacePodVerticalScalingSchedulerPreemption", "InterPodAffinityHostnameFastPath",
		"PodGroupPreemptionPolicy", "SchedulerPreQueueingHints",
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
	r.Ways.DefaultPreemption = defaultpreemption.Ways{Silent: true, EveryBudget: true, LateStarts: true}
	r.Behaviour.Stale = true
	r.Behaviour.Queue.Unnamed, r.Behaviour.Queue.Sweep.Gated = true, false
	r.Ways.DynamicResources = dynamicresources.Ways{SaysInVain: true}
	r.Ways.ImageLocality = imagelocality.Ways{VolumesOnTop: true}
	r.Ways.InterPodAffinity = interpodaffinity.Ways{SelectorsLinger: true, AllTermsWake: true}

	r.Changes = []Change{
		{
			Who: "DefaultPreemption", Shown: "releases_1_36_preemption_is_silent",
			Does: "a preemption that makes room adds nothing to the message",
			Then: "the message ends with `preemption: found a potential placement for pod on node …, preempting … victims`",
		},
		{
			Who: "DynamicResources", Shown: "releases_1_36_preemption_is_silent",
			Does: "every message of a pod that fits nowhere has `no new claims to deallocate` or `still not schedulable`",
			Then: "it says nothing when it frees nothing",
		},
		{
			Who: "DefaultPreemption", Shown: "releases_1_36_every_budget_counts",
			Does: "a victim counts against every disruption budget that selects it",
			Then: "the first budget that is exceeded is the last that counts it",
		},
		{
			Who: "ImageLocality", Shown: "releases_1_36_image_volumes",
			Does: "image volumes add to what a node has and not to how much it could have",
			Then: "they count as containers do",
		},
		{
			Who: "InterPodAffinity", Shown: "releases_1_36_namespace_selectors_linger",
			Does: "a namespace selector that selects namespaces without labels selects all namespaces",
			Then: "it selects the namespaces that match it",
		},
		{
			Who: "requests of pods", Shown: "releases_1_36_resize_of_each_container",
			Does: "while containers are resized in place, the largest of each container counts",
			Then: "the larger sum of all containers counts",
		},
	}
	r.Changes = append(
		r.Changes,
		Change{
			Who: "OpportunisticBatching", Shown: "releases_1_36_scores_are_dropped",
			Does: "scores of a pod like it are dropped where the node chosen last takes another such pod",
			Then: "that node is scored again and competes with the others",
		},
		Change{
			Who: "nomination", Shown: "releases_1_36_gated_pods_are_not_nominated",
			Does: "a pod that a gate holds back when it arrives is not nominated where its status says",
			Then: "it is, and its node is kept for it",
		},
	)
	r.Gaps = []Gap{
		{"NodeDeclaredFeatures", "updates of other pods are told to it, which changes nothing but who is asked"},
		{"preemption", "the preemptor is tried again when its last victim was only in memory"},
		{
			"DynamicResources",
			"the allocator is that of 1.37: shared counters are kept by driver and pool, and not by pool alone; an " +
				"expression that fails is told with its device and a hint",
		},
		{"DefaultBinder", "a binding that the API server could not take is tried again, as in 1.37"},
		{"pod groups", "GenericWorkload and what needs it, with the Workload and PodGroup of v1alpha2"},
		{"queue", "an update of the pod itself is called TargetPodUpdate…, and not UnschedulablePodUpdate…"},
	}
})
