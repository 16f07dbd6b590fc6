package release

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
)

// waits1_31 are the events that the plugins of 1.31 wait for without queueing hints. A plugin that waits for nodes that
// come waits for changes of their taints too: a pod that did not fit a node when it came got no event about it.
var waits1_31 = []queue.PluginHints{
	waits("SchedulingGates"),
	waits("NodeName", of(cluster.NodeResource, cameOrChanged)),
	waits("NodeUnschedulable", of(cluster.NodeResource, cameOrChanged)),
	waits("TaintToleration", of(cluster.NodeResource, cameOrChanged)),
	waits("NodeAffinity", of(cluster.NodeResource, cameOrChanged)),
	waits("NodePorts", of(cluster.AssignedPod, cluster.Deleted), of(cluster.NodeResource, cameOrChanged)),
	waits("NodeResourcesFit", of(cluster.AssignedPod, cluster.Deleted), of(cluster.NodeResource, cameOrChanged)),
	waits(
		"VolumeRestrictions", of(cluster.AssignedPod, cluster.Deleted),
		of(cluster.NodeResource, cluster.Added|cluster.UpdateNodeTaint), of(cluster.VolumeClaimResource, cluster.Added),
	),
	waits(
		"NodeVolumeLimits", of(cluster.CSINodeResource, cluster.Added), of(cluster.AssignedPod, cluster.Deleted),
		of(cluster.VolumeClaimResource, cluster.Added),
	),
	waits(
		"VolumeBinding", of(cluster.StorageClassResource, cameOrChanged), of(cluster.VolumeClaimResource, cameOrChanged),
		of(cluster.VolumeResource, cameOrChanged),
		of(cluster.NodeResource, cluster.Added|cluster.UpdateNodeLabel|cluster.UpdateNodeTaint),
		of(cluster.CSINodeResource, cameOrChanged), of(cluster.CSIDriverResource, cameOrChanged),
		of(cluster.CSIStorageCapacityResource, cameOrChanged),
	),
	waits(
		"VolumeZone", of(cluster.StorageClassResource, cluster.Added),
		of(cluster.NodeResource, cluster.Added|cluster.UpdateNodeLabel|cluster.UpdateNodeTaint),
		of(cluster.VolumeClaimResource, cameOrChanged), of(cluster.VolumeResource, cameOrChanged),
	),
	waits(
		"PodTopologySpread", of(cluster.AssignedPod, cluster.Added|cluster.UpdatePodLabel|cluster.Deleted),
		of(cluster.NodeResource, cluster.Added|cluster.UpdateNodeLabel|cluster.UpdateNodeTaint),
	),
	waits(
		"InterPodAffinity", of(cluster.AssignedPod, cluster.Added|cluster.UpdatePodLabel|cluster.Deleted),
		of(cluster.NodeResource, cluster.Added|cluster.UpdateNodeLabel|cluster.UpdateNodeTaint),
	),
}

// waits1_30 are those of 1.30.
var waits1_30 = with(
	waits1_31, disksWait("EBSLimits"), disksWait("GCEPDLimits"),
	disksWait("AzureDiskLimits"), disksWait("CinderLimits"),
	waits(
		"VolumeRestrictions", of(cluster.AssignedPod, cluster.Deleted),
		of(cluster.NodeResource, cluster.Added|cluster.UpdateNodeTaint), of(cluster.VolumeClaimResource, cameOrChanged),
	),
	waits(
		"VolumeZone", of(cluster.StorageClassResource, cluster.Added),
		of(cluster.NodeResource, cluster.Added|cluster.UpdateNodeLabel|cluster.UpdateNodeTaint),
		of(cluster.VolumeClaimResource, cluster.Added), of(cluster.VolumeResource, cameOrChanged),
	),
	waits(
		"PodTopologySpread", of(cluster.AssignedPod, cluster.AnyAction),
		of(cluster.NodeResource, cluster.Added|cluster.UpdateNodeLabel|cluster.UpdateNodeTaint),
	),
	waits(
		"InterPodAffinity", of(cluster.AssignedPod, cluster.AnyAction),
		of(cluster.NodeResource, cluster.Added|cluster.UpdateNodeLabel|cluster.UpdateNodeTaint),
	),
)

// waits1_29 are those of 1.29, where a plugin that waits for nodes that come does not wait for taints.
var waits1_29 = with(
	waits1_30, waits("NodeUnschedulable", of(cluster.NodeResource, cluster.Added|cluster.UpdateNodeTaint)),
	waits(
		"VolumeRestrictions", of(cluster.AssignedPod, cluster.Deleted), of(cluster.NodeResource, cluster.Added),
		of(cluster.VolumeClaimResource, cameOrChanged),
	),
	waits("EBSLimits", of(cluster.NodeResource, cluster.Added), of(cluster.AssignedPod, cluster.Deleted)),
	waits("GCEPDLimits", of(cluster.NodeResource, cluster.Added), of(cluster.AssignedPod, cluster.Deleted)),
	waits("AzureDiskLimits", of(cluster.NodeResource, cluster.Added), of(cluster.AssignedPod, cluster.Deleted)),
	waits("CinderLimits", of(cluster.NodeResource, cluster.Added), of(cluster.AssignedPod, cluster.Deleted)),
	waits("NodeVolumeLimits", of(cluster.CSINodeResource, cluster.Added), of(cluster.AssignedPod, cluster.Deleted)),
	waits(
		"VolumeBinding", of(cluster.StorageClassResource, cameOrChanged), of(cluster.VolumeClaimResource, cameOrChanged),
		of(cluster.VolumeResource, cameOrChanged), of(cluster.NodeResource, cluster.Added|cluster.UpdateNodeLabel),
		of(cluster.CSINodeResource, cameOrChanged), of(cluster.CSIDriverResource, cameOrChanged),
		of(cluster.CSIStorageCapacityResource, cameOrChanged),
	),
	waits(
		"VolumeZone", of(cluster.StorageClassResource, cluster.Added),
		of(cluster.NodeResource, cluster.Added|cluster.UpdateNodeLabel), of(cluster.VolumeClaimResource, cluster.Added),
		of(cluster.VolumeResource, cameOrChanged),
	),
	waits(
		"PodTopologySpread", of(cluster.AssignedPod, cluster.AnyAction),
		of(cluster.NodeResource, cluster.Added|cluster.UpdateNodeLabel),
	),
	waits(
		"InterPodAffinity", of(cluster.AssignedPod, cluster.AnyAction),
		of(cluster.NodeResource, cluster.Added|cluster.UpdateNodeLabel),
	),
)

// with is a list of waits in which some are replaced, and others added.
func with(list []queue.PluginHints, others ...queue.PluginHints) []queue.PluginHints {
	list = slices.Clone(list)
	for _, w := range others {
		if i := slices.IndexFunc(list, func(o queue.PluginHints) bool { return o.Plugin == w.Plugin }); i >= 0 {
			list[i] = w
			continue
		}
		list = append(list, w)
	}
	return list
}

// disksWait is what the limits of one provider wait for.
func disksWait(plugin string) queue.PluginHints {
	return waits(
		plugin, of(cluster.NodeResource, cluster.Added|cluster.UpdateNodeTaint), of(cluster.AssignedPod, cluster.Deleted),
		of(cluster.VolumeClaimResource, cluster.Added),
	)
}

const cameOrChanged = cluster.Added | cluster.Updated

// waits is a plugin that any of the events may help.
func waits(plugin string, events ...cluster.ClusterEvent) queue.PluginHints {
	w := queue.PluginHints{Plugin: plugin}
	for _, e := range events {
		w.Hints = append(w.Hints, queue.Hint{Event: e})
	}
	return w
}

func of(resource cluster.Resource, action cluster.ActionType) cluster.ClusterEvent {
	return cluster.ClusterEvent{Resource: resource, Action: action}
}
