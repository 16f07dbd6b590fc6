package session

import (
	"slices"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Display is a value that is shown at every stop.
type Display struct {
	ID    int
	Of    string // as WatchForms writes it
	Value string // at the cursor
}

// display is a value to show, without the value.
type display struct {
	id int
	of *belief
}

// Display has a value shown at every stop.
func (s *Session) Display(text string) (Display, error) {
	b, err := parseBelief("display", text)
	if err != nil {
		return Display{}, err
	}
	s.ids++
	s.displays = append(slices.Clip(s.displays), display{s.ids, b})
	return Display{s.ids, text, b.read(s.here().player.Scheduler())}, nil
}

// Undisplay has a value not shown any more.
func (s *Session) Undisplay(id int) error {
	i := slices.IndexFunc(s.displays, func(d display) bool { return d.id == id })
	if i < 0 {
		return phrase.Errorf("there is no display %d (display lists them)", id)
	}
	s.displays = slices.Delete(slices.Clone(s.displays), i, i+1)
	return nil
}

// displayed are the values by a scheduler.
func (s *Session) displayed(at *core.Scheduler) []Display {
	var all []Display
	for _, d := range s.displays {
		all = append(all, Display{d.id, d.of.text, d.of.read(at)})
	}
	return all
}
