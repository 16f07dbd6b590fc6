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
			Helps: p.openedUp,
		},
		{Event: cluster.ClusterEvent{Resource: cluster.TargetPod, Action: cluster.UpdatePodToleration}},
	}
}

// openedUp reports whether the node no longer bars the pod; a node that is new counts as having barred it.
func (p *Plugin) openedUp(pod *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	t := tolerated{pod.API.Spec.Tolerations, p.ways.TolerationsCompare}
	return (change.OldNode == nil || t.barredBy(change.OldNode)) && !t.barredBy(change.NewNode), nil
}

func (t tolerated) barredBy(node *cluster.Node) bool {
	taints := node.Taints
	for i := range taints {
		if t.keepsAway(&taints[i]) {
			return true
		}
	}
	return false
}
