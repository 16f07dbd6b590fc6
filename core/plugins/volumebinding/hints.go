package volumebinding

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
)

// Hints are for every kind of object that decides whether a pod has its volumes: classes, claims, volumes, nodes,
// drivers and capacity.
func (p *Plugin) Hints() []queue.Hint {
	const addedOrUpdated = cluster.Added | cluster.Updated
	on := func(
		r cluster.Resource, a cluster.ActionType,
		helps func(*cluster.Pod, *cluster.Change, *cluster.State) (bool, error),
	) queue.Hint {
		return queue.Hint{Event: cluster.ClusterEvent{Resource: r, Action: a}, Helps: helps}
	}
	return []queue.Hint{
		on(cluster.StorageClassResource, addedOrUpdated, classChanged),
		on(cluster.VolumeClaimResource, addedOrUpdated, queue.ClaimUsed),
		on(cluster.VolumeResource, addedOrUpdated, nil),
		on(cluster.NodeResource, cluster.Added|cluster.UpdateNodeLabel, nil),
		on(cluster.CSINodeResource, addedOrUpdated, migrationChanged),
		on(cluster.CSIDriverResource, cluster.Updated, driverChanged),
		on(cluster.CSIStorageCapacityResource, addedOrUpdated, capacityChanged),
	}
}

// classChanged: a new class may be the one that was missing; of an update only the allowed topologies matter.
func classChanged(_ *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	old, is := change.Old.(*storagev1.StorageClass)
	if !is {
		return true, nil
	}
	return !equality.Semantic.DeepEqual(old.AllowedTopologies, change.New.(*storagev1.StorageClass).AllowedTopologies), nil
}

// migrationChanged: after a node has migrated another in-tree plugin, other volumes count as CSI volumes there.
func migrationChanged(_ *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	old, is := change.Old.(*storagev1.CSINode)
	if !is {
		return true, nil
	}
	const key = corev1.MigratedPluginsAnnotationKey
	return old.Annotations[key] != change.New.GetAnnotations()[key], nil
}

// driverChanged: when a driver stops to report its capacity, VolumeBinding takes it as enough. kube-scheduler looks
// only at drivers that the pod names itself.
func driverChanged(pod *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	old, now := change.Old.(*storagev1.CSIDriver), change.New.(*storagev1.CSIDriver)
	stopped := ptr.Deref(old.Spec.StorageCapacity, false) && !ptr.Deref(now.Spec.StorageCapacity, false)
	for i := range pod.API.Spec.Volumes {
		if csi := pod.API.Spec.Volumes[i].CSI; stopped && csi != nil && csi.Driver == now.Name {
			return true, nil
		}
	}
	return false, nil
}

// capacityChanged: new storage, or room for a larger volume, may help.
func capacityChanged(_ *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	old, is := change.Old.(*storagev1.CSIStorageCapacity)
	if !is {
		return true, nil
	}
	before, after := cluster.VolumeLimit(old), cluster.VolumeLimit(change.New.(*storagev1.CSIStorageCapacity))
	return after != nil && (before == nil || after.Value() > before.Value()), nil
}
