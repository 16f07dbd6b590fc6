package tables

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/conformance/tables/record"
)

// asked is a predicate or a priority as a Policy calls it, with its argument in the Policy.
type asked struct {
	name      string
	predicate bool
	argument  any
}

// predicates and priorities are the names that a Policy has for functions of upstream's.
var (
	predicates = map[string]string{
		"PodFitsResources": "PodFitsResources", "PodFitsHost": "HostName", "PodFitsHostPorts": "PodFitsHostPorts",
		"NoDiskConflict": "NoDiskConflict", "PodMatchNodeSelector": "MatchNodeSelector",
		"PodSelectorMatches": "MatchNodeSelector", "GeneralPredicates": "GeneralPredicates",
		"InterPodAffinityMatches": "MatchInterPodAffinity", "PodToleratesNodeTaints": "PodToleratesNodeTaints",
		"CheckNodeMemoryPressurePredicate": "CheckNodeMemoryPressure",
		"CheckNodeDiskPressurePredicate":   "CheckNodeDiskPressure",
		"CheckNodeConditionPredicate":      "CheckNodeCondition",
	}
	priorities = map[string]string{
		"BalancedResourceAllocationMap": "BalancedResourceAllocation", "LeastRequestedPriorityMap": "LeastRequestedPriority",
		"MostRequestedPriorityMap": "MostRequestedPriority", "ImageLocalityPriorityMap": "ImageLocalityPriority",
		"CalculateNodeAffinityPriorityMap":        "NodeAffinityPriority",
		"CalculateNodeAffinityPriorityReduce":     "NodeAffinityPriority",
		"CalculateNodePreferAvoidPodsPriorityMap": "NodePreferAvoidPodsPriority",
		"ResourceLimitsPriorityMap":               "ResourceLimitsPriority",
		"CalculateSpreadPriority":                 "SelectorSpreadPriority",
		"CalculateSpreadPriorityMap":              "SelectorSpreadPriority",
		"CalculateSpreadPriorityReduce":           "SelectorSpreadPriority",
		"ComputeTaintTolerationPriorityMap":       "TaintTolerationPriority",
		"ComputeTaintTolerationPriorityReduce":    "TaintTolerationPriority",
	}
	// allocations are the names in 1.10 of the priorities that use one of its scorers.
	allocations = map[string]string{
		"BalancedResourceAllocation": "BalancedResourceAllocation", "LeastResourceAllocation": "LeastRequestedPriority",
		"MostResourceAllocation": "MostRequestedPriority",
	}
	affinityAgainst = []string{
		"CalculateAntiAffinityPriority", "CalculateAntiAffinityPriorityMap", "CalculateAntiAffinityPriorityReduce",
	}
)

func askedBy(call *record.Call) (asked, error) {
	if name, is := predicates[call.Function]; is {
		return asked{name: name, predicate: true}, nil
	}
	if name, is := priorities[call.Function]; is {
		return asked{name: name}, nil
	}
	r, _ := call.Receiver.(map[string]any)
	argument := func(name string, fields ...string) any {
		values := map[string]any{}
		for _, field := range fields {
			values[field] = r[field]
		}
		return map[string]any{name: values}
	}
	switch {
	case call.Function == "CheckNodeLabelPresence":
		return asked{"CheckNodeLabelPresence", true, argument("labelsPresence", "labels", "presence")}, nil
	case call.Function == "checkServiceAffinity":
		return asked{"CheckServiceAffinity", true, argument("serviceAffinity", "labels")}, nil
	case call.Function == "predicate" && r["maxVolumes"] != nil:
		return asked{"MaxEBSVolumeCount", true, map[string]any{"maxVolumes": r["maxVolumes"]}}, nil
	case call.Function == "predicate":
		return asked{"NoVolumeZoneConflict", true, nil}, nil
	case call.Function == "PriorityMap" && allocations[fmt.Sprint(r["Name"])] != "":
		return asked{name: allocations[fmt.Sprint(r["Name"])]}, nil
	case call.Function == "CalculateInterPodAffinityPriority":
		return asked{
			name:     "InterPodAffinityPriority",
			argument: map[string]any{"hardPodAffinitySymmetricWeight": r["hardPodAffinityWeight"]},
		}, nil
	case call.Function == "CalculateNodeLabelPriorityMap":
		return asked{name: "NodeLabel", argument: argument("labelPreference", "label", "presence")}, nil
	case slices.Contains(affinityAgainst, call.Function):
		return asked{name: "ServiceAntiAffinity", argument: argument("serviceAntiAffinity", "label")}, nil
	}
	return asked{}, fmt.Errorf("%s has no name", call.Function)
}

// compatibility is the test of the files of kind Policy, whose table is a map: its rows come by chance.
const compatibility = "TestCompatibility_v1_Scheduler"

// leftOut are the tests that are no cases, with the reason for each.
var leftOut = map[string]string{
	"TestPredicateMetadata_AddRemovePod": "compares two forms of a thing computed before the predicates; says nothing " +
		"of a pod",
	"TestPredicateMetadata_ShallowCopy": "copies a thing computed before the predicates; says nothing of a pod",
	"TestPriorityMetadata":              "compares a thing computed before the priorities; says nothing of a node",
	"TestGetNodeClassificationByLabels": "a helper that sorts nodes into those with a label and those without",
	"TestGetUsedPorts":                  "a helper that lists ports; PodFitsHostPorts shows it",
	"TestCopyAndReplace":                "a helper that changes a set of names",
	"TestDefaultPriorities":             "the names of the default priorities; the table of the release has them",
	"TestDefaultPredicates":             "the names of the default predicates; the table of the release has them",
	"TestGetMaxVols": "how the environment variable KUBE_MAX_PD_VOLS is read; what it says is the " +
		"argument of MaxEBSVolumeCount",
	"TestPriorityQueue_Pop": "one goroutine waits for the pod that another adds; what the queue holds " +
		"between the two goes by chance",
	"TestUnschedulablePodsMap": "a map by pod with the methods of a map; TestPriorityQueue_* show what waits " +
		"in it",
	"TestUpdateCachedPredicateItem": "fills the map of the equivalence cache by its methods, under numbers made up; " +
		"here the cache is told as facts of cycles",
	"TestPredicateWithECache": "reads the map of the equivalence cache by its methods, under numbers made up; " +
		"here the cache is told as facts of cycles",
	"TestGetHashEquivalencePod": "which number a pod has in the equivalence cache; " +
		"here its controller is what pods have in common",
	"TestInvalidateCachedPredicateItemOfAllNodes": "empties the map of the equivalence cache by its methods; " +
		"here events do, in releases_1_10_equivalence_cache.txt",
	"TestInvalidateAllCachedPredicateItemOfNode": "empties the map of the equivalence cache by its methods; " +
		"here events do, in releases_1_10_equivalence_cache.txt",
}

// others are the folders of the scheduler whose tests are no cases, with the reason for each.
var others = map[string]string{
	".": "the loop with clients, events and caches that are made up; scenarios of the release " +
		"show what comes of it",
	"algorithm": "the interface of a scheduler and no case",
	"algorithm/priorities/util": "helpers without a pod and a node: what a container asks for when it says nothing, " +
		"which terms match",
	"algorithmprovider": "that names are registered; the table of the release has them",
	"api/validation":    "which weights a Policy may have: core/config refuses them, and its tests show it",
	"factory":           "how a scheduler is put together out of names; the files of kind Policy show it",
	"schedulercache": "the cache of nodes and assumed pods as a structure, asked by its methods; no " +
		"decision of the scheduler",
	"util": "the durations of the backoff by a clock of its own, and helpers",
}

// cleaned is a value without what has no content: null, and fields that the types of the API write though they are not
// set.
func cleaned(value any) any {
	switch v := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, of := range v {
			of = cleaned(of)
			if of == nil || unset(key, of) {
				continue
			}
			if key == "deletionTimestamp" { // some are the moment of the run
				of = "2018-01-01T00:00:00Z"
			}
			kept[key] = of
		}
		return kept
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = cleaned(v[i])
		}
		return list
	default:
		return value
	}
}

// unset reports whether a field of an object was written because Go writes structures that are empty.
func unset(key string, value any) bool {
	fields, is := value.(map[string]any)
	if !is {
		return false
	}
	switch key {
	case "status", "spec", "metadata", "resources", "loadBalancer", "strategy", "updateStrategy", "template",
		"securityContext":
		return len(fields) == 0
	case "daemonEndpoints":
		endpoint, _ := fields["kubeletEndpoint"].(map[string]any)
		return endpoint["Port"] == 0.0
	case "nodeInfo":
		for _, of := range fields {
			if text, is := of.(string); !is || text != "" {
				return false
			}
		}
		return true
	}
	return false
}

// fileName is the name of the file of data for a file of tests.
func fileName(of string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(of, "algorithm/"), "_test.go"), "/", "_") + ".json"
}
