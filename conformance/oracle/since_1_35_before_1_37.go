//go:build before_1_37 && !before_1_35

package oracle

import (
	"container/heap"

	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// bySnapshot is the scores that are left, as the order of the snapshot would have left them, and the node chosen first.
func bySnapshot(scores []fwk.NodePluginScores) (framework.SortedScoredNodes, string) {
	h := sorted(scores)
	var left taken
	for h.Len() > 0 {
		left = append(left, heap.Pop(&h).(fwk.NodePluginScores).Name)
	}
	chosen := left.Pop()
	return &left, chosen
}

// bestFirst lists the nodes whose scores are left: to know them is to take them, so that others stand in for them.
func bestFirst(others framework.SortedScoredNodes) (same framework.SortedScoredNodes, names []string) {
	var left taken
	for others.Len() > 0 {
		left = append(left, others.Pop())
	}
	return &left, left
}

// taken is nodes in the order in which kube-scheduler's heap gave them.
type taken []string

// Pop takes the best.
func (t *taken) Pop() string {
	first := (*t)[0]
	*t = (*t)[1:]
	return first
}

// Len is how many are left.
func (t *taken) Len() int { return len(*t) }
