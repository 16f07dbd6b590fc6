package compare_test

import (
	"fmt"
	"testing"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/apiserver"
	"github.com/schedstep/schedstep/replay/play/compare"
)

// Their scheduler had not seen a taint, and begins preemption somewhere by chance. Where it looks at some of the nodes,
// it may choose any of them that is as good; where it looks at all, a node with more victims stays different.
func TestWhereOthersAreEvictedIsChanceOnNodesThatWereBehindToo(t *testing.T) {
	for _, story := range []struct {
		nodes, chosen, victims int
		want                   compare.Tally
	}{
		// Preemption tries 100 of the nodes: one of these five is among the others.
		{130, 1, 1, compare.Tally{Explained: 1}},
		{130, 27, 1, compare.Tally{Explained: 1}},
		{130, 53, 1, compare.Tally{Explained: 1}},
		{130, 79, 1, compare.Tally{Explained: 1}},
		{130, 105, 1, compare.Tally{Explained: 1}},
		{20, 1, 1, compare.Tally{Explained: 1}},
		{20, 7, 2, compare.Tally{Different: 1}},
	} {
		h := newHistory()
		for i := range story.nodes {
			node := fmt.Sprintf("n%d", i)
			h.happens(cluster.Add, apiserver.Node(node))
			if i == story.chosen && story.victims == 2 {
				h.happens(cluster.Add, apiserver.Pod("a-"+node, node), apiserver.Pod("b-"+node, node))
				continue
			}
			h.happens(cluster.Add, large("old-"+node, node))
		}
		urgent := large("urgent", "")
		urgent.Spec.Priority = new(int32(1000))
		h.happens(cluster.Add, urgent)
		h.others(100)
		h.happens(cluster.Update, tainted("n0"))
		h.happens(cluster.Update, waiting(urgent.DeepCopy(), fmt.Sprintf(
			"0/%d nodes are available: %[1]d Insufficient cpu. preemption: found a potential placement for pod on node n%d, "+
				"preempting %d victims", story.nodes, story.chosen, story.victims,
		)))
		h.others(100)
		if r := h.hindsight.Report(); r.Messages != story.want {
			t.Errorf("%+v: %+v", story, r)
		}
	}
}
