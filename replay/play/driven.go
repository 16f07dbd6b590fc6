package play

import (
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
)

// Driven is a world outside of the replay, such as a cluster: it hands on the scheduler's effects, and their results
// come back through the log, as events and replies. So a replay of the log alone makes the same steps without acting.
type Driven struct {
	act func(effect core.Effect, known *cluster.State, now time.Time)
}

// NewDriven is a world whose effects are carried out by act, which must not wait for their results. With a nil act the
// effects are dropped, and the log has the results of the earlier run.
func NewDriven(act func(effect core.Effect, known *cluster.State, now time.Time)) *Driven {
	return &Driven{act}
}

// Name is "driven".
func (w *Driven) Name() string { return "driven" }

// Fork is a copy that also hands on its effects: of copies that take the same course, the journal lets only one act.
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
