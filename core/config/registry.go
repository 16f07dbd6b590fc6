package config

import (
	configv1 "k8s.io/kube-scheduler/config/v1"

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

// makers builds each plugin that this build can judge with; what a maker builds implements the interfaces of the
// extension points at which any release runs the plugin. A plugin of a release without a maker is known and does not
// run: profiles list it as Unjudged.
var makers = map[string]maker{
	"AzureDiskLimits": disks("AzureDiskLimits"),
	"CinderLimits":    disks("CinderLimits"),
	"DefaultBinder":   func(*arguments) (framework.Plugin, error) { return defaultbinder.New(), nil },
	"DefaultPreemption": func(a *arguments) (framework.Plugin, error) {
		return defaultpreemption.New(a.defaultPreemption, a.preemption, a.groups, a.ways.DefaultPreemption), nil
	},
	"DynamicResources": func(a *arguments) (framework.Plugin, error) {
		return dynamicresources.New(a.dynamicResources, a.groups, a.devices, a.ways.DynamicResources), nil
	},
	"EBSLimits":      disks("EBSLimits"),
	"GCEPDLimits":    disks("GCEPDLimits"),
	"GangScheduling": func(a *arguments) (framework.Plugin, error) { return gangscheduling.New(a.groups), nil },
	"ImageLocality": func(a *arguments) (framework.Plugin, error) {
		return imagelocality.New(a.ways.ImageLocality), nil
	},
	"InterPodAffinity": func(a *arguments) (framework.Plugin, error) {
		return interpodaffinity.New(a.interPodAffinity, a.ways.InterPodAffinity), nil
	},
	"NodeAffinity": func(a *arguments) (framework.Plugin, error) {
		return nodeaffinity.New(a.nodeAffinity, a.ways.NodeAffinity)
	},
	"NodeResourcesLeastAllocated": func(a *arguments) (framework.Plugin, error) {
		const name = "NodeResourcesLeastAllocated"
		return noderesources.NewAllocated(name, configv1.LeastAllocated, a.former.leastAllocated.Resources), nil
	},
	"NodeResourcesMostAllocated": func(a *arguments) (framework.Plugin, error) {
		return noderesources.NewMostAllocated(a.former.mostAllocated.Resources, a.ways.NodeResources), nil
	},
	"RequestedToCapacityRatio": func(a *arguments) (framework.Plugin, error) {
		return noderesources.NewRatio(a.former.ratio.Shape, a.former.ratio.Resources), nil
	},
	"NodeDeclaredFeatures": func(*arguments) (framework.Plugin, error) { return nodedeclaredfeatures.New(), nil },
	"NodeName": func(a *arguments) (framework.Plugin, error) {
		return nodename.New(a.ways.NodeName), nil
	},
	"NodePorts": func(*arguments) (framework.Plugin, error) { return nodeports.New(), nil },
	"NodeResourcesBalancedAllocation": func(a *arguments) (framework.Plugin, error) {
		return noderesources.NewBalancedAllocation(a.balancedAllocation, a.ways.NodeResources), nil
	},
	"NodeResourcesFit": func(a *arguments) (framework.Plugin, error) {
		return noderesources.NewFit(a.fit, a.ways.NodeResources), nil
	},
	"NodeUnschedulable": func(*arguments) (framework.Plugin, error) { return nodeunschedulable.New(), nil },
	"NodeVolumeLimits": func(a *arguments) (framework.Plugin, error) {
		return nodevolumelimits.New(a.ways.NodeVolumeLimits), nil
	},
	"PodGroupPodsCount": func(*arguments) (framework.Plugin, error) { return podgrouppodscount.New(), nil },
	"PodTopologySpread": func(a *arguments) (framework.Plugin, error) {
		return podtopologyspread.New(a.podTopologySpread, a.ways.PodTopologySpread)
	},
	"PrioritySort":    func(*arguments) (framework.Plugin, error) { return queuesort.New(), nil },
	"SchedulingGates": func(*arguments) (framework.Plugin, error) { return schedulinggates.New(), nil },
	"TaintToleration": func(a *arguments) (framework.Plugin, error) {
		return tainttoleration.New(a.ways.TaintToleration), nil
	},
	"TopologyPlacementGenerator": func(*arguments) (framework.Plugin, error) { return topologyaware.New(), nil },
	"VolumeBinding": func(a *arguments) (framework.Plugin, error) {
		return volumebinding.New(a.volumeBinding, a.ways.VolumeBinding), nil
	},
	"VolumeRestrictions": func(a *arguments) (framework.Plugin, error) {
		return volumerestrictions.New(a.ways.VolumeRestrictions), nil
	},
	"VolumeZone": func(a *arguments) (framework.Plugin, error) { return volumezone.New(a.ways.VolumeZone), nil },
}

// disks makes the plugin for the disks of one provider.
func disks(plugin string) func(*arguments) (framework.Plugin, error) {
	return func(a *arguments) (framework.Plugin, error) {
		return nodevolumelimits.NewDisks(plugin, a.ways.NodeVolumeLimits), nil
	}
}
