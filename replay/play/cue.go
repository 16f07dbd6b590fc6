package play

import (
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Cue is something that is done to the cluster from outside when nothing else is left to do, such as a request of a
// person who waits until the cluster is quiet.
type Cue struct {
	// Until is the moment up to which everything is done first; the zero time: the cue follows the one before at once.
	Until time.Time
	// Wait has the clock go on to Until, even when nothing happens until then.
	Wait bool
	// Do returns the events that come of it, which are delivered one after the other, and its facts. It depends on the
	// player alone, and may have the player's controllers act (Control). nil: nothing is done.
	Do func(p *Player) ([]cluster.Event, []trace.Fact)
}

// cued is what is left of the cues of a player.
type cued struct {
	cues []Cue // replaced, never written
	due  []cluster.Event
	ends time.Time // nothing is done that comes later; the zero time: there is no end

	waited bool // until the moment of the first cue
}

// Cue has the player do some things from now on, in their order, besides what happens by itself. Its replay ends when
// they are done and nothing is left to do up to a moment.
func (p *Player) Cue(cues []Cue, ends time.Time) { p.cued = cued{cues: cues, ends: ends} }

// QuietUntil reports whether nothing is left to do up to a moment: no entity is ready, and what the world has sent
// comes later.
func (p *Player) QuietUntil(at time.Time) bool {
	next, is := p.NextSent()
	return !p.CanSchedule() && is && next.After(at)
}

// Step does the next thing there is to do: what is cued when its time has come, the event that is due, else a cycle,
// else waiting. Between the cycles of a round nothing is delivered. ok is false when nothing is to be done: the replay
// is over or, when Pending, its log has not come any farther.
func (p *Player) Step() (step Step, ok bool) {
	c := &p.cued
	if len(c.due) > 0 {
		e := c.due[0]
		c.due = c.due[1:]
		return p.Deliver(e), true
	}
	for len(c.cues) > 0 {
		if until := c.cues[0].Until; !c.waited && !until.IsZero() && !p.isPast(until) {
			if step, ok = p.onward(); ok {
				return step, true
			}
		}
		if step, ok = p.perform(); ok {
			return step, true
		}
	}
	if !c.ends.IsZero() && p.isPast(c.ends) {
		return Step{}, false
	}
	return p.onward()
}

// isPast reports whether everything is done up to a moment, as far as that is known without trying.
func (p *Player) isPast(at time.Time) bool { return p.scheduler.Now().After(at) || p.QuietUntil(at) }

// perform does what is cued next; false where nothing comes of it.
func (p *Player) perform() (Step, bool) {
	c := &p.cued
	cue := c.cues[0]
	if cue.Wait && p.scheduler.Now().Before(cue.Until) {
		c.waited = true
		return p.Advance(cue.Until), true
	}
	c.cues, c.waited = c.cues[1:], false
	if cue.Do == nil {
		return Step{}, false
	}
	events, facts := cue.Do(p)
	if len(events) == 0 {
		return Step{Kind: Delivered, At: p.scheduler.Now(), Facts: facts}, true
	}
	c.due = events[1:]
	step := p.Deliver(events[0])
	step.Facts = append(facts, step.Facts...)
	return step, true
}
