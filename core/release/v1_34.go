package release

import "github.com/schedstep/schedstep/core/framework"

// v1_34 is kube-scheduler 1.34.
var v1_34 = like(v1_35, func(r *Release) {
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
	r.Ways.DynamicResources.PartOfDeviceIsError = true
})
