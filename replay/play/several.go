package play

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/trace"
)

// Join adds a scheduler beside those there are, with a queue and a cache of its own. It learns of what the others do
// from events alone. From then on kubelets look at what is bound in a simulated world. The player must not have run
// yet.
func (p *Player) Join(s *core.Scheduler) {
	p.others = append(slices.Clip(p.others), s)
	p.Attend()
}

// Attend has kubelets look at every pod that is bound in a simulated world.
func (p *Player) Attend() {
	p.attends = true
	p.attend()
}

func (p *Player) attend() {
	if w, is := p.world.(*Simulated); is && p.attends {
		w.Attend()
	}
}

// forksOf are independent copies; none of none.
func forksOf(all []*core.Scheduler) []*core.Scheduler {
	if len(all) == 0 {
		return nil
	}
	forks := make([]*core.Scheduler, len(all))
	for i, s := range all {
		forks[i] = s.Fork()
	}
	return forks
}

// Schedulers are all schedulers in the order in which they take turns. Between steps they may be read.
func (p *Player) Schedulers() []*core.Scheduler {
	return append([]*core.Scheduler{p.scheduler}, p.others...)
}

func (p *Player) numbered(i int) *core.Scheduler {
	if i == 0 {
		return p.scheduler
	}
	return p.others[i-1]
}

// Scheduler is the scheduler that is looked at: the one that was chosen, else the one that ran the last cycle, before
// any did the first. Between steps it may be read.
func (p *Player) Scheduler() *core.Scheduler {
	if p.chosen > 0 {
		return p.numbered(p.chosen - 1)
	}
	return p.numbered(p.last)
}

// LookAt chooses the scheduler that Scheduler returns, by its number in Schedulers; a negative number lets the cycles
// choose it.
func (p *Player) LookAt(number int) { p.chosen = max(number+1, 0) }

// For is the scheduler that places pods with a schedulerName; the one that is looked at when none does.
func (p *Player) For(schedulerName string) *core.Scheduler {
	for i := range 1 + len(p.others) {
		if _, places := p.numbered(i).Profile(schedulerName); places {
			return p.numbered(i)
		}
	}
	return p.Scheduler()
}

// ForPod is the scheduler that places a live pod; the one that is looked at when there is none.
func (p *Player) ForPod(key string) *core.Scheduler {
	if len(p.others) == 0 {
		return p.scheduler
	}
	if pod, live := p.scheduler.State().Pod(key); live {
		return p.For(pod.API.Spec.SchedulerName)
	}
	return p.Scheduler()
}

// Acted is the number of the scheduler that ran the last cycle; 0 before any did.
func (p *Player) Acted() int { return p.last }

// Waiting is how many entities each queue holds, of all schedulers.
func (p *Player) Waiting() (sum trace.QueueCounts) {
	p.each(func(s *core.Scheduler) {
		c := s.Queue().Counts()
		sum.Active, sum.Backoff, sum.Gated = sum.Active+c.Active, sum.Backoff+c.Backoff, sum.Gated+c.Gated
		sum.Unschedulable, sum.InFlight = sum.Unschedulable+c.Unschedulable, sum.InFlight+c.InFlight
		sum.Incomplete += c.Incomplete
	})
	return sum
}

func (p *Player) each(f func(*core.Scheduler)) {
	f(p.scheduler)
	for _, s := range p.others {
		f(s)
	}
}

// all hands the same event or reply to every scheduler. The event itself is recorded once; the facts of a scheduler
// other than the first come after its name.
func (p *Player) all(
	tell func(*core.Scheduler) ([]core.Effect, []trace.Fact),
) (effects []core.Effect, facts []trace.Fact) {
	effects, facts = tell(p.scheduler)
	for _, s := range p.others {
		more, own := tell(s)
		effects = append(effects, more...)
		own = slices.DeleteFunc(own, func(f trace.Fact) bool {
			switch f.(type) {
			case trace.Observed, trace.ClockMoved:
				return true
			}
			return false
		})
		if len(own) > 0 {
			facts = append(append(facts, trace.InScheduler{Scheduler: s.Name()}), own...)
		}
	}
	return effects, facts
}

// answered hands a reply to every scheduler; a scheduler that does not wait for it ignores it.
func (p *Player) answered(r core.Reply) (effects []core.Effect, facts []trace.Fact) {
	return p.all(func(s *core.Scheduler) ([]core.Effect, []trace.Fact) { return s.Answer(r) })
}

// InRound reports whether some scheduler has run a cycle of a round, and another one that is ready has not: until it
// has, nothing is delivered.
func (p *Player) InRound() bool { return p.turn > 0 }

// CanSchedule reports whether an entity is ready in some scheduler.
func (p *Player) CanSchedule() bool { return p.ready(0) <= len(p.others) }

// ready is the first scheduler from a number on that has an entity ready; behind the last when none has.
func (p *Player) ready(from int) int {
	for i := from; i <= len(p.others); i++ {
		if p.numbered(i).CanSchedule() {
			return i
		}
	}
	return 1 + len(p.others)
}

// schedule runs one cycle of the scheduler whose turn it is: the next of the round that is going on, or of a new one.
func (p *Player) schedule() (effects []core.Effect, facts []trace.Fact, ok bool) {
	if len(p.others) == 0 {
		return p.scheduler.Schedule()
	}
	i := p.ready(p.turn)
	if i > len(p.others) {
		p.turn = 0
		return nil, nil, false
	}
	s := p.numbered(i)
	s.After(p.Cycles())
	p.last, p.turn = i, i+1
	effects, facts, ok = s.Schedule()
	if p.ready(p.turn) > len(p.others) {
		p.turn = 0
	}
	return effects, facts, ok
}

// Cycles is how many cycles have begun, of all schedulers.
func (p *Player) Cycles() int64 {
	var most int64
	p.each(func(s *core.Scheduler) { most = max(most, s.Cycles()) })
	return most
}

// ownNext is the next moment at which something happens in a scheduler by itself.
func (p *Player) ownNext() (at time.Time, ok bool) {
	p.each(func(s *core.Scheduler) {
		if own, moves := s.Next(); moves && (!ok || own.Before(at)) {
			at, ok = own, true
		}
	})
	return at, ok
}

func (p *Player) busy() bool {
	return p.scheduler.Busy() || slices.ContainsFunc(p.others, (*core.Scheduler).Busy)
}

// NextMove is the next moment at which something happens without a cycle and without an entry of the log.
func (p *Player) NextMove() (time.Time, bool) {
	at, ok := p.ownNext()
	if sent, is := p.NextSent(); is && (!ok || sent.Before(at)) {
		return sent, true
	}
	return at, ok
}
