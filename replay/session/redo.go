package session

import (
	"context"

	"github.com/schedstep/schedstep/internal/phrase"
)

// CanRedo reports whether Redo has a cycle to run again.
func (s *Session) CanRedo() bool {
	l := s.line
	if l.edit == nil {
		return false
	}
	parent := s.branches[l.parent]
	return parent.cycleOf(l.left.Step) > parent.gone
}

// Redo makes the what-if of the present branch once more, before the last cycle that ran before it, and runs that cycle
// again. The new branch takes the place of the present one.
func (s *Session) Redo(ctx context.Context) (branch string, err error) {
	if !s.CanRedo() {
		return "", phrase.Errorf("redo: no cycle ran before a what-if here")
	}
	edit, parent := *s.line.edit, s.branches[s.line.parent]
	number := parent.cycleOf(s.line.left.Step)
	step := parent.stepOf(number) - 1
	if err := s.Drop(s.branch); err != nil {
		return "", err
	}
	s.Goto(ctx, wholeStep(step), nil)
	if branch, _, err = s.Edit(edit); err != nil {
		return "", err
	}
	s.GotoCycle(ctx, number, nil)
	return branch, nil
}
