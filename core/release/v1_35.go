package release

// v1_35 is kube-scheduler 1.35.
var v1_35 = before(v1_36, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.35", "1.35.4", Whole
	r.notYet(
		"DRAListTypeAttributes", "DRANodeAllocatableResources", "DRAWorkloadResourceClaims",
		"TopologyAwareWorkloadScheduling", "WorkloadAwarePreemption",
	)
	r.gates(
		false, "DRAConsumableCapacity", "DRADeviceBindingConditions", "DRADeviceTaints", "DRAExtendedResource",
		"DRAPartitionableDevices", "InPlacePodLevelResourcesVerticalScaling", "NodeDeclaredFeatures", "VolumeLimitScaling",
	)
	r.gates(true, "DRAAdminAccess", "VolumeAttributesClass")
	r.gate(Gate{Name: "CSIMigrationPortworx", On: true, Locked: true})

	r.without("TopologyPlacementGenerator", "PodGroupPodsCount")
	declared := r.Plugins[r.plugin("NodeDeclaredFeatures")]
	declared.In, declared.Gate = ByGate, "NodeDeclaredFeatures"
	r.replace(declared)

	r.Ways.ImageLocality.NoVolumes = true
	r.Ways.InterPodAffinity.OwnTermsWake = true
	r.Ways.NodeResources.EndCounts = true
	r.Ways.NodeVolumeLimits.PortworxSaysSo = true
	r.Ways.PodTopologySpread.PlacedWake = true

	r.Changes = []Change{
		{
			Who: "NodeResourcesBalancedAllocation", Shown: "releases_1_35_balance_with_the_pod",
			Does: "a node scores by how even its resources are with the pod",
			Then: "it scores by what the pod does to that: 75 when it stays as it is",
		},
		{
			Who: "ImageLocality", Shown: "releases_1_35_image_volumes",
			Does: "image volumes count for nothing", Then: "they add to what a node has",
		},
		{
			Who: "InterPodAffinity", Shown: "releases_1_35_blocked_by_a_pod_that_goes",
			Does: "a pod kept away by the anti-affinity of another is not woken when that one goes",
			Then: "it is woken",
		},
		{
			Who: "NodeResourcesFit", Shown: "releases_1_35_classes_stand_for_nothing",
			Does: "no DeviceClass stands for an extended resource, and one that comes wakes nobody",
			Then: "who asks for the resource is woken, and gets a device (DRAExtendedResource)",
		},
	}
	r.Gaps = []Gap{
		{
			"DynamicResources",
			"a search that takes too long, and what is said of bindings that do not come in time and of claims that were " +
				"made for another pod: as in 1.36",
		},
		{
			"NodeVolumeLimits",
			"VolumeLimitScaling=true of this release, which asks for the driver whatever the CSIDriver says",
		},
		{"preemption", "a victim that waits at Permit is displaced as in 1.36, and one in PreBind too"},
		{"failures", "a pod made again under its name while it was tried is left alone, as in 1.36"},
		{"configuration", "NodeResourcesFitArgs are judged as in 1.36"},
		{"DefaultBinder, queue", "as in 1.36"},
	}
})
