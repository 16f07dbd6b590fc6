package release

import (
	"slices"

	"github.com/schedstep/schedstep/core/plugins/admission"
)

// v1_30 is kube-scheduler 1.30.
var v1_30 = like(v1_31, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.30", "1.30.14", Whole
	r.notYet("DRAControlPlaneController", "VolumeAttributesClass")
	r.gates(false, "CSIMigrationPortworx", "CSIMigrationRBD")
	r.gates(true, "PodDisruptionConditions")

	r.Plugins = slices.Insert(
		r.Plugins, r.plugin("NodeVolumeLimits"), Plugin{Name: "EBSLimits", Points: filters()},
		Plugin{Name: "GCEPDLimits", Points: filters()},
	)
	r.Plugins = slices.Insert(
		r.Plugins, r.plugin("VolumeBinding"), Plugin{Name: "AzureDiskLimits", Points: filters()},
	)
	r.Plugins = append(r.Plugins, Plugin{Name: "CinderLimits", Points: filters(), In: Never})

	r.Behaviour.EventScope, r.Behaviour.Waits = admission.Checks{OnlyAffinityTermsWake: true}, waits1_30
	r.Behaviour.NodeSetPluginsUnblamed = true
	r.Ways.NodeVolumeLimits.RBDPodsExamined = true
	r.Ways.VolumeBinding.AttributesClassIgnored = true
})
