package tainttoleration

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
)

// Hints wait for a node without the taint that kept the pod away, and for the pod's own tolerations.
func (p *Plugin) Hints() []queue.Hint {
	return []queue.Hint{
		{
			Event: cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.Added | cluster.UpdateNodeTaint},
			Helps: openedUp,
		},
		{Event: cluster.ClusterEvent{Resource: cluster.TargetPod, Action: cluster.UpdatePodToleration}},
	}
}

// openedUp reports whether the node bars the pod no more; a node that is new counts as having barred it.
func openedUp(pod *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	return (change.OldNode == nil || bars(change.OldNode, pod)) && !bars(change.NewNode, pod), nil
}

func bars(node *cluster.Node, pod *cluster.Pod) bool {
	taints := node.Taints
	for i := range taints {
		if keepsAway(&taints[i], pod.API.Spec.Tolerations) {
			return true
		}
	}
	return false
}
