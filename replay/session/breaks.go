package session

import (
	"fmt"
	"slices"

	"github.com/schedstep/schedstep/core/trace"
)

// Break sets a breakpoint and returns it with its number.
func (s *Session) Break(b Breakpoint) Breakpoint {
	s.ids++
	b.ID = s.ids
	s.breaks = append(slices.Clone(s.breaks), b)
	return b
}

// Clear removes a breakpoint.
func (s *Session) Clear(id int) error {
	i, err := s.breakpoint(id)
	if err == nil {
		s.breaks = slices.Delete(slices.Clone(s.breaks), i, i+1)
	}
	return err
}

// Toggle switches a breakpoint off, or on again.
func (s *Session) Toggle(id int) error {
	i, err := s.breakpoint(id)
	if err == nil {
		s.breaks = slices.Clone(s.breaks)
		s.breaks[i].Off = !s.breaks[i].Off
	}
	return err
}

func (s *Session) breakpoint(id int) (int, error) {
	i := slices.IndexFunc(s.breaks, func(b Breakpoint) bool { return b.ID == id })
	if i < 0 {
		return 0, fmt.Errorf("there is no breakpoint %d", id)
	}
	return i, nil
}

// strikes is the number of the first breakpoint that holds of a step's facts.
func (s *Session) strikes(facts []trace.Fact) (int, bool) {
	for _, b := range s.breaks {
		if b.Strikes(facts) {
			return b.ID, true
		}
	}
	return 0, false
}

// struck is strikes for a step the cursor passes.
func (w *walk) struck(facts []trace.Fact) (int, bool) {
	if len(w.breaks) == 0 {
		return 0, false
	}
	return w.strikes(facts)
}

// hit counts a strike and tells of it.
func (s *Session) hit(id int) Stop {
	i, _ := s.breakpoint(id)
	stop := Stop{StoppedAtBreakpoint, fmt.Sprintf("breakpoint %d: %s", id, s.breaks[i])}
	s.breaks = slices.Clone(s.breaks)
	s.breaks[i].Hits++
	if s.breaks[i].Once {
		s.breaks = slices.Delete(s.breaks, i, i+1)
	}
	return stop
}
