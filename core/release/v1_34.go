package release

import "github.com/schedstep/schedstep/core/framework"

// v1_34 is kube-scheduler 1.34.
var v1_34 = before(v1_35, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.34", "1.34.4", Whole
	r.notYet(
		"DRADeviceTaintRules", "GangScheduling", "GenericWorkload", "InPlacePodLevelResourcesVerticalScaling",
		"NodeDeclaredFeatures", "OpportunisticBatching", "TaintTolerationComparisonOperators", "VolumeLimitScaling",
	)
	r.offer(false, "NominatedNodeNameForExpectation")
	r.gates(true, "DynamicResourceAllocation", "InPlacePodVerticalScaling")

	r.without("GangScheduling", "NodeDeclaredFeatures")
	r.replace(Plugin{Name: "DynamicResources", Points: points(
		framework.PreEnqueue, framework.PreFilter, framework.Filter, framework.PostFilter, framework.Reserve,
		framework.PreBind,
	)})
	r.Behaviour.TieBreak = framework.Reservoir{}
	r.Ways.DynamicResources.NoShares = true

	r.Changes = []Change{
		{
			Who: "tie-break", Shown: "releases_1_34_ties_by_chance",
			Does: "each of the nodes with the highest total has the same chance",
			Then: "the root of a heap over the totals is taken",
		},
		{
			Who: "nomination", Shown: "releases_1_34_waiting_pods_are_not_nominated",
			Does: "a pod that waits on its node for volumes is not nominated there",
			Then: "it is, while it waits",
		},
		{
			Who: "DynamicResources", Shown: "releases_1_34_alternatives_are_not_scored",
			Does: "which of several alternatives a node offers does not count",
			Then: "a node with an earlier one is preferred",
		},
		{
			Who: "DynamicResources", Shown: "releases_1_34_parts_of_devices_are_errors",
			Does: "a claim for a part of a device is an error without DRAConsumableCapacity",
			Then: "the part is passed over, and the claim gets the whole device",
		},
	}
	r.Gaps = []Gap{
		{"DynamicResources", "a pool that is invalid is passed over, as in 1.35, and is no error"},
		{"preemption", "victims that are going already are not told again, as in 1.35"},
		{"preemption", "the preemptor is held until the last victim is gone, as in 1.35"},
		{"events", "an assumed pod that is deleted frees its room at once, as in 1.35"},
		{"profiles", "one without PostFilter clears the nomination of a pod that fits nowhere, as in 1.35"},
	}
})
