package replay

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/trace"
)

// Player runs a scheduler through a script, one step at a time. At a given moment everything that is due is delivered
// before a cycle runs, and time goes on only when nothing is left to do.
type Player struct {
	scheduler *core.Scheduler
	world     World
	script    Script
	next      int     // index of the next event of the script
	echoes    []Timed // what the world sends back, by time, then in the order it was sent; replaced, never written
	until     time.Time

	amendments []Amendment // replaced, never written
}

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
	Kind  Kind
	At    time.Time // virtual time after the step
	Facts []trace.Fact
}

// NewPlayer puts a scheduler before the first event of a script.
func NewPlayer(s *core.Scheduler, w World, script Script) *Player {
	return &Player{scheduler: s, world: w, script: script}
}

// RunOn lets virtual time go on to a moment even when no entity is ready and no event is left, so that backoffs and
// timeouts end. Without it a replay ends as soon as nothing is in activeQ or backoffQ.
func (p *Player) RunOn(until time.Time) { p.until = until }

// Fork is an independent copy.
func (p *Player) Fork() *Player {
	f := *p
	f.scheduler = p.scheduler.Fork()
	f.world = p.world.Fork()
	return &f
}

// Scheduler is the scheduler being run. Between steps it may be read.
func (p *Player) Scheduler() *core.Scheduler { return p.scheduler }

// World is what the scheduler's effects go to.
func (p *Player) World() World { return p.world }

// Enter makes another world answer from now on.
func (p *Player) Enter(w World) { p.world = w }

// Keep sets how much of the truth the next steps keep.
func (p *Player) Keep(d trace.Detail) { p.scheduler.Keep(d) }

// Remaining is how many events of the script are still to come.
func (p *Player) Remaining() int { return len(p.script) - p.next }

// Step does the next thing there is to do: the event that is due, else a cycle, else waiting. ok is false when the
// replay is over.
func (p *Player) Step() (step Step, ok bool) {
	at, due := p.nextEvent()
	switch {
	case due && !at.After(p.scheduler.Now()):
		return p.deliver(), true
	case p.scheduler.CanSchedule():
		return p.try(), true
	}
	to, ok := p.nextMoment(at, due)
	if !ok {
		return Step{}, false
	}
	effects, facts := p.scheduler.Advance(to)
	return p.did(Waited, effects, facts), true
}

// nextEvent is when the next event is due, from the script or from the world.
func (p *Player) nextEvent() (time.Time, bool) {
	scripted := p.next < len(p.script)
	switch {
	case len(p.echoes) > 0 && (!scripted || !p.script[p.next].At.Before(p.echoes[0].At)):
		return p.echoes[0].At, true
	case scripted:
		return p.script[p.next].At, true
	}
	return time.Time{}, false
}

// nextMoment is how far the clock goes when nothing is to be done now.
func (p *Player) nextMoment(event time.Time, due bool) (time.Time, bool) {
	own, moves := p.scheduler.Next()
	switch {
	case due && (!moves || !own.Before(event)):
		return event, true
	case moves && (due || p.scheduler.Busy() || !own.After(p.until)):
		return own, true
	case p.until.After(p.scheduler.Now()):
		return p.until, true
	}
	return time.Time{}, false
}

// deliver takes the event that is due; what the world sent comes before what the script has for the same moment.
func (p *Player) deliver() Step {
	var t Timed
	if at, _ := p.nextEvent(); len(p.echoes) > 0 && p.echoes[0].At.Equal(at) {
		t, p.echoes = p.echoes[0], p.echoes[1:]
	} else {
		t = p.script[p.next]
		p.next++
		var happens bool
		if t.Event, happens = p.amended(t.Event); !happens {
			return p.passOver(t.Event)
		}
		t.Event = p.world.Adapt(t.Event, p.scheduler.State())
	}
	effects, facts := p.scheduler.Apply(t.Event)
	step := p.did(Delivered, effects, facts)
	p.Send(p.world.See(t.Event, p.scheduler.State(), p.scheduler.Now())...)
	return step
}

func (p *Player) try() Step {
	effects, facts, _ := p.scheduler.Schedule()
	return p.did(Tried, effects, facts)
}

// did carries out what a step asked for.
func (p *Player) did(kind Kind, effects []core.Effect, facts []trace.Fact) Step {
	for _, e := range effects {
		echoes, noticed := p.world.Do(e, p.scheduler.State(), p.scheduler.Now())
		facts = append(facts, noticed...)
		if eviction, ok := e.(core.Evict); ok && len(echoes) == 0 {
			p.scheduler.Answer(core.EvictionDone{Evict: eviction})
		}
		p.Send(echoes...)
	}
	return Step{Kind: kind, At: p.scheduler.Now(), Facts: facts}
}

// Send puts events in line that the script does not hold: what the world answers, or what somebody tries out.
func (p *Player) Send(events ...Timed) {
	for _, t := range events {
		at := len(p.echoes)
		for at > 0 && p.echoes[at-1].At.After(t.At) {
			at--
		}
		p.echoes = slices.Insert(slices.Clone(p.echoes), at, t)
	}
}
