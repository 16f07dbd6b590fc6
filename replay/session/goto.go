package session

import (
	"context"
	"fmt"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay"
)

// Goto puts the cursor at a position; one that lies behind the end ends there.
func (s *Session) Goto(ctx context.Context, to Position, progress func(steps int)) Stop {
	w := walk{Session: s, ctx: ctx, progress: progress}
	s.stop = w.to(to)
	return s.stop
}

func (w *walk) to(to Position) Stop {
	for w.line.steps < to.Step {
		if _, ok := w.line.extend(); !ok {
			w.settle(wholeStep(w.line.steps))
			return w.end()
		}
		if w.tired() {
			w.settle(wholeStep(w.line.steps))
			return Stop{Reason: StoppedByUser, Text: "stopped"}
		}
	}
	w.settle(to)
	return w.here()
}

// GotoCycle puts the cursor at the end of a cycle, counted from 1.
func (s *Session) GotoCycle(ctx context.Context, number int64, progress func(steps int)) Stop {
	w := walk{Session: s, ctx: ctx, progress: progress}
	s.stop = w.toCycle(func(i int64) bool { return i == number }, number-1)
	return s.stop
}

// GotoPhase puts the cursor behind a phase of the first cycle that has it, looking from the cursor on.
func (s *Session) GotoPhase(ctx context.Context, phase trace.Phase, progress func(steps int)) Stop {
	w := walk{Session: s, ctx: ctx, progress: progress}
	for number := w.line.cycleOf(w.at.Step); ; number++ {
		s.stop = w.toCycle(func(i int64) bool { return i == number+1 }, number)
		if s.stop.Reason != StoppedAtStep {
			return s.stop
		}
		for i, fact := range s.facts {
			if fact.Phase() == phase && (i+1 == len(s.facts) || s.facts[i+1].Phase() != phase) {
				s.at = Position{Step: s.at.Step, Fact: i + 1}
				return s.stop
			}
		}
	}
}

// GotoPod puts the cursor at the end of the next cycle of a pod that matches a pattern with * and ?; behind the last
// one comes the first again.
func (s *Session) GotoPod(ctx context.Context, pattern string, progress func(steps int)) Stop {
	w := walk{Session: s, ctx: ctx, progress: progress}
	matches := func(number int64) bool { return podMatches(pattern, w.podOf(number)) }
	from := w.line.cycleOf(w.at.Step)
	s.stop = w.toCycle(matches, from)
	if s.stop.Reason != StoppedAtEnd {
		return s.stop
	}
	for number := int64(1); number <= from; number++ {
		if matches(number) {
			w.settle(wholeStep(w.line.cycles[number-1]))
			s.stop = w.here()
			return s.stop
		}
	}
	s.stop.Text = fmt.Sprintf("no cycle is about pod %q", pattern)
	return s.stop
}

// toCycle goes to the first cycle behind a number that is wanted.
func (w *walk) toCycle(wanted func(number int64) bool, behind int64) Stop {
	for number := behind + 1; ; number++ {
		for int64(len(w.line.cycles)) < number {
			step, ok := w.line.extend()
			if !ok {
				w.settle(wholeStep(w.line.steps))
				return w.end()
			}
			if step.Kind != replay.Tried && w.tired() {
				w.settle(wholeStep(w.line.steps))
				return Stop{Reason: StoppedByUser, Text: "stopped"}
			}
		}
		if wanted(number) {
			w.settle(wholeStep(w.line.cycles[number-1]))
			return w.here()
		}
		if w.tired() {
			w.settle(wholeStep(w.line.cycles[number-1]))
			return Stop{Reason: StoppedByUser, Text: "stopped"}
		}
	}
}

// podOf is the pod a known cycle was about.
func (w *walk) podOf(number int64) string {
	step := w.line.cycles[number-1]
	for i := len(w.line.marks) - 1; i >= 0; i-- {
		if w.line.marks[i].Step == step && w.line.marks[i].Cycle == number {
			return w.line.marks[i].Pod
		}
	}
	return ""
}
