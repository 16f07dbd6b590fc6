package config

import (
	"slices"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/defaultbinder"
	"github.com/schedstep/schedstep/core/plugins/defaultpreemption"
	"github.com/schedstep/schedstep/core/plugins/dynamicresources"
	"github.com/schedstep/schedstep/core/plugins/gangscheduling"
	"github.com/schedstep/schedstep/core/plugins/imagelocality"
	"github.com/schedstep/schedstep/core/plugins/interpodaffinity"
	"github.com/schedstep/schedstep/core/plugins/nodeaffinity"
	"github.com/schedstep/schedstep/core/plugins/nodedeclaredfeatures"
	"github.com/schedstep/schedstep/core/plugins/nodename"
	"github.com/schedstep/schedstep/core/plugins/nodeports"
	"github.com/schedstep/schedstep/core/plugins/noderesources"
	"github.com/schedstep/schedstep/core/plugins/nodeunschedulable"
	"github.com/schedstep/schedstep/core/plugins/nodevolumelimits"
	"github.com/schedstep/schedstep/core/plugins/podgrouppodscount"
	"github.com/schedstep/schedstep/core/plugins/podtopologyspread"
	"github.com/schedstep/schedstep/core/plugins/queuesort"
	"github.com/schedstep/schedstep/core/plugins/schedulinggates"
	"github.com/schedstep/schedstep/core/plugins/tainttoleration"
	"github.com/schedstep/schedstep/core/plugins/topologyaware"
	"github.com/schedstep/schedstep/core/plugins/volumebinding"
	"github.com/schedstep/schedstep/core/plugins/volumerestrictions"
	"github.com/schedstep/schedstep/core/plugins/volumezone"
)

// Point is an extension point, by kube-scheduler's name of it.
type Point string

// The extension points, in the order a pod meets them.
const (
	PreEnqueue         Point = "PreEnqueue"
	QueueSort          Point = "QueueSort"
	PreFilter          Point = "PreFilter"
	Filter             Point = "Filter"
	PostFilter         Point = "PostFilter"
	PreScore           Point = "PreScore"
	Score              Point = "Score"
	Reserve            Point = "Reserve"
	Permit             Point = "Permit"
	PreBind            Point = "PreBind"
	Bind               Point = "Bind"
	PostBind           Point = "PostBind"
	PlacementGenerate  Point = "PlacementGenerate"
	PlacementScore     Point = "PlacementScore"
	PodGroupPostFilter Point = "PodGroupPostFilter"
)

// row is one plugin of kube-scheduler 1.37.
type row struct {
	name   string
	points []Point // where kube-scheduler asks it, whatever this build can do
	weight int32   // of the default set; 0 for a plugin that is given none there
	// make builds the plugin; nil: this build knows the plugin and does not judge with it, and profiles list it as
	// Unjudged. What it builds implements the interfaces of points.
	make func(*arguments) (framework.Plugin, error)
}

// registry has every in-tree plugin: first those of the default set, in its order, then those of feature gates that
// are off by default.
var registry = []row{
	{
		name: "SchedulingGates", points: []Point{PreEnqueue},
		make: func(_ *arguments) (framework.Plugin, error) { return schedulinggates.New(), nil },
	},
	{
		name: "PrioritySort", points: []Point{QueueSort},
		make: func(_ *arguments) (framework.Plugin, error) { return queuesort.New(), nil },
	},
	{
		name: "NodeName", points: []Point{PreFilter, Filter},
		make: func(_ *arguments) (framework.Plugin, error) { return nodename.New(), nil },
	},
	{
		name: "NodeUnschedulable", points: []Point{PreFilter, Filter},
		make: func(_ *arguments) (framework.Plugin, error) { return nodeunschedulable.New(), nil },
	},
	{
		name: "TaintToleration", points: []Point{PreFilter, Filter, PreScore, Score}, weight: 3,
		make: func(_ *arguments) (framework.Plugin, error) { return tainttoleration.New(), nil },
	},
	{
		name: "NodeAffinity", points: []Point{PreFilter, Filter, PreScore, Score}, weight: 2,
		make: func(a *arguments) (framework.Plugin, error) { return nodeaffinity.New(a.nodeAffinity) },
	},
	{
		name: "NodePorts", points: []Point{PreFilter, Filter},
		make: func(_ *arguments) (framework.Plugin, error) { return nodeports.New(), nil },
	},
	{
		name: "NodeResourcesFit", points: []Point{PreFilter, Filter, PreScore, Score, PlacementScore}, weight: 1,
		make: func(a *arguments) (framework.Plugin, error) { return noderesources.NewFit(a.fit), nil },
	},
	{
		name: "VolumeRestrictions", points: []Point{PreFilter, Filter},
		make: func(_ *arguments) (framework.Plugin, error) { return volumerestrictions.New(), nil },
	},
	{
		name: "NodeVolumeLimits", points: []Point{PreFilter, Filter},
		make: func(_ *arguments) (framework.Plugin, error) { return nodevolumelimits.New(), nil },
	},
	{
		name: "VolumeBinding", points: []Point{PreFilter, Filter, PreScore, Score, Reserve, PreBind},
		make: func(a *arguments) (framework.Plugin, error) { return volumebinding.New(a.volumeBinding), nil },
	},
	{
		name: "VolumeZone", points: []Point{PreFilter, Filter},
		make: func(_ *arguments) (framework.Plugin, error) { return volumezone.New(), nil },
	},
	{
		name: "PodTopologySpread", points: []Point{PreFilter, Filter, PreScore, Score}, weight: 2,
		make: func(a *arguments) (framework.Plugin, error) { return podtopologyspread.New(a.podTopologySpread) },
	},
	{
		name: "InterPodAffinity", points: []Point{PreFilter, Filter, PreScore, Score}, weight: 2,
		make: func(a *arguments) (framework.Plugin, error) { return interpodaffinity.New(a.interPodAffinity), nil },
	},
	{
		name:   "DynamicResources",
		points: []Point{PreEnqueue, PreFilter, Filter, PostFilter, PodGroupPostFilter, Score, Reserve, PreBind},
		weight: 2,
		make: func(a *arguments) (framework.Plugin, error) {
			return dynamicresources.New(a.dynamicResources, a.groups), nil
		},
	},
	{
		name: "DefaultPreemption", points: []Point{PreEnqueue, PostFilter, PodGroupPostFilter},
		make: func(a *arguments) (framework.Plugin, error) {
			return defaultpreemption.New(a.defaultPreemption, a.groups), nil
		},
	},
	{name: "NodeResourcesBalancedAllocation", points: []Point{
		PreScore, Score,
	}, weight: 1, make: func(a *arguments) (framework.Plugin, error) {
		return noderesources.NewBalancedAllocation(a.balancedAllocation), nil
	}},
	{
		name: "ImageLocality", points: []Point{Score}, weight: 1,
		make: func(_ *arguments) (framework.Plugin, error) { return imagelocality.New(), nil },
	},
	{
		name: "DefaultBinder", points: []Point{Bind},
		make: func(_ *arguments) (framework.Plugin, error) { return defaultbinder.New(), nil },
	},
	{
		name: "NodeDeclaredFeatures", points: []Point{PreFilter, Filter},
		make: func(_ *arguments) (framework.Plugin, error) { return nodedeclaredfeatures.New(), nil },
	},

	{name: "DeferredPodScheduling", points: []Point{PreFilter, Filter, Permit}},
	{
		name: "GangScheduling", points: []Point{PreEnqueue, Permit},
		make: func(a *arguments) (framework.Plugin, error) { return gangscheduling.New(a.groups), nil },
	},
	{
		name: "TopologyPlacementGenerator", points: []Point{PlacementGenerate},
		make: func(_ *arguments) (framework.Plugin, error) { return topologyaware.New(), nil },
	},
	{
		name: "PodGroupPodsCount", points: []Point{PlacementScore}, weight: 1,
		make: func(_ *arguments) (framework.Plugin, error) { return podgrouppodscount.New(), nil },
	},
}

// lastDefault ends the default set among the rows of registry.
const lastDefault = "NodeDeclaredFeatures"

// rowOf finds a plugin by its name.
func rowOf(name string) (*row, bool) {
	i := slices.IndexFunc(registry, func(r row) bool { return r.name == name })
	if i < 0 {
		return nil, false
	}
	return &registry[i], true
}

// at says whether kube-scheduler asks the plugin at an extension point.
func (r *row) at(p Point) bool { return slices.Contains(r.points, p) }
