package session

import (
	"context"
	"slices"

	"github.com/schedstep/schedstep/internal/phrase"
)

// StepOfPlan goes to the end of the next step of the plan that is carried out here, or of the one before; behind the
// last one comes the end of all that follows from it, and before the first the moment for which the plan was made.
// Breakpoints do not count.
func (s *Session) StepOfPlan(ctx context.Context, direction Direction, progress func(steps int)) Stop {
	defer s.Heed(ctx)()
	if s.here().Plan() == nil {
		return Stop{Reason: NotFound, Text: phrase.New("no plan is carried out here (plan drain NODE makes one)")}
	}
	w := walk{Session: s, ctx: ctx, progress: progress}
	if s.stop = w.ofPlan(direction); direction == Forward {
		s.forget()
	}
	return s.stop
}

func (w *walk) ofPlan(direction Direction) Stop {
	began := w.began()
	if direction == Backward {
		for _, m := range slices.Backward(w.line.marks) {
			if m.Planned > 0 && m.Step < w.at.Step && m.Step > began {
				w.seek(wholeStep(m.Step))
				return w.stopped()
			}
		}
		if w.at.Step <= began {
			return w.atStart(phrase.New("this is where the plan begins"))
		}
		w.seek(wholeStep(began))
		return w.stopped()
	}
	next := func(marks []Mark) bool {
		i := slices.IndexFunc(marks, func(m Mark) bool { return m.Planned > 0 && m.Step > w.at.Step })
		if i >= 0 {
			w.seek(wholeStep(marks[i].Step))
		}
		return i >= 0
	}
	if next(w.line.marks) {
		return w.stopped()
	}
	for {
		known := len(w.line.marks)
		if _, ok := w.line.extend(); !ok {
			w.seek(wholeStep(w.line.steps))
			return w.end()
		}
		if next(w.line.marks[known:]) {
			return w.stopped()
		}
		if w.tired() {
			w.seek(wholeStep(w.line.steps))
			return Stop{Reason: StoppedByUser, Text: phrase.New("stopped")}
		}
	}
}

// began is the step after which the plan begins that is carried out at the cursor.
func (w *walk) began() int {
	for l := w.line; l != nil; l = w.branches[l.parent] {
		if l.edit != nil && l.edit.isPlan() {
			return l.left.Step
		}
	}
	return 0
}
