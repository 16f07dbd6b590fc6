package volumezone

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

var _ framework.Keeper = (*Plugin)(nil)

// Keeps returns everything for a pod without claims, and nothing for others.
func (*Plugin) Keeps(pod *cluster.Pod) framework.Keep {
	if len(pod.Claims) == 0 {
		return framework.KeepAll
	}
	return 0
}
