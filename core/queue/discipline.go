package queue

import (
	"iter"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Discipline is what a release of kube-scheduler decides about the queue. All of it is set, and nothing in it changes.
type Discipline struct {
	Backoff Backoff
	Requeue Requeue
	Sweep   Sweep
	Labels  Labels
	// Unnamed has a pod that a gate holds back when it arrives not be nominated where its status says, before an update
	// says so again (until 1.36).
	Unnamed bool
	// LateGates has PreEnqueue plugins be asked about who leaves backoffQ, and not about who enters it (until 1.32).
	LateGates bool
	// InLine is a queue without a place to wait in: who failed comes back to its end when the backoff of the pod is over,
	// or as soon as the pod changes, and no event helps anybody (1.10 and earlier, without PodPriority).
	InLine bool
	// MovesAll has events help everybody, whatever rejected them, and those too whom an error brought back; these wait
	// like the others (1.10 with PodPriority).
	MovesAll bool
	// AtOnce has a pod that changes be tried at once, whatever is left of its backoff: out of backoffQ after any change,
	// and out of the other place where more than its status is another one (1.19 and earlier).
	AtOnce bool
	// Anew has the backoffs of a pod begin anew that AtOnce takes out of the place for those without a backoff (1.17).
	Anew bool
	// LastPop has a pod that failed wait, after an error too, unless an event came since the last pop of any pod: then it
	// backs off (moveRequestCycle, 1.19 and earlier).
	LastPop bool
}

// Backoff says how long an entity that failed sits out.
type Backoff interface {
	// End is when the backoff of an item ends; zero: it has none. initial is the configured backoff after the first
	// failure, limit the longest one.
	End(item *Item, initial, limit time.Duration) time.Time
	// Lasts says whether a backoff with that end, which is not zero, still goes on.
	Lasts(end, now time.Time) bool
	// Flush is the first moment after now at which backoffQ, which runs since start, is looked through and a backoff with
	// that end is over.
	Flush(end, now, start time.Time) time.Time
	// Early says whether Pop may take the item though its backoff goes on, when nobody else is ready.
	Early(item *Item) bool
}

// Requeue says who is worth another try. What implements it is in this package, for it reads what the queue keeps.
type Requeue interface {
	// judge says whether an event helps a parked item.
	judge(item *Item, h happening, at Moment) (decision, []trace.Fact)
	// replay says what becomes of an item that plugins rejected, by what happened while it was in flight.
	replay(item *Item, missed iter.Seq[happening], at Moment) (decision, cause, []trace.Fact)
	// itself moves a parked pod that its own update makes worth another try.
	itself(q *Queue, s spot, own ownUpdate, at Moment) []trace.Fact
}

// ownUpdate is a pod without a node that changed.
type ownUpdate struct {
	old, updated *cluster.Pod
	events       []cluster.ClusterEvent
	change       *cluster.Change
}

// Sweep tries those again who wait too long.
type Sweep struct {
	Every time.Duration // how often they are looked for, counted from the start of the queue
	After time.Duration // how long an entity stays unschedulable or gated before it is tried again anyway
	Gated bool          // gated ones are tried again too, and wait from anew (since 1.37)
	Never bool          // nobody is looked for (1.10 and earlier)
}

// Labels are how facts call the reasons of moves that are not the label of an event of the cluster.
type Labels struct {
	Arrived     string // a pod came that has no node
	Changed     string // a pod is not with its group any more
	GroupKnown  string // the PodGroup of pods is there now
	Failed      string // a cycle did not place it
	BackoffOver string
	PoppedEarly string // its backoff went on, and nobody else was ready
}

// strategy is how eagerly an entity is queued again; more is more eager.
type strategy uint8

const (
	skip         strategy = iota // it stays parked
	afterBackoff                 // it sits out what is left of its backoff
	immediately                  // it does not
)

// decision is what a Requeue says about one item and one event.
type decision struct {
	strategy strategy
	plugin   string // whose hint decided; "" when nobody had to be asked
}

// happening is an event with what it was about.
type happening struct {
	event  cluster.ClusterEvent
	change *cluster.Change // nil: nothing in particular
}
