package noderesources

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// ScorePlacement is how full the nodes of a placement would be with the group, all taken as one: the fuller, the
// better, whatever strategy the arguments set for single nodes (1.37). A scalar resource that the group does not
// request takes no part, and the devices behind one do not count.
func (f *Fit) ScorePlacement(
	_ framework.Group, _ *cluster.Snapshot, placement framework.Placement, placed []framework.Assignment,
) (int64, trace.Verdict) {
	weighted, weights := int64(0), int64(0)
	for _, r := range f.resources {
		c := column{resource: r}
		for _, member := range placed {
			requests := scoredRequests(member.Pod)
			c.request += r.of(&requests)
		}
		if r.kind == scalar && c.request == 0 {
			continue
		}
		requested, capacity := c.request, int64(0)
		for _, node := range placement.Nodes {
			if used, has := c.counted(node); has > 0 {
				capacity += has
				requested += used
			}
		}
		if capacity == 0 {
			continue
		}
		weighted += f.packed.of(requested, capacity) * r.weight
		weights += r.weight
	}
	return f.packed.mean(weighted, weights), trace.Verdict{}
}

// NormalizePlacements leaves the scores alone: they are 0 to 100 already.
func (f *Fit) NormalizePlacements(framework.Group, []framework.Placement, []int64) trace.Verdict {
	return trace.Verdict{}
}
