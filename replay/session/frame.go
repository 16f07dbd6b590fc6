package session

import (
	"time"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/compare"
)

// Frame is everything visible at a position, as plain data. It is never changed after it was made; slices may be shared
// with other frames. What costs more than most readers need is in At.
type Frame struct {
	At *At // beside it; nil in a frame of no session, and answers nothing then

	Title    string         // what is being replayed
	Story    string         // what a demo is about, in a few sentences; may be empty
	Language words.Language // that the person reads
	World    string         // "simulated" or "recorded"
	Version  string         // the Kubernetes version whose scheduler this is, such as "1.37"
	Branch   string         // "main", or the name of a what-if
	Branches []string

	Position Position
	Now      time.Time   // virtual
	Kind     play.Kind   // of the step the cursor is in
	Phase    trace.Phase // of the last fact behind the cursor
	Stop     Stop        // why the last move ended here
	// the cycle the cursor is in, folded up to it; nil outside a cycle, and until its pod is known
	Cycle *trace.Cycle
	Last  *trace.Cycle  // where Cycle is nil: the last cycle before the cursor, whole; else nil
	Facts []trace.Fact  // of the step, up to the cursor
	Cell  *Cell         // the cell of the filter matrix the cursor is at; nil unless it moves fact by fact
	Ahead []trace.Phase // what may follow in this cycle, by the order of the release
	// Phases are those of a cycle in the order of the release; of the profile of the cycle that About gives.
	Phases []trace.Phase
	names  map[trace.Phase]string // that the release has, where they are not those of today

	Number  int64 // of the last cycle that began at or before the cursor; 0: none
	Cycles  int64 // how many cycles the session has run, those ahead of the cursor included
	Steps   int   // how many steps it has run
	Whole   bool  // the end of the replay is known; never while the log may still grow
	AtStart bool  // nothing that is kept is before the cursor
	AtEnd   bool  // nothing is left to do after the cursor

	// Schedulers are all that decide, by name in the order of their turns; nil: there is one alone.
	Schedulers []string
	// Scheduler is whose queue and cache the frame shows; "" where there is one alone.
	Scheduler string

	Queue Queue
	Shown string // the flags by which the user chose whose rows Queue has; "": it has all
	// how much was requested of each node before the first cycle, or on a branch before the first what-if; nil until a
	// cycle has run
	Begin     []Usage
	Nodes     int // in the cluster
	Pods      int
	Timeline  []Mark        // one for each cycle and each event of note up to the cursor, in order of steps
	Notes     []phrase.Text // what the replay does not take into account, or took otherwise than the input says
	Unjudged  []string      // default plugins that this build does not ask yet
	Breaks    []Breakpoint
	Bookmarks []Bookmark // in the order they were made
	Dropped   int        // events of the log that are no longer kept: see Session.Limit
	Since     time.Time  // the moment from which on everything is kept
	// of what the cluster's own scheduler decided before the cursor; zero where it is not compared
	Agreement compare.Tally

	Displays []Display // in the order they were asked for

	trying   bool               // the cursor is in the middle of a cycle
	wakers   map[string][]Waker // by schedulerName, of the profiles of all pods that wait
	patience time.Duration      // how long a pod stays unschedulable at most
	// a backoff may end early, when no other item is ready
	cutsShort bool
	hosts     map[string]host  // by pod, of those that About is about
	records   *compare.Records // nil: nothing to compare cycles with
	evictions []eviction       // up to the cursor
}

// About is the cycle that a frame is about: the one the cursor is in, or else the last one before it; nil before the
// first.
func (f *Frame) About() *trace.Cycle {
	if f.Cycle == nil {
		return f.Last
	}
	return f.Cycle
}

// Try is what the cycle that About gives made of one pod: of a pod group the member that was tried last. nil where that
// is nil.
func (f *Frame) Try() *trace.Try {
	if c := f.About(); c != nil {
		return c.Latest()
	}
	return nil
}

// Wants is what the pod of About requires of a node; nothing for a pod group, and for a pod that is gone.
func (f *Frame) Wants() Wants {
	if c := f.About(); c != nil && c.Group == nil {
		return f.hosts[c.Entity.Key()].wants
	}
	return Wants{}
}

// Position is a place in a replay. Positions are ordered by Step, then Fact, then Cell.
type Position struct {
	Step int `json:"step"`           // steps that are begun; 0: before everything
	Fact int `json:"fact,omitempty"` // facts of that step behind the cursor
	Cell int `json:"cell,omitempty"` // cells of the filter matrix behind the cursor, while it walks over them; else 0
}

// Cell is one plugin on one node.
type Cell struct {
	Node   int // index in Matrix.Nodes
	Plugin int // index in Matrix.Plugins
}

// Queue has the pods that wait, by place. Each list holds at most queueRows rows; Counts has how many there are.
type Queue struct {
	Counts        trace.QueueCounts
	Active        []QueueRow // in the order they will be popped
	Backoff       []QueueRow // by the end of backoff
	Unschedulable []QueueRow // by arrival
	Gated         []QueueRow
	InFlight      []QueueRow
	Incomplete    []QueueRow // pods whose PodGroup is not there
	// InLine is a FIFO, in which no pod is unschedulable: a pod that failed sits out a backoff.
	InLine bool
	// Gates is whether the release has anything that keeps a pod from being queued.
	Gates bool
}

// queueRows is how many entities of one queue a frame lists.
const queueRows = 500

// QueueRow is one entity in a queue.
type QueueRow struct {
	Pod      string     // namespace/name, or podgroup/namespace/name
	Members  []QueueRow // of a pod group, in the order they are tried
	MinCount int        // of a pod group: so many pods must have a node for any to be bound; 1 for a basic group
	Placed   int        // pods of the group that have a node already
	Priority int32
	Attempts int       // cycles so far
	Since    time.Time // when it was added or came back from its last cycle
	Until    time.Time // the end of its backoff; zero: none
	Plugins  []string  // plugins that rejected it last
	Gate     string    // the PreEnqueue plugin that holds it back
	GateText string    // what that plugin said
	Node     string    // where it is being bound, or is nominated

	Group     string // the PodGroup that a pod belongs to; "" for none
	Scheduler string // the schedulerName of the pod, or of the first pod of a group
}

// Absent is how many pods a pod group that waits lacks before it can be tried.
func (r *QueueRow) Absent() int { return max(r.MinCount-r.Placed-len(r.Members), 0) }

// Mark is one thing on the timeline.
type Mark struct {
	Step    int
	Cycle   int64         // 0 for an event between cycles
	Pod     string        // what the cycle tried to place: a pod, or podgroup/namespace/name
	Members []string      // of a pod group, those it tried to place
	Outcome trace.Outcome // of the cycle
	Planned int           // the number of the step of a plan; 0: it is none
	Command phrase.Text   // of that step
	Event   string        // what happened, for an event between cycles
	At      time.Time
	Waits   Waits // pods that waited when the cycle had ended
	Differs bool  // the cluster's own scheduler said something else, as far as the input tells
}

// Stop is why a move ended.
type Stop struct {
	Reason StopReason
	Text   phrase.Phrase // in words: "breakpoint 1: pod default/web-0", "cycle 41", "the recording ends here"

	Breakpoint int             // which was hit; 0: none
	On         string          // the commands that were given for it
	Traced     []phrase.Phrase // what breakpoints that only trace had to tell on the way, in order
}

// StopReason is the kind of a Stop.
type StopReason uint8

// Why a move ended.
const (
	StoppedAtStep       StopReason = iota // it went as far as was asked
	StoppedAtBreakpoint                   // a breakpoint was hit
	StoppedAtStart                        // nothing is before
	StoppedAtEnd                          // nothing is left to do
	StoppedAtLogEnd                       // nothing is left to do yet: the log may still grow
	StoppedByUser                         // it was cancelled
	NotFound                              // what was looked for is nowhere; the cursor is where it was
)

// Stride is how far a move goes.
type Stride uint8

// The strides, from short to long. Backwards each ends where the same stride forwards would have begun.
const (
	Into      Stride = iota // one fact; in the Filter phase one plugin on one node
	Over                    // one extension point
	Out                     // to the end of the step: an event, a wait or a cycle
	Next                    // to the end of the next cycle, or to a breakpoint before it
	Continue                // to a breakpoint, or the end
	ToPlanned               // a step of the plan that is carried out; breakpoints do not count
)

// Direction is which way a move goes.
type Direction uint8

// The directions.
const (
	Forward Direction = iota
	Backward
)
