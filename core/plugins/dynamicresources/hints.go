package dynamicresources

import (
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
)

// Hints wait for nodes, classes and slices of any kind, and for claims that are the pod's or that gave devices back.
func (p *Plugin) Hints() []queue.Hint {
	added, updated, deleted := cluster.Added, cluster.Updated, cluster.Deleted
	return []queue.Hint{
		{Event: cluster.ClusterEvent{
			Resource: cluster.NodeResource, Action: added | cluster.UpdateNodeLabel | cluster.UpdateNodeAllocatable,
		}},
		{
			Event: cluster.ClusterEvent{Resource: cluster.ResourceClaimResource, Action: added | updated | deleted},
			Helps: claimHelps,
		},
		{
			Event: cluster.ClusterEvent{Resource: cluster.TargetPod, Action: cluster.UpdatePodGeneratedResourceClaim},
			Helps: hasAllClaims,
		},
		{Event: cluster.ClusterEvent{Resource: cluster.DeviceClassResource, Action: added | updated}},
		{Event: cluster.ClusterEvent{Resource: cluster.ResourceSliceResource, Action: added | updated}},
	}
}

// claimHelps reports whether a claim gave devices back, or is the pod's own and has another status.
func claimHelps(pod *cluster.Pod, change *cluster.Change, known *cluster.State) (bool, error) {
	old, _ := change.Old.(*resourcev1.ResourceClaim)
	new, _ := change.New.(*resourcev1.ResourceClaim)
	if new == nil {
		return old != nil && old.Status.Allocation != nil, nil
	}
	claims, problem := claimsOf(pod.API, known.Objects())
	switch {
	case problem != nil:
		return false, nil
	case old != nil && old.Status.Allocation != nil && new.Status.Allocation == nil:
		return true, nil
	}
	for _, claim := range claims {
		if isSame(claim, new) {
			return old == nil || !equality.Semantic.DeepEqual(&old.Status, &new.Status), nil
		}
	}
	return false, nil
}

// hasAllClaims reports whether the pod, as it is now, has all its claims.
func hasAllClaims(_ *cluster.Pod, change *cluster.Change, known *cluster.State) (bool, error) {
	_, problem := claimsOf(change.NewPod.API, known.Objects())
	return problem == nil, nil
}
