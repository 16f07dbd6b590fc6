package nodedeclaredfeatures

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

var _ framework.Keeper = (*Plugin)(nil)

// Keeps returns everything: the plugin compares what the pod's spec needs with what the node declares.
func (*Plugin) Keeps(_ *cluster.Pod) framework.Keep {
	return framework.KeepAll
}
