// Package former registers the plugins that only old releases have: the predicates and priorities of 1.10 and earlier,
// and the plugins of 1.17 and 1.19 that are gone in 1.29. Each has a package below this one; where a rule is that of a
// later plugin, that plugin is built under the former name. It reads no configuration.
package former

import (
	configv1 "k8s.io/kube-scheduler/config/v1"

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

// Args is what the plugins may be built from, with defaults in every field.
type Args struct {
	Fit              configv1.NodeResourcesFitArgs
	InterPodAffinity configv1.InterPodAffinityArgs
	NodeAffinity     configv1.NodeAffinityArgs
	VolumeBinding    configv1.VolumeBindingArgs
	NodeLabel        nodelabel.Args
	ServiceAffinity  serviceaffinity.Args
	Ways             release.Ways
}

// Maker builds a plugin. The error is about the args.
type Maker func(*Args) (framework.Plugin, error)

// MakerOf is what builds the plugin of a name; false where no old release has a plugin of that name that is gone.
func MakerOf(name string) (Maker, bool) {
	of, has := makers[name]
	return of, has
}

// makers has what builds each of them, by the name that a configuration or a Policy has for it.
var makers = map[string]Maker{
	"NodePreferAvoidPods": func(*Args) (framework.Plugin, error) { return nodepreferavoidpods.New(), nil },
	"NodeLabel":           func(a *Args) (framework.Plugin, error) { return nodelabel.New(a.NodeLabel), nil },
	"ServiceAffinity": func(a *Args) (framework.Plugin, error) {
		return serviceaffinity.New(a.ServiceAffinity), nil
	},
	"DefaultPodTopologySpread": func(*Args) (framework.Plugin, error) {
		return selectorspread.NewNamed("DefaultPodTopologySpread"), nil
	},
	"SelectorSpread": func(*Args) (framework.Plugin, error) { return selectorspread.New(), nil },

	"FIFO":          func(*Args) (framework.Plugin, error) { return queuesort.NewFIFO(), nil },
	"PriorityQueue": func(*Args) (framework.Plugin, error) { return queuesort.NewPriorityOnly(), nil },

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
	"NoDiskConflict": predicateOf("NoDiskConflict", func(a *Args) (framework.Plugin, error) {
		return volumerestrictions.New(a.Ways.VolumeRestrictions), nil
	}),
	"CheckVolumeBinding": func(a *Args) (framework.Plugin, error) {
		return checkVolumeBinding{volumebinding.New(a.VolumeBinding, a.Ways.VolumeBinding)}, nil
	},

	"BalancedResourceAllocation": func(a *Args) (framework.Plugin, error) {
		return priorities.Balanced(a.Ways.Priorities), nil
	},
	"EqualPriority":          func(*Args) (framework.Plugin, error) { return priorities.Equal(), nil },
	"ImageLocalityPriority":  func(*Args) (framework.Plugin, error) { return priorities.ImageLocality(), nil },
	"LeastRequestedPriority": func(*Args) (framework.Plugin, error) { return priorities.LeastRequested(), nil },
	"MostRequestedPriority":  func(*Args) (framework.Plugin, error) { return priorities.MostRequested(), nil },
	"ResourceLimitsPriority": func(*Args) (framework.Plugin, error) { return priorities.ResourceLimits(), nil },
	"InterPodAffinityPriority": func(a *Args) (framework.Plugin, error) {
		plugin := interpodaffinity.New(a.InterPodAffinity, a.Ways.InterPodAffinity)
		return priorities.Of("InterPodAffinityPriority", plugin, nil, priorities.Stretched), nil
	},
	"NodeAffinityPriority": func(a *Args) (framework.Plugin, error) {
		plugin, err := nodeaffinity.New(a.NodeAffinity, a.Ways.NodeAffinity)
		if err != nil {
			return nil, err
		}
		return priorities.Of("NodeAffinityPriority", plugin, nil, a.Ways.Priorities.Highest), nil
	},
	"NodePreferAvoidPodsPriority": func(*Args) (framework.Plugin, error) {
		return priorities.Of("NodePreferAvoidPodsPriority", nodepreferavoidpods.New(), priorities.Tenth, nil), nil
	},
	"SelectorSpreadPriority": func(a *Args) (framework.Plugin, error) {
		return priorities.SelectorSpread(a.Ways.Priorities), nil
	},
	"ServiceSpreadingPriority": func(a *Args) (framework.Plugin, error) {
		if a.Ways.Priorities.MaxScoreIsHundred {
			return selectorspread.NewNamed(release.ServiceSpreading), nil
		}
		return priorities.ServiceSpreading(a.Ways.Priorities), nil
	},
	"RequestedToCapacityRatioPriority": func(*Args) (framework.Plugin, error) {
		return noderesources.NewRatioByDefault(), nil
	},
	"TaintTolerationPriority": func(a *Args) (framework.Plugin, error) {
		plugin := tainttoleration.New(a.Ways.TaintToleration)
		return priorities.Of("TaintTolerationPriority", plugin, nil, a.Ways.Priorities.Lowest), nil
	},
}

// byWays is a predicate that depends on the release alone.
func byWays(of func(predicates.Ways) *predicates.Plugin) Maker {
	return func(a *Args) (framework.Plugin, error) { return of(a.Ways.Predicates), nil }
}

func volumeCount(name string) Maker {
	return func(a *Args) (framework.Plugin, error) {
		return predicates.VolumeCount(name, 0, a.Ways.Predicates), nil
	}
}

// predicateOf makes a predicate that rejects what any of the filters rejects.
func predicateOf(name string, filters ...Maker) Maker {
	return func(a *Args) (framework.Plugin, error) {
		var parts []framework.Plugin
		for _, of := range filters {
			part, err := of(a)
			if err != nil {
				return nil, err
			}
			parts = append(parts, part)
		}
		return predicates.Of(name, a.Ways.Predicates, parts...), nil
	}
}

// The filters that GeneralPredicates stands for, in its order.
func room(a *Args) (framework.Plugin, error) {
	return noderesources.NewFit(a.Fit, a.Ways.NodeResources), nil
}

func hostname(a *Args) (framework.Plugin, error) { return nodename.New(a.Ways.NodeName), nil }

func ports(a *Args) (framework.Plugin, error) {
	if a.Ways.Predicates.PortsByNumberOnly {
		return predicates.PortNumbers{}, nil
	}
	return nodeports.New(), nil
}

func selector(a *Args) (framework.Plugin, error) {
	return nodeaffinity.New(a.NodeAffinity, a.Ways.NodeAffinity)
}

func taints(a *Args) (framework.Plugin, error) {
	return tainttoleration.New(a.Ways.TaintToleration), nil
}

// checkVolumeBinding is VolumeBinding under the name that it had as a predicate.
type checkVolumeBinding struct{ *volumebinding.Plugin }

// Name is CheckVolumeBinding.
func (checkVolumeBinding) Name() string { return "CheckVolumeBinding" }

// ServiceAffinityOf makes the predicate that a Policy calls name, with the argument serviceAffinity.
func ServiceAffinityOf(name string, labels []string) Maker {
	return predicateOf(name, func(*Args) (framework.Plugin, error) {
		return serviceaffinity.New(serviceaffinity.Args{AffinityLabels: labels}), nil
	})
}

// LabelsPresenceOf makes the predicate that a Policy calls name, with the argument labelsPresence.
func LabelsPresenceOf(name string, labels []string, presence bool) Maker {
	args := nodelabel.Args{AbsentLabels: labels}
	if presence {
		args = nodelabel.Args{PresentLabels: labels}
	}
	return predicateOf(name, func(*Args) (framework.Plugin, error) { return nodelabel.New(args), nil })
}

// AntiAffinityOf makes the priority that a Policy calls name, with the argument serviceAntiAffinity.
func AntiAffinityOf(name, label string) Maker {
	return func(a *Args) (framework.Plugin, error) {
		return priorities.ServiceAntiAffinity(name, label, a.Ways.Priorities), nil
	}
}

// LabelPreferenceOf makes the priority that a Policy calls name, with the argument labelPreference.
func LabelPreferenceOf(name, label string, presence bool) Maker {
	args := nodelabel.Args{AbsentLabelsPreference: []string{label}}
	if presence {
		args = nodelabel.Args{PresentLabelsPreference: []string{label}}
	}
	return func(*Args) (framework.Plugin, error) {
		return priorities.Of(name, nodelabel.New(args), priorities.Tenth, nil), nil
	}
}
