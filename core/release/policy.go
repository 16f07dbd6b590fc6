package release

import (
	"slices"

	"github.com/schedstep/schedstep/core/framework"
)

// Policy is what a release makes of a file of kind Policy: the plugins that its predicates and priorities stand for.
type Policy struct {
	// APIVersions are the values of apiVersion that such a file may have.
	APIVersions []string
	Predicates  []Predicate // in the order in which they run
	Priorities  []Priority  // sorted by name, in which order they run
	Besides     []string    // the plugins that every Policy has, and that are neither

	// NamesArePlugins makes predicates and priorities plugins of their own, which run under the names that the Policy
	// gives them; then the lists above are empty (1.10 and earlier).
	NamesArePlugins bool
	// RunsOnlyOrder runs predicates in Order alone: one of another name never runs (1.10).
	RunsOnlyOrder bool
	Order         []string
	Unasked       []string // names that a Policy may use, and that are not in Order
	Mandatory     []string // the predicates that every Policy has, while they are in the default set
	// ReadsCheckAll reads alwaysCheckAllPredicates; without it the release does not know that field.
	ReadsCheckAll bool
	// CheckAllIgnored runs plugins until one rejects the node, also where alwaysCheckAllPredicates is set (1.17).
	CheckAllIgnored bool
	// ReadsHardWeight reads hardPodAffinitySymmetricWeight; without it the release does not know that field.
	ReadsHardWeight bool
	// HardWeightIgnored scores with the weight of the configuration, also where hardPodAffinitySymmetricWeight sets
	// another one (1.17).
	HardWeightIgnored bool
	// ArgumentForAnyName uses the argument of an entry whatever its name is; otherwise the argument of an entry with a
	// known name is not read (1.19).
	ArgumentForAnyName bool
	// RatioOfCPUAndMemory makes a ratio that names no resources one of CPU and memory (1.17).
	RatioOfCPUAndMemory bool
	// aliasesUnknown does not replace the older names of predicates and priorities by those of today (1.17).
	aliasesUnknown bool
}

// Predicate is a name that a Policy may list under predicates.
type Predicate struct {
	Name      string
	Plugins   []string // that stand for it, in order
	Default   bool     // it runs where the Policy has no predicates
	Mandatory bool     // it runs always
}

// Priority is a name that a Policy may list under priorities.
type Priority struct {
	Name    string
	Plugin  string
	Default int32 // its weight where the Policy has no priorities; 0: it does not run there
}

// Names that stand for predicates and priorities with an argument, whatever the Policy calls them.
const (
	ServiceAffinityPredicate = "CheckServiceAffinity"
	LabelsPredicate          = "CheckNodeLabelPresence"
	ServicePriority          = "ServiceAffinity"
	LabelPriority            = "NodeLabel"
	RatioPriority            = "RequestedToCapacityRatio"
)

// Names of priorities that are no plugins in 1.17 yet, and are scored under the names that a Policy has for them.
const (
	ServiceSpreading = "ServiceSpreadingPriority"
	ratioByDefault   = "RequestedToCapacityRatioPriority"
)

// FirstPolicy is the oldest release after this one whose Policies are as wanted; "": there is none in this build.
func (r *Release) FirstPolicy(wanted func(*Policy) bool) string {
	for i := slices.Index(releases, r) - 1; i >= 0; i-- {
		if p := releases[i].Policy; p != nil && wanted(p) {
			return releases[i].Version
		}
	}
	return ""
}

// FirstToName is the oldest release after this one whose Policies may name a predicate or priority that this one does
// not know; false when there is none in this build.
func (r *Release) FirstToName(name string) (string, bool) {
	for i := slices.Index(releases, r) - 1; i >= 0; i-- {
		p := releases[i].Policy
		if p == nil {
			continue
		}
		if slices.Contains(p.PredicateNames(), name) || slices.Contains(p.PriorityNames(), name) ||
			p.NamesArePlugins && releases[i].plugin(name) >= 0 {
			return releases[i].Version, true
		}
	}
	return "", false
}

// Aliases are older names of predicates and priorities.
var aliases = map[string]string{
	"PodFitsPorts":             "PodFitsHostPorts",
	"ServiceSpreadingPriority": "SelectorSpreadPriority",
}

// Named is a name without its alias.
func (p *Policy) Named(name string) string {
	if now, old := aliases[name]; old && !p.aliasesUnknown {
		return now
	}
	return name
}

// PredicateNames are the names of the predicates, in their order.
func (p *Policy) PredicateNames() []string {
	names := make([]string, len(p.Predicates))
	for i := range p.Predicates {
		names[i] = p.Predicates[i].Name
	}
	return names
}

// PriorityNames are the names of the priorities, in their order.
func (p *Policy) PriorityNames() []string {
	names := make([]string, len(p.Priorities))
	for i := range p.Priorities {
		names[i] = p.Priorities[i].Name
	}
	return names
}

// The points at which a plugin runs that stands for a predicate, and for a priority.
var (
	predicateAt = []framework.Point{framework.PreFilter, framework.Filter, framework.Reserve, framework.PreBind}
	priorityAt  = []framework.Point{framework.PreScore, framework.Score}
)

// PredicatePoints are the extension points at which a plugin runs that stands for a predicate.
func (p *Plugin) PredicatePoints() []framework.Point { return p.among(predicateAt) }

// PriorityPoints are the extension points at which a plugin runs that stands for a priority.
func (p *Plugin) PriorityPoints() []framework.Point { return p.among(priorityAt) }

func (p *Plugin) among(points []framework.Point) []framework.Point {
	var own []framework.Point
	for _, point := range points {
		if p.At(point) {
			own = append(own, point)
		}
	}
	return own
}

// policy1_19 is the content of pkg/scheduler/framework/plugins/legacy_registry.go of 1.19.
func policy1_19() *Policy {
	one := func(name, plugin string, inDefault bool) Predicate {
		return Predicate{Name: name, Plugins: []string{plugin}, Default: inDefault}
	}
	return &Policy{
		APIVersions:   []string{"v1", "kubescheduler.config.k8s.io/v1"},
		Besides:       []string{"PrioritySort", "DefaultPreemption", "DefaultBinder"},
		ReadsCheckAll: true, ReadsHardWeight: true,
		Predicates: []Predicate{
			{Name: "CheckNodeUnschedulable", Plugins: []string{"NodeUnschedulable"}, Default: true, Mandatory: true},
			{
				Name: "GeneralPredicates", Plugins: []string{"NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity"},
				Default: true,
			},
			one("HostName", "NodeName", false),
			one("PodFitsHostPorts", "NodePorts", false),
			one("MatchNodeSelector", "NodeAffinity", false),
			one("PodFitsResources", "NodeResourcesFit", false),
			one("NoDiskConflict", "VolumeRestrictions", true),
			{Name: "PodToleratesNodeTaints", Plugins: []string{"TaintToleration"}, Default: true, Mandatory: true},
			one(LabelsPredicate, "NodeLabel", false),
			one(ServiceAffinityPredicate, "ServiceAffinity", false),
			one("MaxEBSVolumeCount", "EBSLimits", true),
			one("MaxGCEPDVolumeCount", "GCEPDLimits", true),
			one("MaxCSIVolumeCountPred", "NodeVolumeLimits", true),
			one("MaxAzureDiskVolumeCount", "AzureDiskLimits", true),
			one("MaxCinderVolumeCount", "CinderLimits", false),
			one("CheckVolumeBinding", "VolumeBinding", true),
			one("NoVolumeZoneConflict", "VolumeZone", true),
			one("EvenPodsSpread", "PodTopologySpread", true),
			one("MatchInterPodAffinity", "InterPodAffinity", true),
		},
		Priorities: []Priority{
			{"BalancedResourceAllocation", "NodeResourcesBalancedAllocation", 1},
			{"EvenPodsSpreadPriority", "PodTopologySpread", 2},
			{"ImageLocalityPriority", "ImageLocality", 1},
			{"InterPodAffinityPriority", "InterPodAffinity", 1},
			{"LeastRequestedPriority", "NodeResourcesLeastAllocated", 1},
			{"MostRequestedPriority", "NodeResourcesMostAllocated", 0},
			{"NodeAffinityPriority", "NodeAffinity", 1},
			{LabelPriority, "NodeLabel", 0},
			{"NodePreferAvoidPodsPriority", "NodePreferAvoidPods", 10000},
			{RatioPriority, "RequestedToCapacityRatio", 0},
			{"SelectorSpreadPriority", "SelectorSpread", 1},
			{ServicePriority, "ServiceAffinity", 0},
			{"TaintTolerationPriority", "TaintToleration", 1},
		},
	}
}
