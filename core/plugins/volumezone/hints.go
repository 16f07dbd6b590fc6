package volumezone

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
)

// Hints wait for classes that leave binding to the scheduler, for nodes, and for claims and volumes of the pod.
func (p *Plugin) Hints() []queue.Hint {
	const addedOrUpdated = cluster.Added | cluster.Updated
	return []queue.Hint{
		{Event: cluster.ClusterEvent{Resource: cluster.StorageClassResource, Action: cluster.Added}, Helps: classWaits},
		{Event: cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.Added | cluster.UpdateNodeLabel}},
		{Event: cluster.ClusterEvent{Resource: cluster.VolumeClaimResource, Action: addedOrUpdated}, Helps: queue.ClaimNamed},
		{Event: cluster.ClusterEvent{Resource: cluster.VolumeResource, Action: addedOrUpdated}, Helps: placesChanged},
	}
}

func classWaits(_ *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	mode := change.New.(*storagev1.StorageClass).VolumeBindingMode
	return mode != nil && *mode == storagev1.VolumeBindingWaitForFirstConsumer, nil
}

// placesChanged: a new volume, or one whose labels of zone and region changed.
func placesChanged(_ *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	old, is := change.Old.(*corev1.PersistentVolume)
	if !is {
		return true, nil
	}
	before, after := placesOf(old, topologyLabels[:]), placesOf(change.New.(*corev1.PersistentVolume), topologyLabels[:])
	return !slices.EqualFunc(before, after, func(a, b place) bool {
		return a.key == b.key && sameSet(a.values, b.values)
	}), nil
}

func sameSet(a, b []string) bool {
	return !slices.ContainsFunc(a, func(v string) bool { return !slices.Contains(b, v) }) &&
		!slices.ContainsFunc(b, func(v string) bool { return !slices.Contains(a, v) })
}
