package input

import (
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/replay/source/importer"
)

// FromCluster makes the objects of a cluster that runs ready to be played in a simulated world: as with a dump, all are
// there from the start, at the moment they were read. They are in the order of importer.Sort. An API server has
// admitted them, so nothing is checked or completed. lacks are the kinds that could not be read.
func FromCluster(title string, at time.Time, objects []cluster.Object, lacks []cluster.Kind) *Input {
	in := &Input{Replay: Replay{World: Simulated, Start: at.UTC()}, Report: Report{Title: title, lacks: lacks}}
	all := make([]importer.Object, len(objects))
	for i, o := range objects {
		all[i].Object = o
	}
	in.load(all)
	return in
}

// FromLog makes a log that may still grow ready to be played, beside what really happens. The opening is its first
// part, and what Missing and Unserved look at.
func FromLog(title string, start time.Time, log *source.Log, opening source.Script, lacks []cluster.Kind) *Input {
	return &Input{
		Replay: Replay{World: Recorded, Start: start, Script: opening, log: log},
		Report: Report{Title: title, lacks: lacks},
	}
}

// Drive has act carry out the scheduler's effects. act must not wait for their results, which come through the log.
func (in *Replay) Drive(act func(effect core.Effect, known *cluster.State, now time.Time)) {
	in.World, in.act = driven, act
}
