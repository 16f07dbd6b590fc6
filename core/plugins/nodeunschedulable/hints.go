package nodeunschedulable

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
)

// Hints wait for a node that may be used, and for the pod's own tolerations.
func (p *Plugin) Hints() []queue.Hint {
	return []queue.Hint{
		{
			Event: cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.Added | cluster.UpdateNodeTaint},
			Helps: usableNow,
		},
		{
			Event: cluster.ClusterEvent{Resource: cluster.TargetPod, Action: cluster.UpdatePodToleration},
			Helps: toleratesNow,
		},
	}
}

// usableNow reports whether the node came without being cordoned, or is no longer cordoned.
func usableNow(_ *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	was := change.OldNode == nil || change.OldNode.API.Spec.Unschedulable
	return was && !change.NewNode.API.Spec.Unschedulable, nil
}

// toleratesNow looks at the pod as it has become only: had it tolerated before, it would not have been rejected.
func toleratesNow(_ *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	return tolerates(change.NewPod), nil
}
