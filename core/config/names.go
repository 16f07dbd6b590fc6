package config

import (
	"fmt"
	"slices"
	"strings"
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
	if near := nearest(name); near != "" {
		return fmt.Sprintf("is no plugin of kube-scheduler 1.37 (did you mean %q?)", near)
	}
	return "is no plugin of kube-scheduler 1.37, and plugins of other schedulers cannot run here"
}

// nearest is the plugin whose name is fewest edits away, if that is near enough to be meant; "" otherwise.
func nearest(name string) string {
	best, fewest := "", 1+max(2, len(name)/4)
	for i := range registry {
		if d := distance(strings.ToLower(name), strings.ToLower(registry[i].name)); d < fewest {
			best, fewest = registry[i].name, d
		}
	}
	return best
}

// distance counts the letters to insert, delete or replace to get from a to b (Levenshtein).
func distance(a, b string) int {
	above := make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := range len(a) {
		current := make([]int, len(b)+1)
		current[0] = i + 1
		for j := range len(b) {
			change := above[j]
			if a[i] != b[j] {
				change++
			}
			current[j+1] = min(change, above[j+1]+1, current[j]+1)
		}
		above = current
	}
	return above[len(b)]
}
