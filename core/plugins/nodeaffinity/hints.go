package nodeaffinity

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
)

// Hints wait for a node that has what the pod requires.
func (p *Plugin) Hints() []queue.Hint {
	return []queue.Hint{{
		Event: cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.Added | cluster.UpdateNodeLabel},
		Helps: p.matchesNow,
	}}
}

// matchesNow reports whether the node matches and, when it was there before, did not match the pod's own requirements.
// The requirements of the configuration are checked against the node's new version only.
func (p *Plugin) matchesNow(pod *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	if p.enforced != nil && !p.enforced.matches(change.NewNode) {
		return false, nil
	}
	matches, err := pod.NodeSelection.Match(change.NewNode.API)
	if err != nil || !matches {
		return false, err
	}
	if change.OldNode == nil {
		return true, nil
	}
	matched, err := pod.NodeSelection.Match(change.OldNode.API)
	return !matched, err
}
