package session

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/play"
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
		return 0, phrase.Errorf("there is no breakpoint %d", id)
	}
	return i, nil
}

// Condition gives a breakpoint a CEL expression that must hold as well, or with "" takes it away.
func (s *Session) Condition(id int, text string) error {
	return s.changeBreakpoint(id, func(b *Breakpoint) error { return b.setCondition(text) })
}

// On keeps commands with a breakpoint: a move that it stops returns them in Stop.On, and the caller of Move runs them.
// "" takes them away.
func (s *Session) On(id int, commands string) error {
	return s.changeBreakpoint(id, func(b *Breakpoint) error { b.On = commands; return nil })
}

func (s *Session) changeBreakpoint(id int, change func(*Breakpoint) error) error {
	i, err := s.breakpoint(id)
	if err != nil {
		return err
	}
	b := s.breaks[i]
	if err := change(&b); err != nil {
		return err
	}
	s.breaks = slices.Clone(s.breaks)
	s.breaks[i] = b
	return nil
}

// tracedAtMost is how many lines of trace one move keeps.
const tracedAtMost = 1000

// guard looks at every step that a move passes, and decides where a breakpoint stops it. It knows what was believed
// before the step, because a watch is hit when that changes.
type guard struct {
	*Session
	beliefs map[int]string // by breakpoint: what is believed after the last step
	traced  []phrase.Phrase
	counted bool // the breakpoints were copied, so that hits can be counted
}

// guardFrom begins where a player stands.
func (s *Session) guardFrom(p *play.Player) *guard {
	g := &guard{Session: s, beliefs: map[int]string{}}
	g.believe(p)
	return g
}

// believe notes what is believed now.
func (g *guard) believe(p *play.Player) {
	for i := range g.breaks {
		if b := &g.breaks[i]; b.belief != nil && !b.Off {
			g.beliefs[b.ID] = b.belief.read(p.Scheduler())
		}
	}
}

// stops returns which breakpoint stops the move at a step, and why; p stands after the step. Breakpoints that only
// trace leave a line.
func (g *guard) stops(step int, facts []trace.Fact, p *play.Player) (stop Stop, ok bool) {
	for i := range g.breaks {
		b := &g.breaks[i]
		why, hit := g.hits(b, step, facts, p)
		if !hit {
			continue
		}
		text := phrase.Join(": ", phrase.New("breakpoint %d: %s", b.ID, b.String()), why)
		if b.Trace {
			g.count(i)
			if len(g.traced) < tracedAtMost {
				g.traced = append(g.traced, phrase.New(
					"step %d, %s: %s", step, words.Clock(p.Scheduler().Now()), told(text, facts),
				))
			}
			continue
		}
		if !ok {
			stop, ok = Stop{Reason: StoppedAtBreakpoint, Text: text, Breakpoint: b.ID, On: b.On}, true
		}
	}
	return stop, ok
}

// told is the line about a breakpoint that traces: its text, and how the cycle of the step ended.
func told(text phrase.Phrase, facts []trace.Fact) phrase.Phrase {
	c, ok := trace.Fold(facts)
	if !ok || c.Ended == nil {
		return text
	}
	return phrase.New("%s; cycle %d of %s: %s", text, c.Number, c.Entity.Key(), c.Ended.Outcome)
}

// hits reports whether a step hits a breakpoint, and what there is to add to its words.
func (g *guard) hits(b *Breakpoint, step int, facts []trace.Fact, p *play.Player) (why phrase.Phrase, ok bool) {
	why, ok = g.strikes(b, step, facts, p)
	if !ok || b.condition == nil {
		return why, ok
	}
	hits := b.passed + 1
	if i, err := g.breakpoint(b.ID); err == nil {
		g.copyBreaks()
		g.breaks[i].passed = hits
	}
	holds, err := b.condition.holds(speaksOf(facts, hits, p.Scheduler()))
	if err != nil {
		return phrase.Join(": ", why, phrase.New("its condition cannot be evaluated: %s", err)), true
	}
	return why, holds
}

// strikes is hits without the condition.
func (g *guard) strikes(b *Breakpoint, step int, facts []trace.Fact, p *play.Player) (why phrase.Phrase, ok bool) {
	switch {
	case b.Off:
		return why, false
	case b.Diverge && g.line.beside != nil:
		return g.line.beside.hits(b, step)
	case b.belief == nil:
		return why, b.strikes(facts) && b.selects(facts, p)
	}
	before, now := g.beliefs[b.ID], b.belief.read(p.Scheduler())
	g.beliefs[b.ID] = now
	return phrase.New("%s -> %s", before, now), before != now
}

// selects reports whether the labels of a pod that a step tries are those that the breakpoint names.
func (b *Breakpoint) selects(facts []trace.Fact, p *play.Player) bool {
	if b.selector == nil {
		return true
	}
	has := func(key string) bool {
		pod, there := p.Scheduler().State().Pod(key)
		return there && b.selector.Matches(labels.Set(pod.API.Labels))
	}
	return slices.ContainsFunc(facts, func(fact trace.Fact) bool {
		switch f := fact.(type) {
		case trace.Popped:
			return has(f.Entity.Key())
		case trace.Gathered:
			return slices.ContainsFunc(f.Members, func(m trace.Entity) bool { return has(m.Key()) })
		}
		return false
	})
}

// copyBreaks makes the breakpoints the session's own: frames share them.
func (g *guard) copyBreaks() {
	if !g.counted {
		g.breaks, g.counted = slices.Clone(g.breaks), true
	}
}

func (g *guard) count(i int) {
	g.copyBreaks()
	g.breaks[i].Hits++
}

// hit counts a hit that stops a move, and adds what was traced on the way.
func (g *guard) hit(stop Stop) Stop {
	i, err := g.breakpoint(stop.Breakpoint)
	if err == nil {
		g.count(i)
		if g.breaks[i].Once {
			g.breaks = slices.Delete(g.breaks, i, i+1)
		}
	}
	return g.tell(stop)
}

// tell adds to a stop what was traced on the way there.
func (g *guard) tell(stop Stop) Stop {
	stop.Traced = g.traced
	return stop
}
