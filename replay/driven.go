package replay

import (
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
)

// Driven is a world that acts: what the scheduler asks for is handed on, and comes back through the log, as events and
// replies. So a replay of the log alone, with nobody who acts, makes the same steps.
type Driven struct {
	act func(effect core.Effect, known *cluster.State, now time.Time)
}

// NewDriven is a world whose effects are carried out by act, which must not wait for what comes of them. With nil
// nobody acts, and the log tells what came of what was once asked for.
func NewDriven(act func(effect core.Effect, known *cluster.State, now time.Time)) *Driven {
	return &Driven{act}
}

// Name is "driven".
func (w *Driven) Name() string { return "driven" }

// Fork is a copy that hands on what it is asked for, too: of those that take the same course a journal has one act.
func (w *Driven) Fork() World { return &Driven{w.act} }

// Adapt changes nothing: the log is what happens.
func (w *Driven) Adapt(event cluster.Event, _ *cluster.State) cluster.Event { return event }

// See does nothing: the log is what happens.
func (w *Driven) See(cluster.Event, *cluster.State, time.Time) Outcome { return Outcome{} }

// Do hands an effect on.
func (w *Driven) Do(effect core.Effect, known *cluster.State, now time.Time) Outcome {
	if w.act != nil {
		w.act(effect, known, now)
	}
	return Outcome{}
}
