package nodeunschedulable

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

var _ framework.Keeper = (*Plugin)(nil)

// Keeps returns everything: the plugin reads the pod's tolerations and whether the node is cordoned.
func (*Plugin) Keeps(_ *cluster.Pod) framework.Keep {
	return framework.KeepAll
}
