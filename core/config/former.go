package config

import (
	"github.com/schedstep/schedstep/core/former/nodelabel"
	"github.com/schedstep/schedstep/core/former/nodepreferavoidpods"
	"github.com/schedstep/schedstep/core/former/predicates"
	"github.com/schedstep/schedstep/core/former/priorities"
	"github.com/schedstep/schedstep/core/former/selectorspread"
	"github.com/schedstep/schedstep/core/former/serviceaffinity"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/interpodaffinity"
	"github.com/schedstep/schedstep/core/plugins/nodeaffinity"
	"github.com/schedstep/schedstep/core/plugins/nodename"
	"github.com/schedstep/schedstep/core/plugins/nodeports"
	"github.com/schedstep/schedstep/core/plugins/noderesources"
	"github.com/schedstep/schedstep/core/plugins/queuesort"
	"github.com/schedstep/schedstep/core/plugins/tainttoleration"
	"github.com/schedstep/schedstep/core/plugins/volumebinding"
	"github.com/schedstep/schedstep/core/plugins/volumerestrictions"
	"github.com/schedstep/schedstep/core/release"
)

// maker builds a plugin out of the args of a profile.
type maker = func(*arguments) (framework.Plugin, error)

// formerMakers builds the predicates and priorities of releases before the framework.
var formerMakers = map[string]maker{
	"FIFO":          func(*arguments) (framework.Plugin, error) { return queuesort.NewFIFO(), nil },
	"PriorityQueue": func(*arguments) (framework.Plugin, error) { return queuesort.NewPriorityOnly(), nil },

	"CheckNodeCondition":      byWays(predicates.Condition),
	"CheckNodeUnschedulable":  byWays(predicates.Unschedulable),
	"CheckNodeMemoryPressure": byWays(predicates.MemoryPressure),
	"CheckNodeDiskPressure":   byWays(predicates.DiskPressure),
	"MatchInterPodAffinity":   byWays(predicates.Affinity),
	"NoVolumeZoneConflict":    byWays(predicates.VolumeZone),
	"MaxEBSVolumeCount":       volumeCount("MaxEBSVolumeCount"),
	"MaxGCEPDVolumeCount":     volumeCount("MaxGCEPDVolumeCount"),
	"MaxAzureDiskVolumeCount": volumeCount("MaxAzureDiskVolumeCount"),
	"GeneralPredicates": predicateOf(
		"GeneralPredicates", room, hostname, ports, selector,
	),
	"PodFitsResources":       predicateOf("PodFitsResources", room),
	"HostName":               predicateOf("HostName", hostname),
	"PodFitsHostPorts":       predicateOf("PodFitsHostPorts", ports),
	"PodFitsPorts":           predicateOf("PodFitsPorts", ports),
	"MatchNodeSelector":      predicateOf("MatchNodeSelector", selector),
	"PodToleratesNodeTaints": predicateOf("PodToleratesNodeTaints", taints),
	"NoDiskConflict": predicateOf("NoDiskConflict", func(a *arguments) (framework.Plugin, error) {
		return volumerestrictions.New(a.ways.VolumeRestrictions), nil
	}),
	"CheckVolumeBinding": func(a *arguments) (framework.Plugin, error) {
		return checkVolumeBinding{volumebinding.New(a.volumeBinding, a.ways.VolumeBinding)}, nil
	},

	"BalancedResourceAllocation": func(a *arguments) (framework.Plugin, error) {
		return priorities.Balanced(a.ways.Priorities), nil
	},
	"EqualPriority":          func(*arguments) (framework.Plugin, error) { return priorities.Equal(), nil },
	"ImageLocalityPriority":  func(*arguments) (framework.Plugin, error) { return priorities.ImageLocality(), nil },
	"LeastRequestedPriority": func(*arguments) (framework.Plugin, error) { return priorities.LeastRequested(), nil },
	"MostRequestedPriority":  func(*arguments) (framework.Plugin, error) { return priorities.MostRequested(), nil },
	"ResourceLimitsPriority": func(*arguments) (framework.Plugin, error) { return priorities.ResourceLimits(), nil },
	"InterPodAffinityPriority": func(a *arguments) (framework.Plugin, error) {
		plugin := interpodaffinity.New(a.interPodAffinity, a.ways.InterPodAffinity)
		return priorities.Of("InterPodAffinityPriority", plugin, nil, priorities.Stretched), nil
	},
	"NodeAffinityPriority": func(a *arguments) (framework.Plugin, error) {
		plugin, err := nodeaffinity.New(a.nodeAffinity, a.ways.NodeAffinity)
		if err != nil {
			return nil, err
		}
		return priorities.Of("NodeAffinityPriority", plugin, nil, a.ways.Priorities.Highest), nil
	},
	"NodePreferAvoidPodsPriority": func(*arguments) (framework.Plugin, error) {
		return priorities.Of("NodePreferAvoidPodsPriority", nodepreferavoidpods.New(), priorities.Tenth, nil), nil
	},
	"SelectorSpreadPriority": func(a *arguments) (framework.Plugin, error) {
		return priorities.SelectorSpread(a.ways.Priorities), nil
	},
	"ServiceSpreadingPriority": func(a *arguments) (framework.Plugin, error) {
		if a.ways.Priorities.MaxScoreIsHundred {
			return selectorspread.NewNamed(release.ServiceSpreading), nil
		}
		return priorities.ServiceSpreading(a.ways.Priorities), nil
	},
	"RequestedToCapacityRatioPriority": func(*arguments) (framework.Plugin, error) {
		return noderesources.NewRatioByDefault(), nil
	},
	"TaintTolerationPriority": func(a *arguments) (framework.Plugin, error) {
		plugin := tainttoleration.New(a.ways.TaintToleration)
		return priorities.Of("TaintTolerationPriority", plugin, nil, a.ways.Priorities.Lowest), nil
	},
}

// makerOf is the function that builds a plugin; nil: this build knows the name only, and lets every pod pass.
func makerOf(name string) maker {
	if m, has := makers[name]; has {
		return m
	}
	return formerMakers[name]
}

// byWays is a predicate that depends on the release alone.
func byWays(of func(predicates.Ways) *predicates.Plugin) maker {
	return func(a *arguments) (framework.Plugin, error) { return of(a.ways.Predicates), nil }
}

func volumeCount(name string) maker {
	return func(a *arguments) (framework.Plugin, error) {
		return predicates.VolumeCount(name, 0, a.ways.Predicates), nil
	}
}

// predicateOf is a predicate that wants what filters want.
func predicateOf(name string, filters ...maker) maker {
	return func(a *arguments) (framework.Plugin, error) {
		var parts []framework.Plugin
		for _, of := range filters {
			part, err := of(a)
			if err != nil {
				return nil, err
			}
			parts = append(parts, part)
		}
		return predicates.Of(name, a.ways.Predicates, parts...), nil
	}
}

// The filters that GeneralPredicates stands for, in its order.
func room(a *arguments) (framework.Plugin, error) {
	return noderesources.NewFit(a.fit, a.ways.NodeResources), nil
}

func hostname(a *arguments) (framework.Plugin, error) { return nodename.New(a.ways.NodeName), nil }

func ports(a *arguments) (framework.Plugin, error) {
	if a.ways.Predicates.PortsByNumberOnly {
		return predicates.PortNumbers{}, nil
	}
	return nodeports.New(), nil
}

func selector(a *arguments) (framework.Plugin, error) {
	return nodeaffinity.New(a.nodeAffinity, a.ways.NodeAffinity)
}

func taints(a *arguments) (framework.Plugin, error) {
	return tainttoleration.New(a.ways.TaintToleration), nil
}

// checkVolumeBinding is VolumeBinding under the name that it had as a predicate.
type checkVolumeBinding struct{ *volumebinding.Plugin }

// Name is CheckVolumeBinding.
func (checkVolumeBinding) Name() string { return "CheckVolumeBinding" }

// formerRow is a predicate or priority that a Policy makes under a name of its own.
func formerRow(name string, point framework.Point, weight int32, of maker) row {
	return row{
		Plugin: release.Plugin{Name: name, Points: []framework.Point{point}, Weight: weight, In: release.Never}, make: of,
	}
}

// serviceAffinityOf is the predicate with the argument serviceAffinity.
func serviceAffinityOf(name string, labels []string) maker {
	return predicateOf(name, func(*arguments) (framework.Plugin, error) {
		return serviceaffinity.New(serviceaffinity.Args{AffinityLabels: labels}), nil
	})
}

// labelsPresenceOf is the predicate with the argument labelsPresence.
func labelsPresenceOf(name string, labels []string, presence bool) maker {
	args := nodelabel.Args{AbsentLabels: labels}
	if presence {
		args = nodelabel.Args{PresentLabels: labels}
	}
	return predicateOf(name, func(*arguments) (framework.Plugin, error) { return nodelabel.New(args), nil })
}

// antiAffinityOf is the priority with the argument serviceAntiAffinity.
func antiAffinityOf(name, label string) maker {
	return func(a *arguments) (framework.Plugin, error) {
		return priorities.ServiceAntiAffinity(name, label, a.ways.Priorities), nil
	}
}

// labelPreferenceOf is the priority with the argument labelPreference.
func labelPreferenceOf(name, label string, presence bool) maker {
	args := nodelabel.Args{AbsentLabelsPreference: []string{label}}
	if presence {
		args = nodelabel.Args{PresentLabelsPreference: []string{label}}
	}
	return func(*arguments) (framework.Plugin, error) {
		return priorities.Of(name, nodelabel.New(args), priorities.Tenth, nil), nil
	}
}
