// Package podgrouppodscount is kube-scheduler's PodGroupPodsCount plugin (1.37): of the placements that take a group,
// the one that takes more of its pods is better. NodeResourcesFit scores how full nodes get.
package podgrouppodscount

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// pluginName is kube-scheduler's name of the plugin.
const pluginName = "PodGroupPodsCount"

// Plugin counts pods.
type Plugin struct{}

var _ framework.PlacementScorePlugin = Plugin{}

// New needs nothing.
func New() Plugin { return Plugin{} }

// Name is PodGroupPodsCount.
func (Plugin) Name() string { return pluginName }

// ScorePlacement is how many pods the group would have on nodes, those that are there already included.
func (Plugin) ScorePlacement(
	group framework.Group, snapshot *cluster.Snapshot, _ framework.Placement, placed []framework.Assignment,
) (int64, trace.Verdict) {
	return int64(len(snapshot.Scheduled(group.Key())) + len(placed)), trace.Verdict{}
}

// NormalizePlacements gives the most pods 100, and fewer their share of that.
func (Plugin) NormalizePlacements(_ framework.Group, _ []framework.Placement, scores []int64) trace.Verdict {
	most := slices.Max(scores)
	if most == 0 {
		return trace.Verdict{
			Code:    trace.Error,
			Reasons: []string{"no pods from pod group are assigned to any of the candidate placements"},
		}
	}
	for i, s := range scores {
		scores[i] = s * framework.MaxNodeScore / most
	}
	return trace.Verdict{}
}
