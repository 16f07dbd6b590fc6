package volumerestrictions

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
)

// Hints are for a deleted pod that had a disk or a claim, for any new node, and for a claim that was missing.
func (p *Plugin) Hints() []queue.Hint {
	return []queue.Hint{
		{Event: cluster.ClusterEvent{Resource: cluster.AssignedPod, Action: cluster.Deleted}, Helps: gaveBack},
		{Event: cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.Added}},
		{Event: cluster.ClusterEvent{Resource: cluster.VolumeClaimResource, Action: cluster.Added}, Helps: queue.ClaimNamed},
	}
}

// gaveBack reports whether the deleted pod had a disk that the pod cannot share, or one of its claims, whether that is
// ReadWriteOncePod or not. Pods of other namespaces do not count even if they had a disk, as in kube-scheduler.
func gaveBack(pod *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	gone := change.OldPod
	if gone.Namespace() != pod.Namespace() {
		return false, nil
	}
	for _, d := range pod.Disks {
		if isExclusive(d) && conflicting(d, gone.Disks) != nil {
			return true, nil
		}
	}
	for _, use := range pod.Claims {
		if !use.Ephemeral && slices.Contains(gone.Claims, use) {
			return true, nil
		}
	}
	return false, nil
}
