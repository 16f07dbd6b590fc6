package session

import (
	"context"
	"fmt"
	"slices"
)

// Check is a position that is remembered.
type Check struct {
	ID       int
	Branch   string
	Position Position
	Note     string // why, in the words of who made it; may be empty
	Where    string // "cycle 41", "step 7"
}

// Check remembers the position of the cursor.
func (s *Session) Check(note string) Check {
	s.ids++
	w := walk{Session: s}
	c := Check{ID: s.ids, Branch: s.branch, Position: s.at, Note: note, Where: w.stopped().Text}
	s.checks = append(slices.Clip(s.checks), c)
	return c
}

// Restart puts the cursor where it was when a position was remembered, on the branch it was on.
func (s *Session) Restart(ctx context.Context, id int, progress func(steps int)) (Stop, error) {
	i := slices.IndexFunc(s.checks, func(c Check) bool { return c.ID == id })
	if i < 0 {
		return Stop{}, fmt.Errorf("there is no check %d (checks lists them)", id)
	}
	c := s.checks[i]
	if s.branch != c.Branch {
		if err := s.Switch(c.Branch); err != nil {
			return Stop{}, fmt.Errorf("check %d: %w", id, err)
		}
	}
	return s.Goto(ctx, c.Position, progress), nil
}

// Uncheck forgets a remembered position.
func (s *Session) Uncheck(id int) error {
	i := slices.IndexFunc(s.checks, func(c Check) bool { return c.ID == id })
	if i < 0 {
		return fmt.Errorf("there is no check %d (checks lists them)", id)
	}
	s.checks = slices.Delete(slices.Clone(s.checks), i, i+1)
	return nil
}
