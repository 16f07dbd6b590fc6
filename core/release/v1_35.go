package release

// v1_35 is kube-scheduler 1.35.
var v1_35 = like(v1_36, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.35", "1.35.4", Whole
	r.notYet(
		"DRAListTypeAttributes", "DRANodeAllocatableResources", "DRAWorkloadResourceClaims",
		"TopologyAwareWorkloadScheduling", "WorkloadAwarePreemption",
	)
	r.oneSetting(
		"InPlacePodLevelResourcesVerticalScaling", "MatchLabelKeysInPodTopologySpread", "NominatedNodeNameForExpectation",
		"PodLevelResources", "SchedulerAsyncPreemption", "SchedulerPopFromBackoffQ", "TaintTolerationComparisonOperators",
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

	r.Ways.DynamicResources.ScoreCountsEveryClaim = true
	r.Ways.ImageLocality.VolumesUncounted = true
	r.Ways.InterPodAffinity.HintsReadOwnTermsOnly = true
	r.Ways.NodeResources.BalanceWithPodOnly = true
	r.Ways.NodeVolumeLimits.PortworxByAnnotation = true
	r.Ways.PodTopologySpread.HintsReadPlacedPodsOnly = true
})
