package session

import (
	"context"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
)

// reportEvery is how many steps lie between two reports of progress.
const reportEvery = 64

// walk is one move.
type walk struct {
	*Session
	ctx      context.Context
	progress func(steps int)
	done     int
}

// seek puts the cursor somewhere in the known steps, and has the step at hand in full detail.
func (s *Session) seek(to Position) {
	first := s.line.first()
	switch {
	case s.after != nil && to.Step == s.at.Step:
	case to.Step <= first:
		to = Position{Step: first}
		s.before, s.facts, s.kind = nil, nil, play.Delivered
		s.after = s.line.playerAt(first, nil, nil)
	case s.after != nil && to.Step == s.at.Step+1:
		s.before = s.after
		s.rerun()
	default:
		s.before = s.line.playerAt(to.Step-1, nil, nil)
		s.rerun()
	}
	if c, kept := s.line.checkpointAt(to.Step); kept {
		s.after = c.Fork() // where a branch begins, the player knows more than the step before told it
	}
	s.at, s.number = to, s.line.cycleOf(to.Step)
	if s.at.Fact > len(s.facts) || s.at.Fact < 0 {
		s.at.Fact, s.at.Cell = len(s.facts), 0
	}
	if s.at.Cell != 0 {
		s.at.Cell = min(max(s.at.Cell, 0), s.cells())
	}
	s.look()
}

// cells is how many cells of the filter matrix the cursor can have behind it where it is.
func (s *Session) cells() int {
	if s.at.Fact >= len(s.facts) {
		return 0
	}
	m, ok := s.facts[s.at.Fact].(trace.Filtered)
	if !ok {
		return 0
	}
	return max(0, m.Matrix.Asked()-1)
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
		if _, ok := w.extend(); !ok {
			return false
		}
	}
	return true
}

// extend runs one step that was never run. A cycle that waits only for the present moment to be over is waited for: a
// user that sees a pod in activeQ and goes on to its cycle gets the cycle, and not the answer that nothing is left to
// do.
func (w *walk) extend() (play.Step, bool) {
	for {
		step, ok := w.line.extend()
		if ok || !w.line.tip.Held() {
			return step, ok
		}
		log := w.line.tip.Log()
		changed := log.Changed()
		if log.Closed() || log.Reached().After(w.line.tip.Scheduler().Now()) {
			continue // it came farther in between
		}
		select {
		case <-changed:
		case <-w.ctx.Done():
			return step, false
		}
	}
}

// tired reports whether the move is to end early. It looks after every step: one in which a plugin hangs takes long.
func (w *walk) tired() bool {
	w.done++
	if w.done%reportEvery == 0 && w.progress != nil {
		w.progress(w.done)
	}
	return w.ctx.Err() != nil
}

func (w *walk) forward(stride Stride) Stop {
	if w.at.Step < w.line.first() {
		w.seek(w.start())
	}
	whole := w.at.Fact == len(w.facts)
	switch stride {
	case Into, Over:
		if !whole {
			w.at = w.within(stride)
			return w.stopped()
		}
		if !w.reach(w.at.Step + 1) {
			return w.end()
		}
		w.seek(Position{Step: w.at.Step + 1})
		w.at = w.within(stride)
		return w.stopped()
	case Out:
		if !whole {
			w.at = Position{Step: w.at.Step, Fact: len(w.facts)}
			return w.stopped()
		}
		if !w.reach(w.at.Step + 1) {
			return w.end()
		}
		w.seek(wholeStep(w.at.Step + 1))
		return w.stopped()
	case Next:
		if w.kind == play.Tried && !whole {
			w.at = Position{Step: w.at.Step, Fact: len(w.facts)}
			return w.stopped()
		}
	case ToPlanned:
		return w.toPlanned()
	case Continue:
	}
	return w.on(stride)
}

// within is the position one stride farther in the present step. At the end of the step, where a step without facts is
// from its beginning on, it is the present one.
func (w *walk) within(stride Stride) Position {
	to := w.at
	if to.Fact >= len(w.facts) {
		return to
	}
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

// on goes on, step by step, until a breakpoint is hit, nothing is left to do or, for Next, a cycle has ended.
func (w *walk) on(stride Stride) Stop {
	g := w.guardFrom(w.after)
	known := w.line.steps // the first of the steps that are run for the first time is behind it
	extend := w.line.extend
	if stride == Next {
		extend = w.extend
	}
	p := w.after
	if w.at.Step < known && len(w.breaks) > 0 {
		p = w.after.Fork()
	}
	for step := w.at.Step + 1; ; step++ {
		var facts []trace.Fact
		switch {
		case step > known:
			made, ok := extend()
			if !ok {
				w.seek(wholeStep(w.line.steps))
				return g.tell(w.end())
			}
			facts, p = made.Facts, w.line.tip
		case len(w.breaks) > 0:
			again, _ := p.Step()
			facts = again.Facts
			if edited, kept := w.line.checkpointAt(step); kept {
				p = edited.Fork() // where a branch begins, more has happened than the step
			}
		}
		stop, hit := Stop{}, false
		if len(w.breaks) > 0 {
			stop, hit = g.stops(step, facts, p)
		}
		switch {
		case hit:
			w.seek(wholeStep(step))
			return g.hit(stop)
		case stride == Next && w.line.isCycle(step):
			w.seek(wholeStep(step))
			return g.tell(w.stopped())
		case w.tired():
			w.seek(wholeStep(step))
			return g.tell(Stop{Reason: StoppedByUser, Text: phrase.New("stopped")})
		}
	}
}

func (w *walk) backward(stride Stride) Stop {
	if w.at.Step < w.line.first() {
		w.seek(w.start())
	}
	if w.at == w.start() {
		return w.atStart()
	}
	switch stride {
	case Into:
		w.at = w.backInto()
	case Over:
		w.at = w.backOver()
	case Out:
		w.seek(wholeStep(w.at.Step - 1))
	case Next:
		return w.previousCycle()
	case ToPlanned:
		return w.backToPlanned()
	case Continue:
		return w.backToBreakpoint()
	}
	return w.stopped()
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
	w.seek(wholeStep(to.Step - 1))
	return w.at
}

func (w *walk) backOver() Position {
	to := w.at
	if to.Fact == 0 {
		w.seek(wholeStep(to.Step - 1))
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
	w.seek(wholeStep(to.Step - 1))
	return w.at
}

// previousCycle goes to the end of the cycle before the one the cursor is in or after; before the first cycle lies
// the start.
func (w *walk) previousCycle() Stop {
	number := w.line.cycleOf(w.at.Step)
	if !w.line.isCycle(w.at.Step) && number > w.line.gone {
		w.seek(wholeStep(w.line.stepOf(number)))
		return w.stopped()
	}
	if number <= w.line.gone+1 {
		w.seek(w.start())
		return w.atStart()
	}
	w.seek(wholeStep(w.line.stepOf(number - 1)))
	return w.stopped()
}

// backToBreakpoint looks for the last step before the cursor's at which a breakpoint is hit, one stretch between two
// checkpoints after the other.
func (w *walk) backToBreakpoint() Stop {
	for end := w.at.Step - 1; end > w.line.first(); {
		if begin := w.line.before(end); !w.mayStrike(begin+1, end) {
			end = begin
			continue
		}
		var last Stop
		at, first := 0, end
		var g *guard
		w.line.playerAt(end, func(p *play.Player) { g = w.guardFrom(p) }, func(n int, s play.Step, p *play.Player) {
			first = min(first, n)
			if stop, hit := g.stops(n, s.Facts, p); hit {
				at, last = n, stop
			}
			w.done++
		})
		if at > 0 {
			w.seek(wholeStep(at))
			return g.hit(last)
		}
		if w.progress != nil {
			w.progress(w.done)
		}
		if w.ctx.Err() != nil {
			w.seek(wholeStep(end))
			return Stop{Reason: StoppedByUser, Text: phrase.New("stopped")}
		}
		end = min(first, end) - 1
	}
	w.seek(w.start())
	return w.atStart(phrase.New("no breakpoint was hit before"))
}

// stopped is an ordinary stop.
func (w *walk) stopped() Stop {
	if w.kind == play.Tried && w.at.Step > 0 {
		number := w.number
		if k := w.here(); k.steps < w.at.Step && k.trying == nil {
			return Stop{Reason: StoppedAtStep, Text: phrase.New("after cycle %d", number-1)} // nothing is popped yet
		}
		return Stop{Reason: StoppedAtStep, Text: phrase.New("cycle %d", number)}
	}
	return Stop{Reason: StoppedAtStep, Text: phrase.New("step %d", w.at.Step)}
}

// end is the stop after the last known step: nothing comes after it, or nothing yet.
func (w *walk) end() Stop {
	if w.ctx.Err() != nil {
		return Stop{Reason: StoppedByUser, Text: phrase.New("stopped")}
	}
	if !w.line.whole {
		return Stop{Reason: StoppedAtLogEnd, Text: phrase.New("nothing is left to do until more happens")}
	}
	text := phrase.New("nothing is left to do")
	k := w.here()
	for _, r := range k.Replicas() {
		if len(r.Without) > 0 && k.Plan() == nil { // a plan's controllers make pods under other names
			text = phrase.New(
				"nothing is left to do; %d of %d replicas of %s fit (replicas tells what would change that)", r.Placed,
				len(r.Pods), r.Name,
			)
			break
		}
	}
	return Stop{Reason: StoppedAtEnd, Text: text}
}
