package config

import (
	"fmt"
	"slices"

	"github.com/schedstep/schedstep/internal/spelling"
)

// outOfTree are the plugins of kubernetes-sigs/scheduler-plugins, which is a scheduler of its own.
var outOfTree = []string{
	"CapacityScheduling", "Coscheduling", "CrossNodePreemption", "DiskIO", "LoadVariationRiskBalancing",
	"LowRiskOverCommitment",
	"NetworkOverhead", "NodeMetadata", "NodeResourceTopologyMatch", "NodeResourcesAllocatable", "Peaks", "PodState",
	"PreemptionToleration",
	"QOSSort", "SySched", "TargetLoadPacking", "TopologicalSort",
}

// replaced are plugins that kube-scheduler had once, and what does their work in 1.37.
var replaced = map[string]string{
	"AzureDiskLimits":             "NodeVolumeLimits",
	"CinderLimits":                "NodeVolumeLimits",
	"EBSLimits":                   "NodeVolumeLimits",
	"GCEPDLimits":                 "NodeVolumeLimits",
	"NodeLabel":                   "NodeAffinity with addedAffinity",
	"NodePreferAvoidPods":         "TaintToleration with PreferNoSchedule taints",
	"NodeResourcesLeastAllocated": "NodeResourcesFit with scoringStrategy LeastAllocated",
	"NodeResourcesMostAllocated":  "NodeResourcesFit with scoringStrategy MostAllocated",
	"RequestedToCapacityRatio":    "NodeResourcesFit with scoringStrategy RequestedToCapacityRatio",
	"SelectorSpread":              "PodTopologySpread",
	"ServiceAffinity":             "InterPodAffinity",
}

// whyUnknown says what a name that is no plugin of kube-scheduler 1.37 may be.
func whyUnknown(name string) string {
	if slices.Contains(outOfTree, name) {
		return "belongs to another scheduler, kubernetes-sigs/scheduler-plugins, and cannot run here (take it out to see what kube-scheduler 1.37 alone would do)"
	}
	if now, gone := replaced[name]; gone {
		return fmt.Sprintf("is no plugin of kube-scheduler 1.37 any more (what it did is done by %s)", now)
	}
	if near := spelling.Hint(name, pluginNames()); near != "" {
		return "is no plugin of kube-scheduler 1.37" + near
	}
	return "is no plugin of kube-scheduler 1.37, and plugins of other schedulers cannot run here"
}

// pluginNames lists the registry.
func pluginNames() []string {
	names := make([]string, len(registry))
	for i := range registry {
		names[i] = registry[i].name
	}
	return names
}
