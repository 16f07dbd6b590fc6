package play

import (
	"context"
	"slices"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/source"
)

// Player runs a scheduler through a log, one step at a time. At a given moment everything that is due is delivered
// before a cycle runs, and time goes on only when nothing is left to do. Step decides what comes next; a caller that
// decides otherwise uses Deliver, Receive, Cycle, Advance, Do and Answer, of which Step is made.
//
// Several schedulers may decide about the cluster (Join): see docs/decisions/0038.
type Player struct {
	scheduler *core.Scheduler   // the first
	others    []*core.Scheduler // beside it, in the order in which they were declared
	turn      int               // number of the scheduler whose turn is next in the round; 0: no round is going on
	last      int               // the number of the scheduler that ran the last cycle
	attends   bool              // kubelets look at what is bound
	chosen    int               // 1 + the number of the scheduler that is shown; 0: the one that ran the last cycle

	world   World
	log     *source.Log
	next    int      // index of the next entry of the log
	journal *Journal // shared with all that run the same course
	asked   int      // effects that were carried out
	sent    sent
	until   time.Time
	hooks   Hooks
	pending bool // the log was open at the last Step

	amendments []Amendment // replaced, never written
	cued       cued
}

// Hooks stand between a scheduler and its world. The zero value changes nothing. A player with hooks can run the same
// steps again only if its hooks return the same again.
type Hooks struct {
	// Hold keeps an effect from the world. The holder hands it to Player.Do later, or answers it with Player.Answer.
	Hold func(core.Effect) bool
	// Delay receives the events that the world sends, because of an effect or (nil) by itself, and returns those that the
	// player is to deliver when they are due. The owner of the hook hands the rest to Player.Deliver.
	Delay func(because core.Effect, events []source.Timed) []source.Timed
}

// NewPlayer puts a scheduler before the first entry of a log.
func NewPlayer(s *core.Scheduler, w World, log *source.Log) *Player {
	return &Player{scheduler: s, world: w, log: log, journal: &Journal{}}
}

// RunOn lets virtual time go on to a moment even when no entity is ready and no event is left, so that backoffs and
// timeouts end. Without it a replay ends as soon as nothing is in activeQ or backoffQ.
func (p *Player) RunOn(until time.Time) { p.until = until }

// Hook sets what stands between the scheduler and the world.
func (p *Player) Hook(h Hooks) { p.hooks = h }

// Follow makes the player read the results of its effects from a journal; the world carries out only effects that the
// journal does not hold. The player must not have run yet.
func (p *Player) Follow(j *Journal) { p.journal = j }

// Fork is a copy that takes the same course: whichever of the two comes to an effect first has the world carry it out,
// and the other one reads the outcome.
func (p *Player) Fork() *Player {
	f := *p
	f.sent = p.sent.copy()
	f.scheduler, f.others = p.scheduler.Fork(), forksOf(p.others)
	f.world = p.world.Fork()
	return &f
}

// Branch is a copy that may take another course: what its world does from now on is kept apart. A world that acts does
// nothing for a branch.
func (p *Player) Branch() *Player {
	f := p.Fork()
	f.journal = p.journal.branch(p.asked)
	if _, acts := f.world.(*Driven); acts {
		f.world = NewDriven(nil)
	}
	return f
}

// Forget drops what lies behind the player, for one that never goes back: the entries of the log it has taken, and the
// results of the effects before. No other reader of the log or the journal may be behind it, and no fork; those ahead
// of it go on as before.
func (p *Player) Forget() {
	if w, follows := p.world.(*Recorded); follows {
		w.history.of("") // it reads by index, and must not be behind
		w.history.forget(p.log.Drop(p.next))
	} else {
		p.log.Drop(p.next)
	}
	p.journal.forget(p.asked)
}

// KeepNoOutcomes keeps the results of effects no longer, in this player and in its branches. Nothing may follow
// the course that it takes: a fork of it is a branch.
func (p *Player) KeepNoOutcomes() { p.journal.lossy = true }

// Heed has calls of plugins of others given up that do not come to an end when ctx ends, until back is called.
func (p *Player) Heed(ctx context.Context) (back func()) {
	backs := []func(){p.scheduler.Heed(ctx.Done())}
	for _, s := range p.others {
		backs = append(backs, s.Heed(ctx.Done()))
	}
	return func() {
		for _, b := range slices.Backward(backs) {
			b()
		}
	}
}

// World is what the scheduler's effects go to.
func (p *Player) World() World { return p.world }

// Log is where the events come from.
func (p *Player) Log() *source.Log { return p.log }

// Journal has the outcomes of the effects so far, also of those that only a fork has come to yet.
func (p *Player) Journal() *Journal { return p.journal }

// Enter makes another world answer from now on.
func (p *Player) Enter(w World) {
	p.world = w
	p.attend()
}

// CutLog ends the log where the player stands: nothing more comes of it or of what is cued, and time goes on by itself
// alone.
func (p *Player) CutLog() {
	p.log, p.next, p.until, p.cued = source.Script(nil).Log(), 0, time.Time{}, cued{}
}

// EndLog ends the log after so many entries, of which the player has not taken more yet.
func (p *Player) EndLog(entries int) {
	p.log, p.until = slices.Clone(p.log.Before(entries)).Log(), time.Time{}
}

// Keep sets how much of the truth the next steps keep.
func (p *Player) Keep(d trace.Detail) {
	p.each(func(s *core.Scheduler) { s.Keep(d) })
}

// Reseed has what the schedulers leave to chance decided by another seed from now on.
func (p *Player) Reseed(seed uint64) { p.each(func(s *core.Scheduler) { s.Reseed(seed) }) }

// Taken is how many entries of the log lie behind the player.
func (p *Player) Taken() int { return p.next }

// Remaining is how many entries of the log there are by now that are still to come.
func (p *Player) Remaining() int { return p.log.Len() - p.next }

// Held reports, after Step returned false, whether a cycle waits only for the log to come past the present moment.
func (p *Player) Held() bool { return p.pending && p.CanSchedule() }

// Pending reports, after Step returned false, whether the log has not come far enough yet: Step may have more to do
// later.
func (p *Player) Pending() bool { return p.pending }

// Send queues events that the log does not hold: answers of the world, or events that the user tries out.
func (p *Player) Send(events ...source.Timed) {
	for _, t := range events {
		p.sent.add(t)
	}
}

// NextSent is when the next thing is due that the world has sent.
func (p *Player) NextSent() (time.Time, bool) {
	return p.sent.due()
}

// Owes reports whether the world has sent something that is due now.
func (p *Player) Owes() bool {
	at, ok := p.NextSent()
	return ok && !at.After(p.scheduler.Now())
}

// Receive delivers the next thing that the world has sent and that is due now; false when there is none.
func (p *Player) Receive() (step Step, ok bool) {
	if !p.Owes() {
		return Step{}, false
	}
	t := p.sent.take()
	switch {
	case t.Reply != nil:
		return p.Answer(t.Reply), true
	case t.Wake != "":
		return p.wake(t.Wake), true
	}
	return p.Deliver(t.Event), true
}

// Deliver hands an event to the scheduler as it is, and to the world.
func (p *Player) Deliver(e cluster.Event) Step {
	effects, facts := p.all(func(s *core.Scheduler) ([]core.Effect, []trace.Fact) { return s.Apply(e) })
	step := p.carryOut(Step{Kind: Delivered, Event: e, Facts: facts}, effects)
	seen := p.world.See(e, p.scheduler.State(), p.scheduler.Now())
	step.Facts = append(step.Facts, seen.Facts...)
	p.Send(p.delayed(nil, seen.Events)...)
	return step
}

// Answer hands the scheduler a reply of the world, which is not an event.
func (p *Player) Answer(r core.Reply) Step {
	effects, facts := p.answered(r)
	return p.carryOut(Step{Kind: Delivered, Facts: facts}, effects)
}

// Cycle runs one cycle, of the scheduler whose turn it is; false when no entity is ready.
func (p *Player) Cycle() (step Step, ok bool) {
	effects, facts, ok := p.schedule()
	if !ok {
		return Step{}, false
	}
	return p.carryOut(Step{Kind: Tried, Facts: facts}, effects), true
}

// Advance moves the clock on. What comes due on the way is delivered later.
func (p *Player) Advance(to time.Time) Step {
	effects, facts := p.all(func(s *core.Scheduler) ([]core.Effect, []trace.Fact) { return s.Advance(to) })
	return p.carryOut(Step{Kind: Waited, Facts: facts}, effects)
}

// Do has the world carry out an effect that was held.
func (p *Player) Do(e core.Effect) Step {
	hold := p.hooks.Hold
	p.hooks.Hold = nil
	step := p.carryOut(Step{Kind: Delivered}, []core.Effect{e})
	p.hooks.Hold = hold
	return step
}

// carryOut has the world carry out the effects of a step, and those that follow from its replies.
func (p *Player) carryOut(step Step, effects []core.Effect) Step {
	for i := 0; i < len(effects); i++ {
		e := effects[i]
		if p.hooks.Hold != nil && p.hooks.Hold(e) {
			continue
		}
		outcome := p.outcome(e)
		step.Facts = append(step.Facts, outcome.Facts...)
		for _, r := range outcome.replies {
			more, facts := p.answered(r)
			effects, step.Facts = append(effects, more...), append(step.Facts, facts...)
		}
		p.Send(p.delayed(e, outcome.Events)...)
	}
	step.At, step.Effects = p.scheduler.Now(), effects
	return step
}

// outcome is the result of an effect: the one in the journal or, the first time, that of the world.
func (p *Player) outcome(e core.Effect) Outcome {
	number := p.asked
	p.asked++
	if number < p.journal.done {
		k := p.journal.read(number, e)
		if k == nil {
			return Outcome{}
		}
		p.world = k.world.Fork()
		return k.outcome
	}
	o := p.world.Do(e, p.scheduler.State(), p.scheduler.Now())
	p.journal.keep(e, &o, p.world)
	return o
}

func (p *Player) delayed(because core.Effect, events []source.Timed) []source.Timed {
	if p.hooks.Delay == nil || len(events) == 0 {
		return events
	}
	return p.hooks.Delay(because, events)
}
