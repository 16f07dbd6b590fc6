package session

import (
	"context"
	"fmt"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay"
)

// reportEvery is how many steps lie between two reports of progress, and two looks at whether the move was cancelled.
const reportEvery = 64

// walk is one move.
type walk struct {
	*Session
	ctx      context.Context
	progress func(steps int)
	done     int
}

// settle puts the cursor somewhere in the known steps, and has the step at hand in full detail.
func (s *Session) settle(to Position) {
	switch {
	case s.after != nil && to.Step == s.at.Step:
	case to.Step == 0:
		s.before, s.facts = nil, nil
		s.after = s.line.playerAt(0, nil)
	case s.after != nil && to.Step == s.at.Step+1:
		s.before = s.after
		s.rerun()
	default:
		s.before = s.line.playerAt(to.Step-1, nil)
		s.rerun()
	}
	if c, kept := s.line.checkpointAt(to.Step); kept {
		s.after = c.Fork() // where a branch begins, the player knows more than the step before told it
	}
	s.at = to
	if s.at.Fact > len(s.facts) || s.at.Fact < 0 {
		s.at.Fact, s.at.Cell = len(s.facts), 0
	}
}

// rerun takes one step from s.before, keeping everything.
func (s *Session) rerun() {
	s.after = s.before.Fork()
	s.after.Keep(trace.Reasoned)
	step, ok := s.after.Step()
	if !ok {
		panic("a step that was run before is not there any more")
	}
	s.after.Keep(trace.Reported)
	s.facts, s.kind = step.Facts, step.Kind
}

// reach makes sure a step is known; false when the replay ends before it.
func (w *walk) reach(step int) bool {
	for w.line.steps < step {
		if _, ok := w.line.extend(); !ok {
			return false
		}
	}
	return true
}

// tired says whether the move is to end early.
func (w *walk) tired() bool {
	w.done++
	if w.done%reportEvery != 0 {
		return false
	}
	if w.progress != nil {
		w.progress(w.done)
	}
	return w.ctx.Err() != nil
}

func (w *walk) forward(stride Stride) Stop {
	whole := w.at.Fact == len(w.facts)
	switch stride {
	case Into, Over:
		if !whole {
			w.at = w.within(stride)
			return w.here()
		}
		if !w.reach(w.at.Step + 1) {
			return w.end()
		}
		w.settle(Position{Step: w.at.Step + 1})
		w.at = w.within(stride)
		return w.here()
	case Out:
		if !whole {
			w.at = Position{Step: w.at.Step, Fact: len(w.facts)}
			return w.here()
		}
		if !w.reach(w.at.Step + 1) {
			return w.end()
		}
		w.settle(wholeStep(w.at.Step + 1))
		return w.here()
	case Next:
		return w.nextCycle()
	}
	return w.toBreakpoint()
}

// within is the position one stride farther in the present step, which is not at its end.
func (w *walk) within(stride Stride) Position {
	to := w.at
	if stride == Into {
		if m, ok := w.facts[to.Fact].(trace.Filtered); ok && to.Cell < m.Matrix.Asked()-1 {
			to.Cell++
			return to
		}
		to.Fact++
		to.Cell = 0
		return to
	}
	phase := w.facts[to.Fact].Phase()
	for to.Fact < len(w.facts) && w.facts[to.Fact].Phase() == phase {
		to.Fact++
	}
	to.Cell = 0
	return to
}

// wholeStep is the end of a step, whatever the number of its facts.
func wholeStep(step int) Position { return Position{Step: step, Fact: -1} }

// nextCycle goes to the end of the next cycle; the rest of the present one counts as it.
func (w *walk) nextCycle() Stop {
	if w.kind == replay.Tried && w.at.Fact < len(w.facts) {
		w.at = Position{Step: w.at.Step, Fact: len(w.facts)}
		return w.here()
	}
	for step := w.at.Step + 1; ; step++ {
		if !w.reach(step) {
			w.settle(wholeStep(w.line.steps))
			return w.end()
		}
		if w.line.isCycle(step) {
			w.settle(wholeStep(step))
			return w.here()
		}
		if w.tired() {
			w.settle(wholeStep(step))
			return Stop{StoppedByUser, "stopped"}
		}
	}
}

// toBreakpoint goes on until a breakpoint strikes, or nothing is left to do.
func (w *walk) toBreakpoint() Stop {
	if w.at.Step < w.line.steps {
		stop, struck := w.overKnown()
		if struck {
			return stop
		}
	}
	for {
		step, ok := w.line.extend()
		if !ok {
			w.settle(wholeStep(w.line.steps))
			return w.end()
		}
		if id, struck := w.struck(step.Facts); struck {
			w.settle(wholeStep(w.line.steps))
			return w.hit(id)
		}
		if w.tired() {
			w.settle(wholeStep(w.line.steps))
			return Stop{StoppedByUser, "stopped"}
		}
	}
}

// overKnown looks for a breakpoint in the steps after the cursor that were run before.
func (w *walk) overKnown() (Stop, bool) {
	at, id := 0, 0
	p := w.after.Fork()
	for n := w.at.Step + 1; n <= w.line.steps; n++ {
		step, _ := p.Step()
		if b, struck := w.struck(step.Facts); struck {
			at, id = n, b
			break
		}
		if w.tired() {
			w.settle(wholeStep(n))
			return Stop{StoppedByUser, "stopped"}, true
		}
	}
	if at == 0 {
		return Stop{}, false
	}
	w.settle(wholeStep(at))
	return w.hit(id), true
}

func (w *walk) backward(stride Stride) Stop {
	if w.at == (Position{}) {
		return Stop{StoppedAtStart, "this is the start"}
	}
	switch stride {
	case Into:
		w.at = w.backInto()
	case Over:
		w.at = w.backOver()
	case Out:
		w.settle(wholeStep(w.at.Step - 1))
	case Next:
		return w.previousCycle()
	case Continue:
		return w.backToBreakpoint()
	}
	return w.here()
}

func (w *walk) backInto() Position {
	to := w.at
	switch {
	case to.Cell > 0:
		to.Cell--
		return to
	case to.Fact > 1:
		to.Fact--
		if m, ok := w.facts[to.Fact].(trace.Filtered); ok {
			to.Cell = max(0, m.Matrix.Asked()-1)
		}
		return to
	}
	w.settle(wholeStep(to.Step - 1))
	return w.at
}

func (w *walk) backOver() Position {
	to := w.at
	if to.Fact == 0 {
		w.settle(wholeStep(to.Step - 1))
		return w.at
	}
	if to.Cell > 0 {
		return Position{Step: to.Step, Fact: to.Fact}
	}
	phase := w.facts[to.Fact-1].Phase()
	for to.Fact > 0 && w.facts[to.Fact-1].Phase() == phase {
		to.Fact--
	}
	if to.Fact > 0 {
		return to
	}
	w.settle(wholeStep(to.Step - 1))
	return w.at
}

// previousCycle goes to the end of the cycle before the one the cursor is in or after; before the first cycle lies
// the start.
func (w *walk) previousCycle() Stop {
	number := w.line.cycleOf(w.at.Step)
	if w.at.Step > 0 && (!w.line.isCycle(w.at.Step) && number > 0) {
		w.settle(wholeStep(w.line.cycles[number-1]))
		return w.here()
	}
	if number <= 1 {
		w.settle(Position{})
		return Stop{StoppedAtStart, "this is the start"}
	}
	w.settle(wholeStep(w.line.cycles[number-2]))
	return w.here()
}

// backToBreakpoint looks for the last step before the cursor's at which a breakpoint strikes, one stretch between two
// checkpoints after the other.
func (w *walk) backToBreakpoint() Stop {
	for end := w.at.Step - 1; end > 0; {
		at, id := 0, 0
		first := end
		w.line.playerAt(end, func(n int, s replay.Step) {
			first = min(first, n)
			if b, struck := w.strikes(s.Facts); struck {
				at, id = n, b
			}
			w.done++
		})
		if at > 0 {
			w.settle(wholeStep(at))
			return w.hit(id)
		}
		if w.progress != nil {
			w.progress(w.done)
		}
		if w.ctx.Err() != nil {
			w.settle(wholeStep(end))
			return Stop{StoppedByUser, "stopped"}
		}
		end = min(first, end) - 1
	}
	w.settle(Position{})
	return Stop{StoppedAtStart, "no breakpoint strikes before; this is the start"}
}

// here is an ordinary stop.
func (w *walk) here() Stop {
	if w.kind == replay.Tried && w.at.Step > 0 {
		return Stop{StoppedAtStep, fmt.Sprintf("cycle %d", w.line.cycleOf(w.at.Step))}
	}
	return Stop{StoppedAtStep, fmt.Sprintf("step %d", w.at.Step)}
}

func (w *walk) end() Stop { return Stop{StoppedAtEnd, "nothing is left to do"} }
