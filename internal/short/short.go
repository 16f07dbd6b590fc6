// Package short has short forms of the names of plugins, as they stand over columns.
package short

import "strings"

// names are what stands over the columns of plugins, at most six letters each.
var names = map[string]string{
	"DefaultBinder":                   "Binder",
	"DefaultPreemption":               "Preemp",
	"DeferredPodScheduling":           "Defer",
	"DynamicResources":                "DRA",
	"GangScheduling":                  "Gang",
	"PodGroupPodsCount":               "Pods",
	"ImageLocality":                   "Image",
	"InterPodAffinity":                "PodAff",
	"NodeAffinity":                    "Affin",
	"NodeDeclaredFeatures":            "Feat",
	"NodeName":                        "Name",
	"NodePorts":                       "Ports",
	"NodeResourcesBalancedAllocation": "Balan",
	"NodeResourcesFit":                "Fit",
	"NodeUnschedulable":               "Unsch",
	"NodeVolumeLimits":                "VolLim",
	"PodTopologySpread":               "Spread",
	"SchedulingGates":                 "Gates",
	"TaintToleration":                 "Taint",
	"VolumeBinding":                   "VolBnd",
	"VolumeRestrictions":              "VolRes",
	"VolumeZone":                      "Zone",
}

// Known is the short form of a plugin's name; false: it has none.
func Known(plugin string) (string, bool) {
	name, known := names[plugin]
	return name, known
}

// Long is the name of the plugin with a short form, in whatever letters; "" where no plugin has it.
func Long(name string) string {
	for plugin, form := range names {
		if strings.EqualFold(form, name) { // no two have the same, so the order does not matter
			return plugin
		}
	}
	return ""
}
