// Package remedy finds the smallest changes that give a pod a node. Every set of changes is carried out on a player of
// its own and run before it is offered. The package knows which edits there are and what they cost; whether one helps
// it does not conclude, it runs it.
package remedy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/request"
	"github.com/schedstep/schedstep/replay/session"
)

// Answer is what was found for a pod at the cursor.
type Answer struct {
	Pod      string
	Placed   bool     // it has a node already
	Without  string   // the node that it has, or gets without any change; "" none
	Gated    bool     // a scheduling gate holds it back
	Remedies []Remedy // the cheapest first

	Held []Held // in the order in which the nodes were looked at: no change takes such a taint off, or tolerates it

	// Outrun is the cheapest set of changes with which a node would take the pod, and pods that are tried before it take
	// the room; nil: there was none.
	Outrun *Outrun

	Nodes      int  // in the cluster
	Considered int  // how many of them were looked at for what alone would open them
	Runs       int  // how many sets of changes were carried out
	Whole      bool // every set of changes within the bounds was tried, or enough were found
}

// Remedy is a set of changes that gives the pod a node, and of which no proper part does.
type Remedy struct {
	Changes []Change // in the order they are carried out
	Cost    int
	Node    string // that the pod gets
	Late    bool   // only when pods that wait for long are tried again anyway: no event of the changes has it tried
	// how long that is
	Patience time.Duration
	// pods that end elsewhere than without the changes, by key; the pod itself is not among them
	Elsewhere []session.Elsewhere
}

// Outrun is a set of changes that makes room for the pod, which others take.
type Outrun struct {
	Changes []Change
	Pods    int // that have a node then, and none without the changes
}

// Change is one edit.
type Change struct {
	Kind     Kind
	What     phrase.Phrase // is changed, and how: "1250m of cpu instead of 1500m", "n1 zone=a"
	Line     string        // the command of this debugger that does it
	Commands []phrase.Text // those that do it in a cluster, in order; a remark behind # where there is none
	Cost     int
	Edit     session.Edit
	Guard    Guard // that it goes around
	slow     bool  // controllers of the cluster have to follow, which takes time
	// Template are the operations on the pod, or on the template that it is made of; none where something else changes.
	Template []request.Operation
}

// The bounds of a search.
const (
	MostChanges = 4  // in one set
	mostOffered = 5  // sets
	mostNodes   = 12 // whose reasons are looked at in one state
	mostRuns    = 400
	leastRuns   = 60
	// nodes that all runs together may look at, so that a search ends soon in a large cluster
	nodeBudget = 200_000
)

// Find looks for the smallest changes that give a pod a node, from the cursor of a session on, as long as ctx lasts.
// The rest of the log does not happen. progress (may be nil) is called with the number of sets that were carried out.
func Find(ctx context.Context, k *session.At, pod string, progress func(runs int)) (Answer, error) {
	key, err := k.Pod(pod)
	if err != nil {
		return Answer{}, err
	}
	f := &finder{ctx: ctx, here: k, pod: key, progress: progress, known: map[string]run{}}
	return f.find()
}

// For is what Find finds for a pod that was explained, if it waits for something to change; else nil. The explanation
// of a pod that is still to be tried is given the cause that only a run shows.
func For(
	ctx context.Context, k *session.At, e *session.Explanation, progress func(runs int),
) (*Answer, error) {
	switch e.Place.Queue {
	case queue.Unschedulable, queue.BackoffQ, queue.Gated:
	case queue.ActiveQ:
		e.Causes = append(e.Causes, k.Outrun(ctx, e)...)
		return nil, ctx.Err() //nolint:nilnil // nothing to find is no error
	default:
		return nil, nil //nolint:nilnil // nothing to find is no error
	}
	found, err := Find(ctx, k, e.Pod, progress)
	if errors.Is(err, errNotHere) {
		return nil, nil //nolint:nilnil // nothing keeps it
	}
	return &found, err
}

// Apply is the command that carries out one of the remedies for a pod, from 1 on.
func Apply(number int, pod string) string { return fmt.Sprintf("apply %d %s", number, pod) }

// Edit is the whole remedy as one what-if.
func (r Remedy) Edit() session.Edit { return session.Together("change", edits(r.Changes)...) }

func edits(changes []Change) []session.Edit {
	all := make([]session.Edit, len(changes))
	for i := range changes {
		all[i] = changes[i].Edit
	}
	return all
}
