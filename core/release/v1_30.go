package release

import (
	"slices"

	"github.com/schedstep/schedstep/core/plugins/admission"
)

// v1_30 is kube-scheduler 1.30.
var v1_30 = before(v1_31, func(r *Release) {
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

	r.Behaviour.Hearing, r.Behaviour.Waits = admission.Checks{TermsOnly: true}, waits1_30
	r.Behaviour.Unblamed = true
	r.Ways.NodeVolumeLimits.RBD = true
	r.Ways.VolumeBinding.AnyAttributes = true

	r.Changes = []Change{
		{
			Who: "EBSLimits, GCEPDLimits, AzureDiskLimits", Shown: "releases_1_30_too_many_disks",
			Does: "on nodes without a CSINode the disks of each provider are counted",
			Then: "they are counted by nobody, and a configuration that names these plugins is refused",
		},
		{
			Who: "queue", Shown: "releases_1_30_who_named_the_nodes",
			Does: "a plugin that left nodes out in PreFilter is none of those that rejected the pod", Then: "it is",
		},
		{
			Who: "queue", Shown: "releases_1_30_spreading_pods_sleep",
			Does: "a pod that comes is told to those that require it near",
			Then: "it is told also to those of its namespace that PodTopologySpread rejected",
		},
		{
			Who: "VolumeBinding", Shown: "releases_1_30_classes_of_attributes",
			Does: "classes of attributes are not looked at",
			Then: "a claim with one is an error without VolumeAttributesClass",
		},
	}
	r.Gaps = []Gap{
		{"EBSLimits, GCEPDLimits, AzureDiskLimits", "KUBE_MAX_PD_VOLS, which overrides their limits"},
		{"InterPodAffinity", "matchLabelKeys of affinity are merged by the API server, as in 1.31"},
		{"nomination", "a pod counts on its nominated node as it is now, and not as it was when it was nominated"},
		{
			"nomination",
			"a plugin that rejects the nominated node, which is outside the nodes that PreFilter leaves, wakes the pod as in 1.31",
		},
		{"CSI migration", "CSIMigrationRBD=true and CSIMigrationPortworx=true"},
		{"DynamicResources", "DynamicResourceAllocation=true of this release, with objects of v1alpha2"},
	}
})
