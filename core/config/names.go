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

// whyUnknown suggests what a name that is no plugin of the release may be.
func (c *catalogue) whyUnknown(name string) string {
	none := "is no plugin of kube-scheduler " + c.release.Version
	if slices.ContainsFunc(c.rows, func(r row) bool { return r.outside != nil }) {
		none += " or of this program"
	}
	if slices.Contains(outOfTree, name) {
		return "belongs to another scheduler, kubernetes-sigs/scheduler-plugins, and cannot run here " +
			"(take it out to see what kube-scheduler " + c.release.Version + " alone would do)"
	}
	if first, later := c.release.FirstToHave(name); later {
		return fmt.Sprintf("%s yet (kube-scheduler %s is the first to have it)", none, first)
	}
	now, gone := replaced[name]
	if last, old := c.release.LastToHave(name); old && !gone {
		return fmt.Sprintf("%s any more (kube-scheduler %s was the last to have it)", none, last)
	}
	if gone {
		return fmt.Sprintf("%s any more (what it did is done by %s)", none, now)
	}
	if near := spelling.Hint(name, c.names()).String(); near != "" {
		return none + near
	}
	return none + ", and this program was not built with a plugin of that name (docs/plugins.md)"
}

// names lists the plugins.
func (c *catalogue) names() []string {
	names := make([]string, len(c.rows))
	for i := range c.rows {
		names[i] = c.rows[i].Name
	}
	return names
}
