package nodeports

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
)

// Hints wait for a pod that gives a wanted port back, and for any new node.
func (p *Plugin) Hints() []queue.Hint {
	return []queue.Hint{
		{
			Event: cluster.ClusterEvent{Resource: cluster.AssignedPod, Action: cluster.Deleted},
			Helps: gavePortBack,
		},
		{Event: cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.Added}},
	}
}

// gavePortBack reports whether the deleted pod had a node, or the promise of one, and a port that the pod wants.
func gavePortBack(pod *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	gone := change.OldPod
	if gone.NodeName == "" && gone.Nominated == "" {
		return false, nil
	}
	for i := range pod.Ports {
		if _, conflict := conflicting(pod.Ports[i], gone.Ports); conflict {
			return true, nil
		}
	}
	return false, nil
}
