// Package queue is kube-scheduler's scheduling queue: which entities wait to be placed, in which order, and which event
// requeues those that did not fit. What differs between releases is its Discipline. It places nothing, runs no filter,
// and has no clock of its own.
package queue

import (
	"slices"
	"time"

	"github.com/tidwall/btree"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// The parts of the queue.
const (
	ActiveQ       trace.QueueName = "activeQ"       // ready for a cycle
	BackoffQ      trace.QueueName = "backoffQ"      // its backoff is not over
	Unschedulable trace.QueueName = "unschedulable" // waits for an event that may help
	Gated         trace.QueueName = "gated"         // a PreEnqueue plugin keeps it out of activeQ
	InFlight                      = trace.InFlight  // popped, and neither parked nor done
	Incomplete    trace.QueueName = "incomplete"    // its PodGroup does not exist
)

// Queue holds every entity that waits to be placed, in exactly one place:
//
//	outside        Add               -> activeQ
//	activeQ        Pop               -> in flight
//	in flight      Park              -> unschedulable; backoffQ after an error, or if something that helps happened
//	in flight      Done              -> outside
//	unschedulable  Wake, Update      -> backoffQ; activeQ if the backoff is over
//	unschedulable  Advance           -> the same, after the timeout
//	unschedulable  Activate          -> activeQ
//	backoffQ       Advance, Activate -> activeQ
//	backoffQ       Pop               -> in flight, while activeQ is empty
//
// The PreEnqueue plugins run before an entity enters activeQ or backoffQ, but not when it moves between the two. An
// entity that one of them rejects is gated; it leaves that state by the same events as an unschedulable one. Where
// Rules.Groups is set, the pods of a PodGroup are one entity while they are queued, and one entity each in flight;
// without their PodGroup they are incomplete. A pod that was deleted and created again under its name while in flight
// has two entries: one in flight with the old UID, one queued with the new UID.
//
// A Queue is used by one goroutine. Callers pass the time, which must not go backwards.
type Queue struct {
	rules *discipline // shared by forks
	start time.Time

	home    btree.Map[string, spot]  // every queued entity by key
	active  *btree.BTreeG[*Item]     // by Sorter, then arrival
	backoff *btree.BTreeG[*Item]     // by end of backoff, then as active
	failed  *btree.BTreeG[*Item]     // what came back from an error: by end of backoff, then arrival; never popped early
	parked  btree.Map[uint64, *Item] // unschedulable and gated, by arrival
	waiting *btree.BTreeG[*Item]     // those of them that a sweep tries again, by how long they wait
	gated   int                      // how many of parked are gated

	memberOf   btree.Map[string, string]             // the key of the group that holds it, by the key of the pod
	incomplete btree.Map[cluster.CompoundKey, *Item] // pods without their PodGroup, by the keys of group and pod
	cycling    string                                // the key of the group that was popped and is not done; "": none
	returned   []*Item                               // members of cycling that were parked; replaced, never written

	flights  btree.Map[uint64, *Item]     // in flight, by the turn they were popped at
	flightOf btree.Map[string, uint64]    // the turn, by UID
	missed   btree.Map[uint64, happening] // what happened since the earliest of flights, by turn

	nominations btree.Map[string, nomination]   // by UID
	nominatedOn btree.Map[string, []nomination] // by node, in the order they were made; slices are replaced, never written

	turn  uint64 // counts arrivals, pops and events, to order them
	moved bool   // an event came since the last pop
}

// Moment is when something happens to the queue, and what the scheduler knows at that time.
type Moment struct {
	Now    time.Time
	Known  *cluster.State // for hints and gates; nil only for plugins that read no state
	Detail trace.Detail   // Full: every hint that runs is a fact
}

// New makes an empty queue that runs since start: the search for entities that wait too long is made at regular moments
// counted from it (wait.Until runs at once and then after each period).
func New(rules Rules, start time.Time) *Queue { return empty(compile(rules), start) }

// Empty is a queue of the same rules without entities.
func (q *Queue) Empty() *Queue { return empty(q.rules, q.start) }

func empty(d *discipline, start time.Time) *Queue {
	options := btree.Options{NoLocks: true}
	return &Queue{
		rules:   d,
		start:   start,
		active:  btree.NewBTreeGOptions(d.before, options),
		backoff: btree.NewBTreeGOptions(d.endsBefore, options),
		failed:  btree.NewBTreeGOptions(failsBefore, options),
		waiting: btree.NewBTreeGOptions(waitsLonger, options),
	}
}

// Fork is an independent copy. It shares all items with the original, so its price does not grow with their number.
func (q *Queue) Fork() *Queue {
	return &Queue{
		rules: q.rules, start: q.start,
		home: *q.home.Copy(), active: q.active.Copy(), backoff: q.backoff.Copy(), failed: q.failed.Copy(),
		parked: *q.parked.Copy(), waiting: q.waiting.Copy(), gated: q.gated,
		flights: *q.flights.Copy(), flightOf: *q.flightOf.Copy(), missed: *q.missed.Copy(),
		memberOf: *q.memberOf.Copy(), incomplete: *q.incomplete.Copy(), cycling: q.cycling, returned: slices.Clip(q.returned),
		nominations: *q.nominations.Copy(), nominatedOn: *q.nominatedOn.Copy(),
		turn: q.turn, moved: q.moved,
	}
}

func (q *Queue) nextTurn() uint64 {
	q.turn++
	return q.turn
}
