//go:build before_1_37

package oracle

import (
	"container/heap"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

func withSnapshot(snapshot) []scheduler.Option { return nil }

// snapshotOf is the scheduler's own snapshot, which cannot be set from outside.
func snapshotOf(s *scheduler.Scheduler, _ snapshot) snapshot {
	field := reflect.ValueOf(s).Elem().FieldByName("nodeInfoSnapshot")
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())). //nolint:gosec // of this very field
										Elem().Interface().(snapshot)
}

func unrollPodEvent(e fwk.ClusterEvent) []fwk.ClusterEvent { return []fwk.ClusterEvent{e} }

// first is the node that kube-scheduler chooses by these scores: the root of its heap.
func first(scores []fwk.NodePluginScores) string {
	return sorted(scores)[0].Name
}

// sorted is a heap of scores, the best first.
func sorted(scores []fwk.NodePluginScores) byTotal {
	h := byTotal(slices.Clone(scores))
	heap.Init(&h)
	return h
}

// byTotal is ordered as kube-scheduler's heap of nodes is, which it does not export.
type byTotal []fwk.NodePluginScores

func (h byTotal) Len() int           { return len(h) }
func (h byTotal) Less(i, j int) bool { return h[i].TotalScore > h[j].TotalScore }
func (h byTotal) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *byTotal) Push(any)          { panic("nothing is added") }
func (h *byTotal) Pop() any {
	last := len(*h) - 1
	s := (*h)[last]
	*h = (*h)[:last]
	return s
}

// rawScores runs the score plugins for the node once more, in the order of its Scores: kube-scheduler keeps only the
// weighted scores.
func (q question) rawScores(state fwk.CycleState, node fwk.NodePluginScores) ([]int64, error) {
	i := slices.IndexFunc(q.nodes, func(n fwk.NodeInfo) bool { return n.Node().Name == node.Name })
	if i < 0 {
		return nil, fmt.Errorf("pod %s: %s was scored and is not in the snapshot", key(q.pod), node.Name)
	}
	field := reflect.ValueOf(q.profile.framework).Elem().FieldByName("scorePlugins")
	var plugins []fwk.ScorePlugin
	plugins = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())). //nolint:gosec // of this very field
											Elem().Interface().([]fwk.ScorePlugin)
	var raw []int64
	for _, s := range node.Scores {
		at := slices.IndexFunc(plugins, func(p fwk.ScorePlugin) bool { return p.Name() == s.Name })
		if at < 0 {
			continue // an extender's
		}
		score, status := scoreOf(q.ctx, plugins[at], state, q.pod, q.nodes[i])
		if !status.IsSuccess() {
			return nil, fmt.Errorf("pod %s: %s of %s: %w", key(q.pod), s.Name, node.Name, status.AsError())
		}
		raw = append(raw, score)
	}
	return raw, nil
}

// groupState is nothing: before 1.37 no plugin keeps anything for all members of a pod group.
type groupState struct{}

func newGroupState() groupState { return groupState{} }

// newState is the state of a cycle.
func (q question) newState() *framework.CycleState { return framework.NewCycleState() }

func leaveGroup(fwk.CycleState) {}
