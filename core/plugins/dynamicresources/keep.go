package dynamicresources

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

var _ framework.Keeper = (*Plugin)(nil)

// Keeps returns everything for a pod that requests no devices, and nothing for others.
func (*Plugin) Keeps(pod *cluster.Pod) framework.Keep {
	if len(pod.API.Spec.ResourceClaims) == 0 && len(pod.Requests.Scalars) == 0 {
		return framework.KeepAll
	}
	return 0
}
