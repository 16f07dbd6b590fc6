// Package framework is how a cycle calls plugins: the extension points of kube-scheduler as interfaces, and the Profile
// that lists which plugins run where, in which order and with which weight. It runs no cycle (core does) and names no
// plugin (core/config does).
//
// Modules of others may import it: docs/plugins.md shows how to write a plugin, docs/stability.md what stays.
package framework

import (
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// MaxNodeScore is the highest normalised score; the lowest is 0.
const MaxNodeScore int64 = 100

// Plugin is anything a profile may name. A plugin holds its arguments and nothing that changes; one with a memory is a
// Guest.
type Plugin interface {
	// Name is kube-scheduler's name of the plugin.
	Name() string
}

// PreEnqueuePlugin decides whether a pod may wait for its turn at all.
type PreEnqueuePlugin interface {
	Plugin
	// PreEnqueue answers Success, or why the pod is gated.
	PreEnqueue(pod *cluster.Pod, known *cluster.State) trace.Verdict
}

// FilterPlugin decides on which nodes a pod can run.
type FilterPlugin interface {
	Plugin
	// PreFilter studies the pod once for a cycle. For a pod that does not concern the plugin it returns Skip.
	PreFilter(pod *cluster.Pod, snapshot *cluster.Snapshot) Study
}

// Study is what a FilterPlugin found out about a pod before looking at a node.
type Study struct {
	Verdict trace.Verdict // Success, Skip, or why the pod fits nowhere
	Nodes   []string      // the only nodes that can be considered, sorted; nil: all
	// judges one node; set whenever Verdict is Success, and when it is Skip for plugins that can judge all the same
	Check Check
}

// Check judges nodes for the pod it was made for. It is good for one cycle and one snapshot, and calling it changes
// nothing: it takes nodes in any order, any number of times.
type Check interface {
	// Filter answers Success, or why the pod cannot run on the node, with the evidence.
	Filter(node *cluster.Node) trace.Verdict
}

// Accountant is a Check that can list the pods that hold what it found too little of.
type Accountant interface {
	Check
	// Users lists, for a rejection of the node by this check, the largest users of each thing that is short.
	Users(node *cluster.Node, rejection trace.Verdict) []trace.Use
}

// Adviser is a Check that knows what would satisfy it.
type Adviser interface {
	Check
	// Changes lists, for a rejection of the node by this check, what would turn it into Success: each change alone.
	// None: nothing that the check knows of would.
	Changes(node *cluster.Node, rejection trace.Verdict) []trace.Change
}

// Spreader is a Check that holds the numbers of pods in domains against each other.
type Spreader interface {
	Check
	// Spreads lists its rules with what the cycle found in each domain.
	Spreads() []trace.Spread
}

// Disturbable is a Check whose answers depend on the pods of the snapshot beyond those on the node it is handed: code
// that takes pods away to see whether preemption helps has to report that to it (kube-scheduler's PreFilterExtensions).
type Disturbable interface {
	Check
	// With is the check as it would be with one pod more on a node; the receiver stays as it is.
	With(pod *cluster.Pod, node *cluster.Node) Check
	// Without is the check as it would be with one pod less on a node; the receiver stays as it is.
	Without(pod *cluster.Pod, node *cluster.Node) Check
}

// Brief is a Check whose evidence costs more than its judgement.
type Brief interface {
	Check
	// Brief is the same check without the evidence: its verdicts have the same code and the same reasons. When the
	// check is Disturbable, so is this one.
	Brief() Check
}

// PostFilterPlugin runs when no node is feasible. It may make room (preemption).
type PostFilterPlugin interface {
	Plugin
	// PostFilter answers Success with a nominated node, or why nothing can be done.
	PostFilter(ask PostFilterAsk) PostFilterAnswer
}

// PostFilterAsk is the argument of a PostFilterPlugin.
type PostFilterAsk struct {
	Pod      *cluster.Pod
	Snapshot *cluster.Snapshot
	Statuses func(node int) trace.Verdict // why the node with that index was rejected
	Hopeless bool                         // it is known that no node has the status Unschedulable
	// RejectedBy names the plugin that rejected the node first; "" when none did, or no filter ran on it
	RejectedBy func(node int) string
	Judge      Judge    // of the pod, as the Filter phase used it
	Filters    []string // the names of Judge.Checks
	Unasked    []string // the plugins whose PreFilter was not reached, because one before them ended it
	// Extenders may be called about the victims; Cycle is for these calls.
	Extenders []Extender
	Cycle     int64
	Message   MessageForm // of the profile
	Seed      uint64      // of this cycle: decides what upstream leaves to chance
	Draws     bool        // also which of equal candidates; else the first in the order of the snapshot
	Now       time.Time
	Detail    trace.Detail
	Tries     Tries // what came of nodes in earlier cycles; nil: nothing is kept
}

// PostFilterAnswer is the result of a PostFilterPlugin.
type PostFilterAnswer struct {
	Verdict    trace.Verdict
	Nomination Nomination
	Victims    []*cluster.Pod // to evict from Nomination.Node, in this order
	Facts      []trace.Fact
	Writes     []Write // what is to be written at once
}

// Nomination is the change of a pod's nominated node. The zero value leaves it as it is.
type Nomination struct {
	Change bool   // false: as it is
	Node   string // the node to nominate; "" gives the old one free
}

// ScorePlugin scores the feasible nodes.
type ScorePlugin interface {
	Plugin
	// PreScore studies the pod and the feasible nodes once for a cycle.
	PreScore(pod *cluster.Pod, snapshot *cluster.Snapshot, feasible []*cluster.Node) Scoring
}

// Ranker is a Check that scores by what its plugin found while filtering. Where the plugin scores too and its PreScore
// does not run, Rank stands for PreScore.
type Ranker interface {
	Check
	// Rank is called after the last node was judged.
	Rank(feasible []*cluster.Node) Scoring
}

// Scoring is what a ScorePlugin found out before scoring a node.
type Scoring struct {
	Verdict trace.Verdict // Success; Skip: every node keeps 0 and the plugin is left out; Error
	Scorer  Scorer        // set when Verdict is Success
}

// Scorer scores all feasible nodes of a cycle at once.
type Scorer interface {
	// Score fills raw, one entry for each node. A verdict other than Success ends the cycle with an error.
	Score(nodes []*cluster.Node, raw []int64) trace.Verdict
	// Normalize turns raw scores into 0 to MaxNodeScore in place; plugins without NormalizeScore leave them alone.
	Normalize(nodes []*cluster.Node, scores []int64) trace.Verdict
}

// Reasoner is a Scorer that can return what a raw score rests on.
type Reasoner interface {
	Scorer
	// Why lists the comparisons behind the raw score of one node.
	Why(node *cluster.Node) []trace.Evidence
}

// PermitPlugin may hold a placed pod back before it is bound.
type PermitPlugin interface {
	Plugin
	// Permit answers Success, Wait with the longest wait, or a rejection.
	Permit(ask PermitAsk) PermitAnswer
}

// PermitAsk is the argument of a PermitPlugin.
type PermitAsk struct {
	Pod     *cluster.Pod // on its node
	Node    string
	Waiting []*cluster.Pod // the pods that wait at Permit already, in order of arrival
	Known   *cluster.State
}

// PermitAnswer is the result of a PermitPlugin.
type PermitAnswer struct {
	Verdict trace.Verdict
	Timeout time.Duration // with Wait: after it the pod is rejected; at most 15 minutes count
	Allow   []string      // keys of waiting pods that this plugin lets go now
}

// BindPlugin binds a pod. The first that does not answer Skip has done it.
type BindPlugin interface {
	Plugin
	// Bind answers Success when the effect that binds the pod is to be sent out, Skip, or an error.
	Bind(pod *cluster.Pod, node string) trace.Verdict
}

// PostBindPlugin runs after a pod was bound.
type PostBindPlugin interface {
	Plugin
	// PostBind cannot fail.
	PostBind(pod *cluster.Pod, node string)
}

// Waker is a plugin that lists the events that may help a pod it rejected. For a plugin that rejects and is no Waker,
// every event returns Queue.
type Waker interface {
	Plugin
	// Hints lists the events with the hint to run for each (EventsToRegister).
	Hints() []queue.Hint
}
