package framework

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Behaviour is what a release of kube-scheduler does in a cycle that no plugin decides. All of it is set, and nothing
// in it changes.
type Behaviour struct {
	Preselection Preselection
	Search       Search
	Rejection    Rejection
	Scale        Scale
	TieBreak     TieBreak
	Message      MessageForm
}

// Preselection leaves nodes out before any plugin is asked: for the cycle they are not there.
type Preselection interface {
	// Scope is the nodes that are left, as indexes of the snapshot; nil: all.
	Scope(snapshot *cluster.Snapshot) []int32
}

// EveryNode leaves no node out.
type EveryNode struct{}

// Scope is all nodes.
func (EveryNode) Scope(*cluster.Snapshot) []int32 { return nil }

// Search says how far the nodes are looked through for feasible ones.
type Search interface {
	// Enough is how many feasible nodes end the search among so many nodes.
	Enough(p *Profile, nodes int) int
	// Next is where the next search begins, when one that began at start gave so many nodes a verdict.
	Next(start, evaluated, nodes int) int
}

// Sampling stops when it has found enough feasible nodes, and the next search goes on from there (1.37).
type Sampling struct{}

// The constants of Sampling, unchanged since 1.12.
const (
	minFeasibleNodes      = 100
	minFeasiblePercentage = 5
)

// Enough is the profile's percentage of the nodes, but 100 nodes at least. With nothing to tell nodes apart, and no
// extender to reject any, one is enough.
func (Sampling) Enough(p *Profile, nodes int) int {
	if len(p.Score) == 0 &&
		!slices.ContainsFunc(p.Extenders, func(e Extender) bool { return e.Filters || e.Prioritizes }) {
		return 1
	}
	if nodes < minFeasibleNodes {
		return nodes
	}
	percentage := int(p.Percentage)
	if percentage == 0 {
		percentage = max(minFeasiblePercentage, 50-nodes/125)
	}
	return max(minFeasibleNodes, nodes*percentage/100)
}

// Next is the node after the last one that got a verdict.
func (Sampling) Next(start, evaluated, nodes int) int { return (start + evaluated) % nodes }

// Rejection says which of the filters that reject a node count: they make the message and decide what wakes the pod.
type Rejection interface {
	// Ask appends the failures that count, in the order of the profile's filters; none: the node fits.
	Ask(judge *Judge, node *cluster.Node, counted []trace.Failure) []trace.Failure
	// Counted is those that count of all failures of a node.
	Counted(all []trace.Failure) []trace.Failure
}

// FirstFailure asks the filters of a node until one rejects it (1.37).
type FirstFailure struct{}

// Ask appends the first failure.
func (FirstFailure) Ask(judge *Judge, node *cluster.Node, counted []trace.Failure) []trace.Failure {
	if failure, fits := judge.First(node); !fits {
		return append(counted, failure)
	}
	return counted
}

// Counted is the first failure.
func (FirstFailure) Counted(all []trace.Failure) []trace.Failure { return all[:min(1, len(all))] }

// Scale is the range of scores.
type Scale struct {
	Max      int64 // the highest score of a plugin once it is normalised; the lowest is 0
	Extender int64 // what a score of an extender is multiplied by to be on the same scale
}

// TieBreak chooses between nodes with the highest total.
type TieBreak interface {
	// Pick is the index of the host.
	Pick(totals []int64) int
	// String is how it chooses, as facts say it.
	String() string
}

// HeapRoot takes the node at the root of a max-heap that is built over the totals by sifting down from the last parent,
// as kube-scheduler's sorted list of nodes is (1.36 and later).
type HeapRoot struct{}

// String is its name in facts.
func (HeapRoot) String() string { return "heap order" }

// Pick is the root.
func (HeapRoot) Pick(totals []int64) int {
	heap := make([]int32, len(totals))
	for i := range heap {
		heap[i] = int32(i)
	}
	for root := len(heap)/2 - 1; root >= 0; root-- {
		for at := root; ; {
			child := 2*at + 1
			if child >= len(heap) {
				break
			}
			if right := child + 1; right < len(heap) && totals[heap[right]] > totals[heap[child]] {
				child = right
			}
			if totals[heap[child]] <= totals[heap[at]] {
				break
			}
			heap[at], heap[child] = heap[child], heap[at]
			at = child
		}
	}
	return int(heap[0])
}

// MessageForm puts into words why a pod fits nowhere.
type MessageForm interface {
	// FitError is the whole message.
	FitError(m *trace.FitMessage) string
}

// CountedReasons says how many nodes each reason rejects: "0/3 nodes are available: 2 Insufficient cpu, ..." (FitError,
// 1.37).
type CountedReasons struct{}

// FitError is the message of the PreFilter, or the reasons with their counts, and what PostFilter said.
func (CountedReasons) FitError(m *trace.FitMessage) string { return m.String() }
