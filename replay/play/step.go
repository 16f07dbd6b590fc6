package play

import (
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/source"
)

// Kind is what a step was.
type Kind uint8

// The kinds of step.
const (
	Delivered Kind = iota // one event was delivered
	Waited                // the clock moved on
	Tried                 // one cycle ran
)

// Step is one unit of a replay.
type Step struct {
	Kind    Kind
	At      time.Time     // virtual time after the step
	Event   cluster.Event // that was delivered; without an object when the step delivered none
	Effects []core.Effect // of the scheduler, in order, those that hooks hold included
	Facts   []trace.Fact
}

// onward is Step without what is cued.
func (p *Player) onward() (step Step, ok bool) {
	now, ahead := p.scheduler.Now(), p.log.Outlook(p.next)
	p.pending = ahead.Open
	if p.InRound() {
		return p.Cycle()
	}
	at, due := p.nextEvent(ahead)
	switch {
	case due && !at.After(now):
		if sent, is := p.NextSent(); is && sent.Equal(at) {
			return p.Receive()
		}
		return p.deliverNext(ahead.Entry), true
	case p.CanSchedule():
		if ahead.Open && !ahead.Horizon.After(now) {
			return Step{}, false // an event of this very moment may still come, and is to be delivered first
		}
		return p.Cycle()
	}
	to, ok := p.nextMoment(ahead, at, due)
	if !ok {
		return Step{}, false
	}
	return p.Advance(to), true
}

// nextEvent is when the next event is due, from the log or from the world. What the world sent comes before what the
// log has for the same moment.
func (p *Player) nextEvent(ahead source.Outlook) (time.Time, bool) {
	sent, is := p.NextSent()
	switch {
	case is && (ahead.Entry == nil || !ahead.Entry.At.Before(sent)):
		return sent, true
	case ahead.Entry != nil:
		return ahead.Entry.At, true
	}
	return time.Time{}, false
}

// nextMoment is how far the clock goes when nothing is to be done now. It never goes beyond the horizon of a log that
// may still grow.
func (p *Player) nextMoment(ahead source.Outlook, event time.Time, due bool) (to time.Time, ok bool) {
	own, moves := p.ownNext()
	until := p.until
	if ahead.Horizon.After(until) {
		until = ahead.Horizon
	}
	switch {
	case due && (!moves || !own.Before(event)):
		to = event
	case moves && (due || ahead.Open || p.busy() || !own.After(until)):
		to = own
	case !ahead.Open && until.After(p.scheduler.Now()):
		to = until
	default:
		return to, false
	}
	return to, !ahead.Open || !to.After(ahead.Horizon)
}

// deliverNext takes the next entry of the log, as amendments and the world leave it.
func (p *Player) deliverNext(entry *source.Timed) Step {
	p.next++
	switch {
	case entry.Reply != nil:
		return p.Answer(entry.Reply)
	case entry.Effect != nil:
		return p.Do(entry.Effect)
	}
	e, happens := p.amended(entry.Event)
	if !happens {
		return p.passOver(e)
	}
	return p.Deliver(p.world.Adapt(e, p.scheduler.State()))
}
