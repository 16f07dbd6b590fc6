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
	// GatedArrivalNotNominated ignores status.nominatedNodeName of a pod that a PreEnqueue plugin gates when it is
	// added, until an update sets it again (until 1.36, backend/queue/scheduling_queue.go).
	GatedArrivalNotNominated bool
	// GatesRunAfterBackoff runs PreEnqueue plugins when a pod leaves backoffQ, and not when it enters (until 1.32,
	// internal/queue/scheduling_queue.go, moveToActiveQ).
	GatesRunAfterBackoff bool
	// FIFOOnly is a queue without a place for unschedulable pods: a pod that failed returns to its end when the
	// backoff of the pod is over, or as soon as the pod changes, and no event requeues a pod (1.10 and earlier
	// without PodPriority, core/scheduling_queue.go, FIFO).
	FIFOOnly bool
	// EventsMoveEveryPod moves every unschedulable pod at each event, whatever rejected it; pods that an error
	// brought back are unschedulable like the others (1.10 with PodPriority and 1.19, MoveAllToActiveQueue).
	EventsMoveEveryPod bool
	// ChangeSkipsBackoff puts a changed pod into activeQ whatever is left of its backoff: from backoffQ after any
	// update, from the unschedulable pods where more than the status changed (1.19 and earlier,
	// internal/queue/scheduling_queue.go, Update).
	ChangeSkipsBackoff bool
	// ChangeResetsBackoff clears the backoffs of a pod that ChangeSkipsBackoff takes out of the unschedulable pods
	// (1.17, internal/queue/scheduling_queue.go, Update).
	ChangeResetsBackoff bool
	// MovesSincePopCount puts a pod that failed, also with an error, among the unschedulable pods, unless an event
	// moved pods since the last pop of any pod; then the pod backs off (1.19 and earlier,
	// internal/queue/scheduling_queue.go, moveRequestCycle).
	MovesSincePopCount bool
}

// Backoff decides how long an entity that failed waits before it is tried again.
type Backoff interface {
	// End is when the backoff of an item ends; zero: it has none. initial is the configured backoff after the first
	// failure, limit the longest one.
	End(item *Item, initial, limit time.Duration) time.Time
	// Lasts reports whether a backoff with that end, which is not zero, still goes on.
	Lasts(end, now time.Time) bool
	// Flush is the first moment after now at which kube-scheduler looks through backoffQ and finds that a backoff with
	// that end is over. backoffQ runs since start.
	Flush(end, now, start time.Time) time.Time
	// Early reports whether Pop may take the item though its backoff goes on, when no other item is ready.
	Early(item *Item) bool
}

// Requeue decides which items are worth another try. All implementations are in this package, because they read what
// the queue keeps.
type Requeue interface {
	// judge reports whether an event helps a parked item.
	judge(item *Item, h happening, at Moment) (decision, []trace.Fact)
	// replay decides where an item goes that plugins rejected, by the events that came while it was in flight.
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

// Sweep retries entities that have waited too long (flushUnschedulableEntitiesLeftover, 1.37).
type Sweep struct {
	Every time.Duration // how often the queue looks for them, counted from its start
	After time.Duration // how long an entity stays unschedulable or gated before it is tried again anyway
	// RetriesGated retries gated entities too; the waiting time of each then begins again (since 1.37).
	RetriesGated bool
	// Never retries no entity because of its waiting time (1.10 and earlier).
	Never bool
}

// Labels are the names, in facts, of the causes of moves that are no events of the cluster.
type Labels struct {
	Arrived     string // a pod came that has no node
	Changed     string // a pod is not with its group any more
	GroupKnown  string // the PodGroup of pods is there now
	Failed      string // a cycle did not place it
	BackoffOver string
	PoppedEarly string // its backoff went on, and no other item was ready
}

// strategy is how eagerly an entity is queued again; more is more eager.
type strategy uint8

const (
	skip         strategy = iota // it stays parked
	afterBackoff                 // it sits out what is left of its backoff
	immediately                  // it skips its backoff
)

// decision is the answer of a Requeue for one item and one event.
type decision struct {
	strategy strategy
	plugin   string // whose hint decided; "" when no hint had to run
}

// happening is an event with what it was about.
type happening struct {
	event  cluster.ClusterEvent
	change *cluster.Change // nil: nothing in particular
}
