package tainttoleration

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

var _ framework.Keeper = (*Plugin)(nil)

// Keeps returns everything: the plugin compares the pod's tolerations with the node's taints.
func (*Plugin) Keeps(_ *cluster.Pod) framework.Keep {
	return framework.KeepAll
}
