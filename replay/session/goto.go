package session

import (
	"context"
	"slices"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
)

// Goto puts the cursor at a position; one that lies behind the end ends there.
func (s *Session) Goto(ctx context.Context, to Position, progress func(steps int)) Stop {
	defer s.Heed(ctx)()
	w := walk{Session: s, ctx: ctx, progress: progress}
	if to.Step <= s.line.first() {
		if err := s.Past(ctx, progress); err != nil {
			s.stop = untold(err)
			return s.stop
		}
	}
	s.stop = w.to(to)
	s.forget()
	return s.stop
}

func (w *walk) to(to Position) Stop {
	for w.line.steps < to.Step {
		if _, ok := w.line.extend(); !ok {
			w.seek(wholeStep(w.line.steps))
			return w.end()
		}
		if w.tired() {
			w.seek(wholeStep(w.line.steps))
			return Stop{Reason: StoppedByUser, Text: phrase.New("stopped")}
		}
	}
	w.seek(to)
	return w.stopped()
}

// GotoCycle puts the cursor at the end of a cycle, counted from 1. If there is no such cycle, the cursor stays.
func (s *Session) GotoCycle(ctx context.Context, number int64, progress func(steps int)) Stop {
	defer s.Heed(ctx)()
	w := walk{Session: s, ctx: ctx, progress: progress}
	if number <= s.line.gone {
		if err := s.Past(ctx, progress); err != nil {
			return untold(err)
		}
	}
	if number <= s.line.gone {
		return Stop{Reason: NotFound, Text: phrase.New("cycle %d is no longer kept", number)}
	}
	began := s.at
	stop := w.toCycle(func(i int64) bool { return i == number }, number-1)
	if over(stop) {
		w.seek(began)
		text := phrase.New("there is no cycle %d", number)
		if stop.Reason == StoppedAtLogEnd {
			text = phrase.New("there is no cycle %d yet", number)
		}
		return Stop{Reason: NotFound, Text: text}
	}
	s.stop = stop
	return stop
}

// GotoPhase puts the cursor behind a phase of the first cycle that has it, looking from the cursor on.
func (s *Session) GotoPhase(ctx context.Context, phase trace.Phase, progress func(steps int)) Stop {
	defer s.Heed(ctx)()
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

// GotoPod puts the cursor at the end of the next cycle that tried a pod, alone or in its group, that matches a pattern
// with * and ?; after the last one comes the first again. If no cycle tried such a pod, the cursor stays.
func (s *Session) GotoPod(ctx context.Context, pattern string, progress func(steps int)) Stop {
	defer s.Heed(ctx)()
	w := walk{Session: s, ctx: ctx, progress: progress}
	matches := func(number int64) bool {
		mark := w.markOf(number)
		return podMatches(pattern, mark.Pod) || slices.ContainsFunc(mark.Members, func(pod string) bool {
			return podMatches(pattern, pod)
		})
	}
	began, from := s.at, w.line.cycleOf(w.at.Step)
	if stop := w.toCycle(matches, from); !over(stop) {
		s.stop = stop
		return stop
	}
	if err := s.Past(ctx, progress); err != nil {
		w.seek(began)
		return untold(err)
	}
	for number := w.line.gone + 1; number <= from; number++ {
		if matches(number) {
			w.seek(wholeStep(w.line.stepOf(number)))
			s.stop = w.stopped()
			return s.stop
		}
	}
	w.seek(began)
	return Stop{Reason: NotFound, Text: phrase.New("no cycle tried pod %q", pattern)}
}

// over reports whether a search stopped because there is no further step, or none yet.
func over(stop Stop) bool { return stop.Reason == StoppedAtEnd || stop.Reason == StoppedAtLogEnd }

// toCycle goes to the first cycle behind a number that is wanted.
func (w *walk) toCycle(wanted func(number int64) bool, behind int64) Stop {
	for number := behind + 1; ; number++ {
		for w.line.count() < number {
			step, ok := w.line.extend()
			if !ok {
				w.seek(wholeStep(w.line.steps))
				return w.end()
			}
			if step.Kind != play.Tried && w.tired() {
				w.seek(wholeStep(w.line.steps))
				return Stop{Reason: StoppedByUser, Text: phrase.New("stopped")}
			}
		}
		if wanted(number) {
			w.seek(wholeStep(w.line.stepOf(number)))
			return w.stopped()
		}
		if w.tired() {
			w.seek(wholeStep(w.line.stepOf(number)))
			return Stop{Reason: StoppedByUser, Text: phrase.New("stopped")}
		}
	}
}

// markOf is the mark of a known cycle.
func (w *walk) markOf(number int64) Mark {
	step := w.line.stepOf(number)
	for i := len(w.line.marks) - 1; i >= 0; i-- {
		if w.line.marks[i].Step == step && w.line.marks[i].Cycle == number {
			return w.line.marks[i]
		}
	}
	return Mark{}
}
