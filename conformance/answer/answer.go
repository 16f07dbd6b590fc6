// Package answer has the forms of kube-scheduler's answers: verdicts, scores, decisions, preemptions and events, as
// plain data that is the same for every release. It calls no scheduler, and imports nothing of kube-scheduler, so that
// the oracle of every release can be compiled with it.
package answer

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// Verdict is the result of one plugin at one extension point.
type Verdict struct {
	// Plugin is empty only in a Success of the framework as a whole.
	Plugin string
	// Code is kube-scheduler's name of the status code: Success, Skip,
	// Unschedulable, UnschedulableAndUnresolvable, Pending, Wait or Error.
	Code string
	// Reasons are sorted: kube-scheduler lists scalar resources in map order.
	Reasons []string
}

// PreFilterVerdict is one plugin's PreFilter answer.
type PreFilterVerdict struct {
	Verdict
	// Nodes is the plugin's PreFilterResult, sorted; nil stands for all nodes,
	// an empty slice for none.
	Nodes []string
}

// PreFilterOutcome is what the framework made of all PreFilter plugins: it
// stops at the first UnschedulableAndUnresolvable and intersects node sets.
type PreFilterOutcome struct {
	Verdict
	Nodes []string
}

// NodeAnswer is the complete truth about one node.
type NodeAnswer struct {
	Node string
	// Filters has one verdict per Filter plugin of the profile, in its order,
	// each run alone on its own cycle state after its own PreFilter. A plugin
	// whose PreFilter skipped or rejected appears with Code Skip or is absent.
	Filters []Verdict
	// Framework is the framework's own verdict, the first failing plugin;
	// empty if the framework's PreFilter rejected the pod or excluded the node,
	// unless the node is the pod's nominated node, which is tried regardless.
	Framework Verdict
}

// PluginScore is one Score plugin's contribution to one node.
type PluginScore struct {
	Plugin     string
	Raw        int64 // what Score returned
	Normalized int64 // after NormalizeScore, in [0,100]; for an extender the weighted score
	Weighted   int64 // Normalized times the plugin's weight
}

// NodeScores are the scores of one feasible node, in the profile's plugin
// order without the plugins PreScore skipped.
type NodeScores struct {
	Node    string
	Plugins []PluginScore
	Total   int64
}

// Batch is what a cycle did with the scores that an earlier one left.
type Batch struct {
	Hint string   // the node that came next in them; empty for none
	Kept []string // the nodes whose scores were kept, best first
}

// Decision is what Scheduler.SchedulePod and PostFilter concluded.
type Decision struct {
	Batch Batch
	// Host is the chosen node, empty when the pod is unschedulable.
	Host string
	// Best are the nodes that share the highest total, sorted. With one
	// feasible node kube-scheduler does not score; Best is then that node.
	Best []string
	// HostByChance marks that Host is one of Best by chance: a PreFilter node set (map order) or extender scores (a random
	// tie-break) were involved.
	HostByChance bool

	StartIndex     int // nextStartNodeIndex before the cycle
	EvaluatedNodes int
	FeasibleNodes  int

	// FitError is the text of the FitError before any PostFilter plugin ran;
	// FitErrorAfter includes what PostFilter added. Both empty on success.
	FitError      string
	FitErrorAfter string
	// UnschedulablePlugins and PendingPlugins are sorted.
	UnschedulablePlugins []string
	PendingPlugins       []string
	// Error is the text of any failure that is not a FitError.
	Error string
	// Ends is the panic by which the process of this kube-scheduler ends in the cycle; the answer is not whole then.
	// Empty: it goes on.
	Ends string
}

// Victims are the pods that would leave one node.
type Victims struct {
	Node string
	// Pods are namespace/name in the order the evaluator returned them.
	Pods          []string
	PDBViolations int64
}

// Preemption is what PostFilter did for an unschedulable pod.
type Preemption struct {
	// Ran is false when the pod was schedulable or the profile has no
	// DefaultPreemption.
	Ran bool
	// Ineligible is why the pod may not preempt, empty if it may.
	Ineligible string
	// PotentialNodes are the nodes whose status a preemption could change, in
	// snapshot order.
	PotentialNodes []string
	// Candidates come from a dry run with offset 0 over PotentialNodes.
	Candidates []Victims
	// Refused are the dry run's verdicts for the other potential nodes.
	Refused map[string]Verdict
	// Nominated is the node PostFilter nominated, empty for none.
	Nominated string
	// Tied are the candidates as good as Nominated by every criterion, sorted;
	// more than one means that the choice was map order.
	Tied []string
	// Code is PostFilter's status code.
	Code string
	// Writes are the API calls made meanwhile, as "verb resource namespace/name".
	Writes []string
}

// Answer is all that kube-scheduler decides about one pending pod in one state of the cluster. It is plain data and
// shares nothing with the Oracle.
type Answer struct {
	Pod     string // namespace/name
	Profile string

	PreEnqueue []Verdict          // sorted by plugin name
	PreFilters []PreFilterVerdict // each plugin alone, in profile order
	PreFilter  PreFilterOutcome
	Nodes      []NodeAnswer // in snapshot order

	// PreScoreSkipped are the plugins whose Score was skipped, sorted.
	PreScoreSkipped []string
	// Scores are in the order in which the nodes were found feasible, also
	// when a single feasible node made kube-scheduler skip scoring; none when
	// scoring that node failed.
	Scores []NodeScores

	Decision   Decision
	Preemption Preemption
}

// Passed reports whether it is one of Success.
func (v Verdict) Passed() bool { return v.Code == "Success" }

// Equal reports whether both are the same verdict.
func (v Verdict) Equal(w Verdict) bool {
	return v.Plugin == w.Plugin && v.Code == w.Code && slices.Equal(v.Reasons, w.Reasons)
}

// Best is the names of the nodes that share the highest total, sorted.
func Best[S any](scores []S, of func(S) (name string, total int64)) []string {
	var names []string
	var top int64
	for _, node := range scores {
		name, total := of(node)
		if len(names) == 0 || total > top {
			names, top = nil, total
		}
		if total == top {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Hint is what one plugin makes of one event for a pod it rejected.
type Hint struct {
	Plugin string
	// Event is kube-scheduler's label of the event, such as "NodeAdd".
	Event string
	// Queue reports that the pod is worth another attempt.
	Queue bool
	// Error is the text of a failed hint, which counts as Queue.
	Error string
}

// Change is an object before and after; Before is nil for an addition, After
// for a deletion.
type Change struct {
	Before, After runtime.Object
}

// Event is one event that kube-scheduler's handlers derive from a change.
type Event struct {
	Resource string // such as "Node"
	Label    string // such as "NodeAdd"
	// Hints has the answer of every plugin of the pod's profile that registered for the event, as if it alone had
	// rejected the pod, sorted by plugin. The event does not move the pods of the others.
	Hints []Hint
}

// Enabled is one plugin at one extension point; Weight is 0 where nothing scores.
type Enabled struct {
	Name   string
	Weight int32
}

// Gate is a feature gate as it is set now.
type Gate struct {
	Name   string
	On     bool
	Locked bool // no other setting is accepted
}
