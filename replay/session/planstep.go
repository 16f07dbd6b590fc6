package session

import (
	"slices"

	"github.com/schedstep/schedstep/internal/phrase"
)

// noPlan is the stop where no plan is carried out.
func (w *walk) noPlan() (Stop, bool) {
	text := phrase.New("no plan is carried out here (the verb plan makes one)")
	return Stop{Reason: NotFound, Text: text}, w.here().Plan() == nil
}

// toPlanned goes to the end of the next step of the plan that is carried out here; behind the last one comes the end of
// all that follows from it.
func (w *walk) toPlanned() Stop {
	if stop, none := w.noPlan(); none {
		return stop
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

// backToPlanned goes to the end of the step of the plan before; before the first lies the moment for which the plan was
// made.
func (w *walk) backToPlanned() Stop {
	if stop, none := w.noPlan(); none {
		return stop
	}
	began := w.began()
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

// began is the step after which the plan begins that is carried out at the cursor.
func (w *walk) began() int {
	for l := w.line; l != nil; l = w.branches[l.parent] {
		if l.edit != nil && l.edit.isPlan() {
			return l.left.Step
		}
	}
	return 0
}
