package release

import (
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
)

// flush1_19 is how long a pod stays unschedulable before it is tried again anyway.
const flush1_19 = time.Minute

// waits1_19 has every plugin wait for every event that moves pods at all in 1.19: it moves all of them.
func waits1_19(plugins []Plugin) []queue.PluginHints {
	var list []queue.PluginHints
	for i := range plugins {
		if !plugins[i].At(framework.Filter) {
			continue
		}
		list = append(list, waits(
			plugins[i].Name, of(cluster.NodeResource, cameOrChanged), of(cluster.AssignedPod, cluster.AnyAction),
			of(cluster.VolumeResource, cameOrChanged), of(cluster.VolumeClaimResource, cameOrChanged),
			of(cluster.StorageClassResource, cluster.Added), of(cluster.CSINodeResource, cameOrChanged),
		))
	}
	return list
}
