package framework

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// Behaviour is what a release of kube-scheduler does in a cycle that no plugin decides. All of it is set, and nothing
// in it changes.
type Behaviour struct {
	Reading      cluster.Reading // the same in all profiles of a scheduler, which share what it sees
	Preselection Preselection
	Search       Search
	Rejection    Rejection
	Scale        Scale
	TieBreak     TieBreak
	Message      MessageForm
	Groups       GroupBehaviour
	Phases       []trace.Phase // of a cycle, in the order in which it goes through them
	// Names has the names of the phases that the release calls otherwise (1.10 and earlier).
	Names map[trace.Phase]string
	// WaitingPodNotNominated leaves nominatedNodeName empty while a placed pod waits for Permit or PreBind (without
	// NominatedNodeNameForExpectation; schedule_one.go, bindingCycle).
	WaitingPodNotNominated bool
	// BatchEndsIfNodeFitsAgain discards the scores kept from an earlier cycle when the node chosen then has room for
	// another such pod, and uses kept scores for nominated pods too (1.35 and 1.36, framework/runtime/batch.go).
	BatchEndsIfNodeFitsAgain bool
	// NominationRemovalWakesNoPod requeues no pod when a nomination is removed, whether its pod was deleted or an
	// update cleared it (1.32 and earlier, eventhandlers.go).
	NominationRemovalWakesNoPod bool
	// VictimsDeletedInCycle deletes victims before the cycle ends, so that PreEnqueue holds back no preemptor
	// meanwhile (without SchedulerAsyncPreemption; framework/preemption/preemption.go).
	VictimsDeletedInCycle bool
	// NodeSetPluginsUnblamed leaves the plugins whose PreFilter returned sets of nodes out of the plugins that
	// rejected the pod (1.30 and earlier, schedule_one.go, findNodesThatFitPod).
	NodeSetPluginsUnblamed bool
	// Studies decides when PreFilter ends.
	Studies Studies
	// ExtenderReasonsAppended adds an extender's reason for a node to the reasons that the node has already (1.31 and
	// earlier, findNodesThatPassExtenders).
	ExtenderReasonsAppended bool
	// EventScope selects the pods that an event may concern, before any plugin runs its hints.
	EventScope EventScope
	// Waits has the events that plugins wait for where there are no hints; nil: their hints name the events.
	Waits []queue.PluginHints
	// AssumedPodExpiry is how long an assumed pod is kept after its binding while no event shows it on its node: 30 s
	// in 1.19 and earlier, where the cache looks every second (internal/cache/cache.go); 0: for ever (1.29 and
	// later).
	AssumedPodExpiry time.Duration
	// FailureAfterAssumeWakesNoPod requeues no other pod when a pod fails after it was assumed and its room on the
	// node is free again (1.19 and earlier, scheduler.go).
	FailureAfterAssumeWakesNoPod bool
	// NoPluginSkipped runs each plugin at every node, also one for which PreFilter or PreScore would return Skip;
	// what PreFilter would reject is then rejected at each node (1.19 and earlier, where there is no Skip).
	NoPluginSkipped bool
	// NominatedNodeNotFirst evaluates the node that a pod is nominated to when the search comes to it, and not before
	// all others (1.20 and earlier, core/generic_scheduler.go).
	NominatedNodeNotFirst bool
	// MissingClaimEndsCycle ends a cycle with an error, before any plugin runs, where a claim of the pod is missing
	// or being deleted (1.19 and earlier, core/generic_scheduler.go, podPassesBasicChecks).
	MissingClaimEndsCycle bool
	// SingleNodeScored scores a feasible node also where it is the only one (1.6, generic_scheduler.go, Schedule).
	SingleNodeScored bool
	// SearchContinuesAfterError evaluates the remaining nodes after a filter returned an error, so that the error of
	// the cycle lists the errors of all of them (1.10 and earlier, core/generic_scheduler.go, findNodesThatFit).
	SearchContinuesAfterError bool
	// Equivalence is what is kept of the answers of filters (1.10 with EnableEquivalenceClassCache); nil: nothing.
	Equivalence Equivalence
	Queue       queue.Discipline // the same in all profiles of a scheduler, which share a queue
}

// Preselection leaves nodes out before any plugin runs: for the cycle they do not exist.
type Preselection interface {
	// Scope is the nodes that are left, as indexes of the snapshot; nil: all.
	Scope(snapshot *cluster.Snapshot) []int32
}

// EveryNode leaves no node out.
type EveryNode struct{}

// Scope is all nodes.
func (EveryNode) Scope(*cluster.Snapshot) []int32 { return nil }

// EventScope selects the pods that an event of the cluster may concern.
type EventScope interface {
	// Concerned returns a filter of the pods that the event of a change may concern; nil: all pods. heard is false when
	// the event concerns no pod.
	Concerned(e cluster.ClusterEvent, change *cluster.Change, known *cluster.State) (
		only func(*queue.Item) bool, heard bool,
	)
}

// EveryPodConcerned leaves the choice to hints (1.32 and later).
type EveryPodConcerned struct{}

// Concerned selects every pod.
func (EveryPodConcerned) Concerned(
	cluster.ClusterEvent, *cluster.Change, *cluster.State,
) (only func(*queue.Item) bool, heard bool) {
	return nil, true
}

// Studies decides what ends PreFilter.
type Studies struct {
	// FirstRejectionEnds ends PreFilter at the first plugin that rejects the pod. Otherwise it ends at the first
	// rejection that preemption cannot help, so that preemption has what the other plugins found (1.29 and earlier,
	// framework/runtime/framework.go, RunPreFilterPlugins).
	FirstRejectionEnds bool
	// Disjoint is the code where no node is in all node sets.
	Disjoint trace.Code
}

// Search decides how far the nodes are looked through for feasible ones.
type Search interface {
	// Enough is how many feasible nodes end the search among so many nodes.
	Enough(p *Profile, nodes int) int
	// Next is where the next search begins, when one that began at start gave so many nodes a verdict.
	Next(start, evaluated, nodes int) int
}

// Sampling stops when it has found enough feasible nodes, and the next search goes on from there (1.37).
type Sampling struct{}

// AlwaysSampling is Sampling that looks for as many nodes also where no score plugin and no extender compares them
// (1.29 and earlier).
type AlwaysSampling struct{ Sampling }

// Enough is the profile's percentage of the nodes, but 100 nodes at least.
func (AlwaysSampling) Enough(p *Profile, nodes int) int { return enough(p, nodes) }

// The constants of Sampling, unchanged since 1.12.
const (
	minFeasibleNodes      = 100
	minFeasiblePercentage = 5
)

// Enough is the profile's percentage of the nodes, but 100 nodes at least. With no score plugin, and no extender that
// filters or scores, one node is enough.
func (Sampling) Enough(p *Profile, nodes int) int {
	if len(p.Score) == 0 &&
		!slices.ContainsFunc(p.Extenders, func(e Extender) bool { return e.Filters || e.Prioritizes }) {
		return 1
	}
	return enough(p, nodes)
}

func enough(p *Profile, nodes int) int {
	if nodes < minFeasibleNodes {
		return nodes
	}
	percentage := int(p.Percentage)
	if percentage == 0 {
		percentage = max(minFeasiblePercentage, 50-nodes/125)
	}
	return max(minFeasibleNodes, nodes*percentage/100)
}

// AllNodes evaluates every node, always from the first (1.10 and earlier).
type AllNodes struct{}

// Enough is all nodes.
func (AllNodes) Enough(_ *Profile, nodes int) int { return nodes }

// Next is the first node.
func (AllNodes) Next(int, int, int) int { return 0 }

// Next is the node after the last one that got a verdict.
func (Sampling) Next(start, evaluated, nodes int) int { return (start + evaluated) % nodes }

// Rejection decides which of the filters that reject a node count: they make the message and decide what wakes the pod.
type Rejection interface {
	// Ask runs the filters on a node and appends the failures that count, in the order of the profile's filters; none:
	// the node fits.
	Ask(judge *Judge, node *cluster.Node, counted []trace.Failure) []trace.Failure
	// Counted is those that count of all failures of a node, which the judge found out with All.
	Counted(judge *Judge, node *cluster.Node, all []trace.Failure) []trace.Failure
	// GoesOn reports whether filters still run on a node after one of them has rejected it.
	GoesOn() bool
}

// FirstFailure runs the filters on a node until one rejects it (1.37).
type FirstFailure struct{}

// Ask appends the first failure.
func (FirstFailure) Ask(judge *Judge, node *cluster.Node, counted []trace.Failure) []trace.Failure {
	return judge.appendFirst(node, counted)
}

// Counted is the first failure.
func (FirstFailure) Counted(_ *Judge, _ *cluster.Node, all []trace.Failure) []trace.Failure {
	return all[:min(1, len(all))]
}

// GoesOn is false.
func (FirstFailure) GoesOn() bool { return false }

// EveryFailure runs every filter on a node, whatever those before it returned (a Policy with alwaysCheckAllPredicates,
// 1.22 and earlier). Where one breaks, it is the only one that counts.
type EveryFailure struct{}

// Ask appends the failures with the pods that are nominated to the node; if there are none, those without them.
func (EveryFailure) Ask(judge *Judge, node *cluster.Node, counted []trace.Failure) []trace.Failure {
	if with, checks := judge.withNominated(node); with != nil {
		if more := appendAll(with, checks, counted); len(more) > len(counted) {
			return more
		}
	}
	return appendAll(node, judge.Checks, counted)
}

// Counted is all of them, unless a filter broke or pods are nominated to the node.
func (e EveryFailure) Counted(judge *Judge, node *cluster.Node, all []trace.Failure) []trace.Failure {
	with, _ := judge.withNominated(node)
	if with == nil && !slices.ContainsFunc(all, func(f trace.Failure) bool { return f.Verdict.Code == trace.Error }) {
		return all
	}
	return e.Ask(judge, node, nil)
}

// GoesOn is true.
func (EveryFailure) GoesOn() bool { return true }

// appendAll is every failure up to the first filter that breaks, and then that alone.
func appendAll(node *cluster.Node, checks []Check, failures []trace.Failure) []trace.Failure {
	before := len(failures)
	for p, check := range checks {
		if check == nil {
			continue
		}
		v := check.Filter(node)
		if v.Code == trace.Error {
			failures = failures[:before]
		}
		if v.Code != trace.Success {
			failures = append(failures, trace.Failure{Node: int32(node.Index()), Plugin: int16(p), Verdict: v})
		}
		if v.Code == trace.Error {
			break
		}
	}
	return failures
}

// Scale is the range of scores.
type Scale struct {
	Max      int64 // the highest score of a plugin once it is normalised; the lowest is 0
	Extender int64 // what a score of an extender is multiplied by to be on the same scale
	// ScoresUnchecked accepts scores beyond the scale (1.10 and earlier, core/generic_scheduler.go, PrioritizeNodes).
	ScoresUnchecked bool
}

// NameOf is how the release calls a phase of a cycle.
func (b *Behaviour) NameOf(p trace.Phase) string {
	if name, has := b.Names[p]; has {
		return name
	}
	return p.String()
}
