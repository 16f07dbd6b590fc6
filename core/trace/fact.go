package trace

import (
	"strings"
	"time"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Fact is one thing that happened inside a step. Facts are in order and are never changed afterwards. The set of
// kinds is closed: every Fact is declared in this package.
type Fact interface {
	// Phase is where in the step it happened.
	Phase() Phase
	// Phrase is the fact in one line, made when it is called. The names of pods, nodes and plugins, and the messages of
	// kube-scheduler, are values of it, which are the same in every language.
	Phrase() phrase.Phrase
	// String is the phrase in English.
	String() string
	fact()
}

// Beside is the fact in one line, for a place that already shows the name of its phase.
func Beside(f Fact) phrase.Phrase {
	if short, is := f.(interface{ beside() phrase.Phrase }); is {
		return short.beside()
	}
	return f.Phrase()
}

// Observed is an event of the cluster that reached the scheduler.
type Observed struct {
	Action string      // "Add", "Update" or "Delete"
	Kind   string      // "Pod", "Node", ...
	Object string      // namespace/name, or the name of a cluster-scoped object
	Events []string    // kube-scheduler's labels of what changed, such as "NodeLabelUpdate"; empty: nothing it cares for
	Note   phrase.Text // what the scheduler made of it, when that is not obvious
}

func (Observed) Phase() Phase { return PhaseCluster }
func (f Observed) Phrase() phrase.Phrase {
	s := f.Kind + " " + f.Action + " " + f.Object
	if len(f.Events) > 0 {
		s += " (" + strings.Join(f.Events, ", ") + ")"
	}
	return phrase.Join(": ", phrase.New("%s", s), f.Note.Phrase())
}

// ClockMoved is virtual time going on.
type ClockMoved struct{ From, To time.Time }

func (ClockMoved) Phase() Phase { return PhaseClock }
func (f ClockMoved) Phrase() phrase.Phrase {
	return phrase.New("clock +%s to %s", f.To.Sub(f.From), f.To.UTC().Format(time.RFC3339Nano))
}

// Moved is an entity going from one queue to another, or into or out of the queues.
type Moved struct {
	Entity Entity
	From   QueueName   // Outside when it is new
	To     QueueName   // Outside when it leaves
	Event  string      // the label of the event that caused it
	Plugin string      // the plugin whose hint or PreEnqueue decided; "" when none did
	Reason phrase.Text // when event and plugin do not say it
	Until  time.Time   // when backoff ends, for moves to backoffQ; else zero
}

func (Moved) Phase() Phase { return PhaseQueue }
func (f Moved) Phrase() phrase.Phrase {
	return phrase.New("%s %s", f.Entity.Key(), f.Way())
}

// Way is the move in one line, without the name of the pod or group.
func (f Moved) Way() phrase.Phrase {
	parts := []phrase.Phrase{phrase.New("%s -> %s", f.From.Text(), f.To.Text())}
	if f.Event != "" {
		parts = append(parts, phrase.New(" on %[1]s", f.Event))
	}
	if f.Plugin != "" {
		parts = append(parts, phrase.New(" by %s", f.Plugin))
	}
	if f.Reason != "" {
		parts = append(parts, phrase.New(": %s", f.Reason))
	}
	if !f.Until.IsZero() {
		parts = append(parts, phrase.New(" until %s", f.Until.UTC().Format(time.RFC3339)))
	}
	return phrase.Join("", parts...)
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
func (f Hinted) Phrase() phrase.Phrase {
	answer := "Skip"
	if f.Queue {
		answer = "Queue"
	}
	if f.Err != "" {
		return phrase.New("hint %s on %s for %s: %s (%s)", f.Plugin, f.Event, f.Entity.Key(), answer, f.Err)
	}
	return phrase.New("hint %s on %s for %s: %s", f.Plugin, f.Event, f.Entity.Key(), answer)
}

// Nominated is a node being kept for a pod, or (Node empty) no longer being kept.
type Nominated struct{ Pod, Node string }

func (Nominated) Phase() Phase            { return PhaseQueue }
func (f Nominated) Phrase() phrase.Phrase { return phrase.New("%s %s", f.Pod, f.Where()) }

// Where is the nomination without the name of the pod.
func (f Nominated) Where() phrase.Phrase {
	if f.Node == "" {
		return phrase.New("nominated nowhere")
	}
	return phrase.New("nominated on %s", f.Node)
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
func (f Popped) Phrase() phrase.Phrase {
	return phrase.New(
		"cycle %d: %s popped from %s, attempt %d, priority %d, %d nodes", f.Cycle, f.Entity.Key(), string(f.From),
		f.Attempt, f.Entity.Priority, f.Nodes,
	)
}

// PreFiltered is one PreFilter plugin's answer.
type PreFiltered struct {
	Plugin  string
	Verdict Verdict
	Nodes   []string // the node set it allows, by name; nil: all
}

func (PreFiltered) Phase() Phase            { return PhasePreFilter }
func (f PreFiltered) Phrase() phrase.Phrase { return headed(PhasePreFilter, f.beside()) }

func (f PreFiltered) beside() phrase.Phrase {
	if f.Nodes != nil {
		return phrase.New("%s only [%s]", answered(f.Plugin, f.Verdict), strings.Join(f.Nodes, " "))
	}
	return answered(f.Plugin, f.Verdict)
}

// headed is a fact behind the name of its phase, which a reader sees under the name that the release has for it.
func headed(p Phase, said phrase.Phrase) phrase.Phrase { return phrase.New("%s %s", p, said) }

// answered is a plugin with its answer.
func answered(plugin string, v Verdict) phrase.Phrase {
	return phrase.New("%s: %s", plugin, v.String())
}

// NominatedTried is the node nominated earlier being tried before all others.
type NominatedTried struct {
	Node     string
	Feasible bool
	Verdict  Verdict // why not, when it is not
	Plugin   string
}

func (NominatedTried) Phase() Phase { return PhaseFilter }
func (f NominatedTried) Phrase() phrase.Phrase {
	if f.Feasible {
		return phrase.New("nominated node %s fits; no other is tried", f.Node)
	}
	return phrase.New("nominated node %s does not fit: %s %s", f.Node, f.Plugin, f.Verdict.String())
}

// Filtered is the whole Filter phase of a cycle.
type Filtered struct{ Matrix *Matrix }

func (Filtered) Phase() Phase            { return PhaseFilter }
func (f Filtered) Phrase() phrase.Phrase { return f.Matrix.Phrase() }

// PostFiltered is one PostFilter plugin's answer, given when no node is feasible.
type PostFiltered struct {
	Plugin    string
	Verdict   Verdict
	Nominated string // the node it nominated
}

func (PostFiltered) Phase() Phase            { return PhasePostFilter }
func (f PostFiltered) Phrase() phrase.Phrase { return headed(PhasePostFilter, f.beside()) }

func (f PostFiltered) beside() phrase.Phrase {
	if f.Nominated != "" {
		return phrase.New("%s nominated %s", answered(f.Plugin, f.Verdict), f.Nominated)
	}
	return answered(f.Plugin, f.Verdict)
}

// PreScored is one PreScore plugin's answer.
type PreScored struct {
	Plugin  string
	Verdict Verdict
}

func (PreScored) Phase() Phase            { return PhasePreScore }
func (f PreScored) Phrase() phrase.Phrase { return headed(PhasePreScore, f.beside()) }
func (f PreScored) beside() phrase.Phrase { return answered(f.Plugin, f.Verdict) }

// Scored is the whole Score phase of a cycle.
type Scored struct{ Scores *Scores }

func (Scored) Phase() Phase            { return PhaseScore }
func (f Scored) Phrase() phrase.Phrase { return f.Scores.Phrase() }

// Selected is the choice of the host.
type Selected struct {
	Node     string
	Total    int64
	Scored   bool        // false: the only feasible node, so nothing was scored
	Tied     []string    // every node with the highest total, in the order of the feasible list; one or more
	TieBreak phrase.Text // how a tie was broken; "" when there was none
}

func (Selected) Phase() Phase { return PhaseSelect }
func (f Selected) Phrase() phrase.Phrase {
	switch {
	case !f.Scored:
		return phrase.New("selected %s, the only feasible node", f.Node)
	case len(f.Tied) > 1:
		return phrase.New(
			"selected %s: %d nodes tied at %d (%s); %s", f.Node, len(f.Tied), f.Total, listed(f.Tied), f.TieBreak,
		)
	}
	return phrase.New("selected %s with %d", f.Node, f.Total)
}

// listed is the first few of many names.
func listed(names []string) phrase.Phrase {
	const few = 8
	if len(names) <= few {
		return phrase.New("%s", strings.Join(names, " "))
	}
	return phrase.New("%s and %d more", strings.Join(names[:few-1], " "), len(names)-few+1)
}

// Assumed is the scheduler counting a pod on a node before the API server has confirmed the binding.
type Assumed struct{ Pod, Node string }

func (Assumed) Phase() Phase            { return PhaseReserve }
func (f Assumed) Phrase() phrase.Phrase { return phrase.New("%s assumed on %s", f.Pod, f.Node) }

// Forgotten is the scheduler no longer counting an assumed pod on its node.
type Forgotten struct {
	Pod, Node string
	Reason    phrase.Text
}

func (Forgotten) Phase() Phase { return PhaseFailure }
func (f Forgotten) Phrase() phrase.Phrase {
	return phrase.New("%s forgotten on %s: %s", f.Pod, f.Node, f.Reason)
}

// Expired is an assumed pod being forgotten, because no event showed it on its node within the time After its binding.
type Expired struct {
	Pod, Node string
	After     time.Duration
}

func (Expired) Phase() Phase { return PhaseFailure }
func (f Expired) Phrase() phrase.Phrase {
	return phrase.New("%s expired on %s: no event showed it within %s of its binding", f.Pod, f.Node, f.After)
}

// Supposed is the scheduler counting an object as changed by a Reserve plugin, before the API server shows the change,
// or (Undo) no longer doing so.
type Supposed struct {
	Plugin string
	Kind   string      // "PersistentVolume", "PersistentVolumeClaim", ...
	Object string      // namespace/name, or the name of a cluster-scoped object
	Note   phrase.Text // what is different about it
	Undo   bool
}

func (Supposed) Phase() Phase { return PhaseReserve }
func (f Supposed) Phrase() phrase.Phrase {
	if f.Undo {
		return phrase.New("%s stops assuming %s %s: %s", f.Plugin, f.Kind, f.Object, f.Note)
	}
	return phrase.New("%s assumes %s %s: %s", f.Plugin, f.Kind, f.Object, f.Note)
}

// Wrote is a request of a plugin that an API object be created, updated or deleted, at PreBind or in Unreserve.
type Wrote struct {
	Point  Phase
	Plugin string
	Action string // "Add", "Update" or "Delete"
	Kind   string
	Object string      // namespace/name, or the name of a cluster-scoped object
	Note   phrase.Text // what for
}

func (f Wrote) Phase() Phase { return f.Point }
func (f Wrote) Phrase() phrase.Phrase {
	return phrase.New("%s writes %s %s %s: %s", f.Plugin, f.Kind, f.Action, f.Object, f.Note)
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
func (f Ran) Phrase() phrase.Phrase {
	if f.Undo {
		return phrase.New("%s %s", "Unreserve", f.answer())
	}
	return headed(f.Point, f.answer())
}

// beside keeps the word Unreserve, which is no phase.
func (f Ran) beside() phrase.Phrase {
	if f.Undo {
		return f.Phrase()
	}
	return f.answer()
}

func (f Ran) answer() phrase.Phrase {
	if f.Timeout > 0 {
		return phrase.New("%s for at most %s", answered(f.Plugin, f.Verdict), f.Timeout)
	}
	return answered(f.Plugin, f.Verdict)
}

// Recorded is a Kubernetes event the scheduler would write about a pod.
type Recorded struct {
	Pod    string
	Type   string // "Normal" or "Warning"
	Reason string // "Scheduled", "FailedScheduling", "Preempted", "BindingConditionsPending"
	Note   string // byte for byte kube-scheduler's
	// Condition is the reason of the condition PodScheduled=False that is written besides; "": none is.
	Condition string
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

func (f Recorded) Phrase() phrase.Phrase {
	return phrase.New("%s %s %s: %s", f.Type, f.Reason, f.Pod, f.Note)
}

// Told is the event without its pod, and the reason of the condition where it is another than that no node was found.
func (f Recorded) Told() phrase.Phrase {
	if f.Condition == "" || f.Condition == "Unschedulable" {
		return phrase.New("%s: %s", f.Reason, f.Note)
	}
	return phrase.New("%s: %s (condition PodScheduled=False, reason %s)", f.Reason, f.Note, f.Condition)
}

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
func (f Ended) Phrase() phrase.Phrase {
	if f.Message == "" {
		return phrase.New("cycle ends %s", string(f.Outcome))
	}
	return phrase.New("cycle ends %s: %s", string(f.Outcome), f.Message)
}

// Diverged is a replay placing a pod on another node than the recording has for it.
type Diverged struct {
	Pod    string
	Ours   string // the node of this replay
	Theirs string // the node of the recording; "" when it never placed the pod
}

func (Diverged) Phase() Phase { return PhaseBind }
func (f Diverged) Phrase() phrase.Phrase {
	if f.Theirs == "" {
		return phrase.New("%s goes to %s; in the recording it was never placed", f.Pod, f.Ours)
	}
	return phrase.New("%s goes to %s; in the recording it went to %s", f.Pod, f.Ours, f.Theirs)
}

// Stayed is a pod that was to be evicted and stays, because it was not evicted in the recording.
type Stayed struct {
	Pod string
	For string // the pod that needs its place
}

func (Stayed) Phase() Phase { return PhaseFailure }
func (f Stayed) Phrase() phrase.Phrase {
	return phrase.New("%s was to leave for %s; in the recording it stays", f.Pod, f.For)
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
