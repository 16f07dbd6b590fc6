package trace

import (
	"fmt"
	"strings"
	"time"
)

// Fact is one thing that happened inside a step. Facts are in order and are never changed afterwards. The set of
// kinds is closed: every Fact is declared in this package.
type Fact interface {
	// Phase is where in the step it happened.
	Phase() Phase
	// String says it in one line, without a line break.
	String() string
	fact()
}

// Beside is the fact in one line, for a place that already shows the name of its phase.
func Beside(f Fact) string {
	if short, is := f.(interface{ beside() string }); is {
		return short.beside()
	}
	return f.String()
}

// Observed is an event of the cluster that reached the scheduler.
type Observed struct {
	Action string   // "Add", "Update" or "Delete"
	Kind   string   // "Pod", "Node", ...
	Object string   // namespace/name, or the name of a cluster-scoped object
	Events []string // kube-scheduler's labels of what changed, such as "NodeLabelUpdate"; empty: nothing it cares for
	Note   string   // what the scheduler made of it, when that is not obvious
}

func (Observed) Phase() Phase { return PhaseCluster }
func (f Observed) String() string {
	s := f.Kind + " " + f.Action + " " + f.Object
	if len(f.Events) > 0 {
		s += " (" + strings.Join(f.Events, ", ") + ")"
	}
	if f.Note != "" {
		s += ": " + f.Note
	}
	return s
}

// ClockMoved is virtual time going on.
type ClockMoved struct{ From, To time.Time }

func (ClockMoved) Phase() Phase { return PhaseClock }
func (f ClockMoved) String() string {
	return fmt.Sprintf("clock +%s to %s", f.To.Sub(f.From), f.To.UTC().Format(time.RFC3339Nano))
}

// Moved is an entity going from one queue to another, or into or out of the queues.
type Moved struct {
	Entity Entity
	From   QueueName // Outside when it is new
	To     QueueName // Outside when it leaves
	Event  string    // the label of the event that caused it
	Plugin string    // the plugin whose hint or PreEnqueue decided; "" when none did
	Reason string    // in words, when event and plugin do not say it
	Until  time.Time // when backoff ends, for moves to backoffQ; else zero
}

func (Moved) Phase() Phase     { return PhaseQueue }
func (f Moved) String() string { return f.Entity.Key() + " " + f.Way() }

// Way is the move in one line, without the name of the pod or group.
func (f Moved) Way() string {
	from, to := f.From, f.To
	if from == "" {
		from = "outside"
	}
	if to == "" {
		to = "outside"
	}
	s := string(from + " -> " + to)
	if f.Event != "" {
		s += " on " + f.Event
	}
	if f.Plugin != "" {
		s += " by " + f.Plugin
	}
	if f.Reason != "" {
		s += ": " + f.Reason
	}
	if !f.Until.IsZero() {
		s += " until " + f.Until.UTC().Format(time.RFC3339)
	}
	return s
}

// Hinted is one queueing hint's answer about one parked entity.
type Hinted struct {
	Entity Entity
	Event  string
	Plugin string
	Queue  bool   // true: QueueAfterBackoff or immediately; false: QueueSkip
	Err    string // the hint failed; kube-scheduler then queues
}

func (Hinted) Phase() Phase { return PhaseQueue }
func (f Hinted) String() string {
	answer := "Skip"
	if f.Queue {
		answer = "Queue"
	}
	s := fmt.Sprintf("hint %s on %s for %s: %s", f.Plugin, f.Event, f.Entity.Key(), answer)
	if f.Err != "" {
		s += " (" + f.Err + ")"
	}
	return s
}

// Nominated is a node being kept for a pod, or (Node empty) no longer being kept.
type Nominated struct{ Pod, Node string }

func (Nominated) Phase() Phase { return PhaseQueue }
func (f Nominated) String() string {
	return f.Pod + " " + f.Where()
}

// Where is the nomination in words, without the name of the pod.
func (f Nominated) Where() string {
	if f.Node == "" {
		return "nominated nowhere"
	}
	return "nominated on " + f.Node
}

// Popped opens a cycle: the entity that it tries to place, and how many nodes there are.
type Popped struct {
	Cycle   int64
	Entity  Entity
	Profile string
	From    QueueName
	Attempt int // 1 for the first
	Nodes   int // nodes in the snapshot
	Now     time.Time
}

func (Popped) Phase() Phase { return PhasePop }
func (f Popped) String() string {
	return fmt.Sprintf(
		"cycle %d: %s popped from %s, attempt %d, priority %d, %d nodes", f.Cycle, f.Entity.Key(), f.From, f.Attempt,
		f.Entity.Priority, f.Nodes,
	)
}

// PreFiltered is one PreFilter plugin's answer.
type PreFiltered struct {
	Plugin  string
	Verdict Verdict
	Nodes   []string // the node set it allows, by name; nil: all
}

func (PreFiltered) Phase() Phase     { return PhasePreFilter }
func (f PreFiltered) String() string { return "PreFilter " + f.beside() }

func (f PreFiltered) beside() string {
	s := f.Plugin + ": " + f.Verdict.String()
	if f.Nodes != nil {
		s += " only [" + strings.Join(f.Nodes, " ") + "]"
	}
	return s
}

// NominatedTried is the node nominated earlier being tried before all others.
type NominatedTried struct {
	Node     string
	Feasible bool
	Verdict  Verdict // why not, when it is not
	Plugin   string
}

func (NominatedTried) Phase() Phase { return PhaseFilter }
func (f NominatedTried) String() string {
	if f.Feasible {
		return "nominated node " + f.Node + " fits; no other is tried"
	}
	return "nominated node " + f.Node + " does not fit: " + f.Plugin + " " + f.Verdict.String()
}

// Filtered is the whole Filter phase of a cycle.
type Filtered struct{ Matrix *Matrix }

func (Filtered) Phase() Phase     { return PhaseFilter }
func (f Filtered) String() string { return f.Matrix.String() }

// PostFiltered is one PostFilter plugin's answer, given when no node is feasible.
type PostFiltered struct {
	Plugin    string
	Verdict   Verdict
	Nominated string // the node it nominated
}

func (PostFiltered) Phase() Phase     { return PhasePostFilter }
func (f PostFiltered) String() string { return "PostFilter " + f.beside() }

func (f PostFiltered) beside() string {
	s := f.Plugin + ": " + f.Verdict.String()
	if f.Nominated != "" {
		s += " nominated " + f.Nominated
	}
	return s
}

// PreScored is one PreScore plugin's answer.
type PreScored struct {
	Plugin  string
	Verdict Verdict
}

func (PreScored) Phase() Phase     { return PhasePreScore }
func (f PreScored) String() string { return "PreScore " + f.beside() }
func (f PreScored) beside() string { return f.Plugin + ": " + f.Verdict.String() }

// Scored is the whole Score phase of a cycle.
type Scored struct{ Scores *Scores }

func (Scored) Phase() Phase     { return PhaseScore }
func (f Scored) String() string { return f.Scores.String() }

// Selected is the choice of the host.
type Selected struct {
	Node     string
	Total    int64
	Scored   bool     // false: the only feasible node, so nothing was scored
	Tied     []string // every node with the highest total, in the order of the feasible list; one or more
	TieBreak string   // how a tie was broken; "" when there was none
}

func (Selected) Phase() Phase { return PhaseSelect }
func (f Selected) String() string {
	switch {
	case !f.Scored:
		return "selected " + f.Node + ", the only feasible node"
	case len(f.Tied) > 1:
		return fmt.Sprintf(
			"selected %s: %d nodes tied at %d (%s); %s", f.Node, len(f.Tied), f.Total, listed(f.Tied), f.TieBreak,
		)
	}
	return fmt.Sprintf("selected %s with %d", f.Node, f.Total)
}

// listed is the first few of many names.
func listed(names []string) string {
	const few = 8
	if len(names) <= few {
		return strings.Join(names, " ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few-1], " "), len(names)-few+1)
}

// Assumed is the scheduler counting a pod on a node before the API server has confirmed the binding.
type Assumed struct{ Pod, Node string }

func (Assumed) Phase() Phase     { return PhaseReserve }
func (f Assumed) String() string { return f.Pod + " assumed on " + f.Node }

// Forgotten is the scheduler no longer counting an assumed pod on its node.
type Forgotten struct{ Pod, Node, Reason string }

func (Forgotten) Phase() Phase     { return PhaseFailure }
func (f Forgotten) String() string { return f.Pod + " forgotten on " + f.Node + ": " + f.Reason }

// Expired is an assumed pod being forgotten, because no event showed it on its node within the time After its binding.
type Expired struct {
	Pod, Node string
	After     time.Duration
}

func (Expired) Phase() Phase { return PhaseFailure }
func (f Expired) String() string {
	return fmt.Sprintf("%s expired on %s: no event showed it within %s of its binding", f.Pod, f.Node, f.After)
}

// Supposed is the scheduler counting an object as changed by a Reserve plugin, before the API server shows the change,
// or (Undo) no longer doing so.
type Supposed struct {
	Plugin string
	Kind   string // "PersistentVolume", "PersistentVolumeClaim", ...
	Object string // namespace/name, or the name of a cluster-scoped object
	Note   string // what is different about it, in words
	Undo   bool
}

func (Supposed) Phase() Phase { return PhaseReserve }
func (f Supposed) String() string {
	verb := "assumes"
	if f.Undo {
		verb = "stops assuming"
	}
	return f.Plugin + " " + verb + " " + f.Kind + " " + f.Object + ": " + f.Note
}

// Wrote is a plugin asking for an API object to be created, updated or deleted, at PreBind or in Unreserve.
type Wrote struct {
	Point  Phase
	Plugin string
	Action string // "Add", "Update" or "Delete"
	Kind   string
	Object string // namespace/name, or the name of a cluster-scoped object
	Note   string // what for, in words
}

func (f Wrote) Phase() Phase { return f.Point }
func (f Wrote) String() string {
	return f.Plugin + " writes " + f.Kind + " " + f.Action + " " + f.Object + ": " + f.Note
}

// Ran is one plugin's answer at Reserve, Permit, PreBind, Bind or PostBind, and Unreserve (which always succeeds).
type Ran struct {
	Point   Phase
	Plugin  string
	Verdict Verdict
	Undo    bool          // Unreserve
	Timeout time.Duration // how long a Permit plugin lets the pod wait
}

func (f Ran) Phase() Phase { return f.Point }
func (f Ran) String() string {
	point := f.Point.String()
	if f.Undo {
		point = "Unreserve"
	}
	return point + " " + f.answer()
}

// beside keeps the word Unreserve, which is no phase.
func (f Ran) beside() string {
	if f.Undo {
		return f.String()
	}
	return f.answer()
}

func (f Ran) answer() string {
	s := f.Plugin + ": " + f.Verdict.String()
	if f.Timeout > 0 {
		s += " for at most " + f.Timeout.String()
	}
	return s
}

// Recorded is a Kubernetes event the scheduler would write about a pod.
type Recorded struct {
	Pod    string
	Type   string // "Normal" or "Warning"
	Reason string // "Scheduled", "FailedScheduling", "Preempted", "BindingConditionsPending"
	Note   string // byte for byte kube-scheduler's
}

func (f Recorded) Phase() Phase {
	switch f.Reason {
	case "Scheduled":
		return PhaseBind
	case "BindingConditionsPending":
		return PhasePreBind
	}
	return PhaseFailure
}
func (f Recorded) String() string { return f.Type + " " + f.Reason + " " + f.Pod + ": " + f.Note }

// Ended closes a cycle.
type Ended struct {
	Outcome       Outcome
	Node          string
	NominatedNode string
	Message       string   // the note of the event kube-scheduler records
	Evaluated     int      // nodes kube-scheduler looked at
	Feasible      int      // nodes it found feasible
	StartIndex    int      // where in the snapshot's order it began
	Plugins       []string // the plugins that rejected the pod (UnschedulablePlugins), sorted
	Pending       []string // the plugins that answered Pending, sorted
	Queue         QueueCounts
	MovedTo       QueueName // where the entity went after a cycle that placed nothing; else Outside
	BackoffUntil  time.Time // zero when it is not backing off
}

func (Ended) Phase() Phase { return PhaseEnd }
func (f Ended) String() string {
	if f.Message == "" {
		return "cycle ends " + string(f.Outcome)
	}
	return "cycle ends " + string(f.Outcome) + ": " + f.Message
}

// Diverged is a replay placing a pod elsewhere than the recording says it went.
type Diverged struct {
	Pod    string
	Ours   string // the node of this replay
	Theirs string // the node of the recording; "" when it never placed the pod
}

func (Diverged) Phase() Phase { return PhaseBind }
func (f Diverged) String() string {
	if f.Theirs == "" {
		return f.Pod + " goes to " + f.Ours + "; in the recording it was never placed"
	}
	return f.Pod + " goes to " + f.Ours + "; in the recording it went to " + f.Theirs
}

// Stayed is a pod that was to be evicted and stays, because nobody evicted it in the recording.
type Stayed struct {
	Pod string
	For string // the pod that needs its place
}

func (Stayed) Phase() Phase { return PhaseFailure }
func (f Stayed) String() string {
	return f.Pod + " was to leave for " + f.For + "; in the recording it stays"
}

// Outcome is how a cycle ended.
type Outcome string

// The outcomes, as the command line prints them.
const (
	Scheduled         Outcome = "Scheduled"
	NotSchedulable    Outcome = "Unschedulable"
	Preempting        Outcome = "Preempting"
	Waiting           Outcome = "Waiting" // it has its node, and waits for permission or for PreBind plugins
	SchedulerError    Outcome = "Error"
	SkippedScheduling Outcome = "Skipped"
)

// QueueCounts is how many entities each queue holds.
type QueueCounts struct {
	Active, Backoff, Unschedulable, Gated, InFlight int
	// Incomplete counts the pods whose PodGroup is not there; they are in none of the others.
	Incomplete int
}

func (Observed) fact()       {}
func (ClockMoved) fact()     {}
func (Moved) fact()          {}
func (Hinted) fact()         {}
func (Nominated) fact()      {}
func (Popped) fact()         {}
func (PreFiltered) fact()    {}
func (NominatedTried) fact() {}
func (Filtered) fact()       {}
func (PostFiltered) fact()   {}
func (PreScored) fact()      {}
func (Scored) fact()         {}
func (Selected) fact()       {}
func (Assumed) fact()        {}
func (Forgotten) fact()      {}
func (Expired) fact()        {}
func (Supposed) fact()       {}
func (Wrote) fact()          {}
func (Ran) fact()            {}
func (Recorded) fact()       {}
func (Diverged) fact()       {}
func (Stayed) fact()         {}
func (Ended) fact()          {}
