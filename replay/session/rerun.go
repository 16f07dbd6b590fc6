package session

import (
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
)

// Rerun runs known steps once more, up to a position.
type Rerun struct {
	line     *line
	player   *play.Player
	n, until int // the step that was run last, and the last one
	keep     trace.Detail
}

// Rerun is before the step after one, or before the first that is kept, and keeps so much of the truth of each step.
func (k *At) Rerun(after int, keep trace.Detail) *Rerun {
	r := &Rerun{line: k.line, n: max(after, k.line.first()), until: k.steps, keep: keep}
	r.player = k.line.playerAt(r.n, nil, nil)
	r.player.Keep(keep)
	return r
}

// RerunCycles is before the last so many cycles up to the position, or before the first that is kept.
func (k *At) RerunCycles(last int64, keep trace.Detail) *Rerun {
	after, end := k.steps, k.line.cycleOf(k.steps)
	if first := max(end-last, k.line.gone); first < end {
		after = k.line.stepOf(first+1) - 1
	}
	return k.Rerun(after, keep)
}

// Player is what ran the last step. Read it only.
func (r *Rerun) Player() *play.Player { return r.player }

// Next runs a step and is its number; false: the position is reached.
func (r *Rerun) Next() (n int, step play.Step, more bool) {
	if r.n >= r.until {
		return r.n, step, false
	}
	if step, more = r.player.Step(); !more {
		return r.n, step, false
	}
	r.n++
	if edited, kept := r.line.checkpointAt(r.n); kept {
		r.player = edited.Fork()
		r.player.Keep(r.keep)
	}
	return r.n, step, true
}
