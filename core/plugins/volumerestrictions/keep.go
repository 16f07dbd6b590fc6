package volumerestrictions

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

var _ framework.Keeper = (*Plugin)(nil)

// Keeps returns everything for a pod without volumes, and nothing for others.
func (*Plugin) Keeps(pod *cluster.Pod) framework.Keep {
	if len(pod.Claims)+len(pod.Disks) == 0 {
		return framework.KeepAll
	}
	return 0
}
