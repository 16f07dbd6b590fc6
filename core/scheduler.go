// Package core is a scheduler as a deterministic machine: events go in, effects and facts come out. It has no
// goroutine, no clock, no client and no randomness of its own; time and seed are values that a caller passes. It is not
// a scheduler process: replay/play feeds it events and carries out its effects.
package core

import (
	"slices"
	"time"

	"github.com/tidwall/btree"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// Scheduler is the machine. Every method runs to its end; nothing happens between calls. One goroutine uses it at a
// time.
type Scheduler struct {
	state *cluster.State
	queue *queue.Queue
	lanes []*lane // one per profile, in the order of the configuration; shared, read only

	groups   bool // pods of a PodGroup are one entity
	now      time.Time
	seed     uint64
	detail   trace.Detail
	forgets  time.Duration
	observer func(trace.Fact) // nil: none

	supposing *supposing // nil except in a fork that computes scores of nodes that do not fit

	batches    []batch                      // one for each lane; nil: no lane signs pods
	signatures btree.Map[string, signature] // of pods that wait, by UID

	equivalents equivalents // empty where the release keeps no answers of filters

	later *[]*cycle // collects the pods that are to be bound when the last member of a group has its place; nil: none

	home    framework.Home          // of the guests among the plugins; nil: there are none
	opening func() []cluster.Object // of CustomResourceDefinitions, at Start; nil: there are none

	columns columns
	scratch scratch

	cycles    int64                        // cycles begun
	others    int64                        // cycles that schedulers beside it have begun
	start     int                          // where the next search over the nodes begins
	picks     uint64                       // hosts chosen by their totals
	reseeded  bool                         // equal candidates of a preemption are drawn
	arrival   uint64                       // numbers placed pods
	waiting   btree.Map[string, placedPod] // at Permit, by key
	inPreBind btree.Map[string, placedPod] // at PreBind, by UID
	sent      btree.Map[string, placedPod] // handed to the world to be bound, by key
}

// Options is what a Scheduler needs to know before its first event.
type Options struct {
	Profiles       []*framework.Profile // one or more, with different scheduler names
	Groups         bool                 // pods of a PodGroup wait, and are tried, as one entity
	InitialBackoff time.Duration
	MaxBackoff     time.Duration // 0: no backoff at all
	Start          time.Time     // virtual time
	Seed           uint64        // decides what upstream leaves to chance
	Detail         trace.Detail
	Columns        Columns // it changes no decision and no fact

	// Opening returns the objects of CustomResourceDefinitions that the cluster has at Start, for guests: they may read
	// them before the first event. nil: there are none.
	Opening func() []cluster.Object
}

// New is a scheduler of an empty cluster.
func New(o Options) *Scheduler {
	s := &Scheduler{
		state: cluster.NewStateFor(o.Profiles[0].Behaviour.Reading), now: o.Start, seed: o.Seed, detail: o.Detail,
		forgets: o.Profiles[0].Behaviour.AssumedPodExpiry, groups: o.Groups,
		opening: o.Opening,
	}
	s.columns.use = o.Columns
	s.lanes = lanesOf(o.Profiles)
	s.batches = batchesOf(s.lanes)
	s.found(o.Profiles)
	s.queue = queue.New(rules(o), o.Start)
	return s
}

// lanesOf are the lanes of profiles, in their order.
func lanesOf(profiles []*framework.Profile) []*lane {
	lanes := make([]*lane, len(profiles))
	for i, p := range profiles {
		lanes[i] = newLane(p)
		lanes[i].index = i
	}
	return lanes
}

// rules gathers the PreEnqueue plugins and the hints of every profile for the queue.
func rules(o Options) queue.Rules {
	r := queue.Rules{
		Sort: o.Profiles[0].QueueSort, Profiles: map[string]queue.ProfileRules{},
		InitialBackoff: o.InitialBackoff, MaxBackoff: o.MaxBackoff, Discipline: o.Profiles[0].Behaviour.Queue,
		Groups: o.Groups,
	}
	for _, p := range o.Profiles {
		var of queue.ProfileRules
		for _, plugin := range p.PreEnqueue {
			of.PreEnqueue = append(of.PreEnqueue, queue.Gate{Plugin: plugin.Name(), Check: plugin.PreEnqueue})
		}
		for _, w := range p.Wakers() {
			of.Hints = append(of.Hints, queue.PluginHints{Plugin: w.Name(), Hints: w.Hints()})
		}
		r.Profiles[p.SchedulerName] = of
	}
	return r
}

// Observe sets a function that receives every fact of a cycle when it is found, so that a caller with a clock can
// measure how long an extension point takes. It must not touch the scheduler. Forks have no observer.
func (s *Scheduler) Observe(fact func(trace.Fact)) { s.observer = fact }

// Fork is an independent copy; it costs little, whatever the number of pods.
func (s *Scheduler) Fork() *Scheduler {
	f := *s
	f.observer, f.supposing = nil, nil
	f.columns, f.scratch = columns{use: s.columns.use}, scratch{}
	f.state = s.state.Fork()
	f.queue = s.queue.Fork()
	for i := range s.batches {
		s.batches[i].share()
	}
	f.batches, f.signatures = slices.Clone(s.batches), *s.signatures.Copy()
	f.equivalents = s.equivalents.fork()
	f.waiting, f.inPreBind, f.sent = *s.waiting.Copy(), *s.inPreBind.Copy(), *s.sent.Copy()
	if s.home != nil {
		f.home = s.home.Fork(around{&f})
		f.attend()
	}
	return &f
}

// ForkFor is a Fork that decides by other profiles from now on. They differ from its own in their percentage alone:
// what the queue has learned of their plugins stays.
func (s *Scheduler) ForkFor(profiles []*framework.Profile) *Scheduler {
	f := s.Fork()
	f.lanes = lanesOf(profiles)
	return f
}

// Keep sets how much of the truth the next steps keep. It changes no decision.
func (s *Scheduler) Keep(d trace.Detail) { s.detail = d }

// Now is the scheduler's virtual time.
func (s *Scheduler) Now() time.Time { return s.now }

// Cycles is how many cycles have begun, including those of other schedulers that After counts.
func (s *Scheduler) Cycles() int64 { return s.cycles + s.others }

// After numbers the next cycle one higher than cycles, because other schedulers in the cluster have begun cycles too.
// It changes no decision.
func (s *Scheduler) After(cycles int64) { s.others = cycles - s.cycles }

// Name is the schedulerName of its first profile.
func (s *Scheduler) Name() string { return s.lanes[0].SchedulerName }

// State is what the scheduler believes. Read it only.
func (s *Scheduler) State() *cluster.State { return s.state }

// Queue holds the entities that wait. Read it only.
func (s *Scheduler) Queue() *queue.Queue { return s.queue }

// Profiles are all profiles, in the order of the configuration.
func (s *Scheduler) Profiles() []*framework.Profile {
	profiles := make([]*framework.Profile, len(s.lanes))
	for i, l := range s.lanes {
		profiles[i] = l.Profile
	}
	return profiles
}

// Profile is the profile that places pods with that schedulerName.
func (s *Scheduler) Profile(schedulerName string) (*framework.Profile, bool) {
	if l := s.lane(schedulerName); l != nil {
		return l.Profile, true
	}
	return nil, false
}

func (s *Scheduler) lane(schedulerName string) *lane {
	for _, l := range s.lanes {
		if l.SchedulerName == schedulerName {
			return l
		}
	}
	return nil
}

// CanSchedule reports whether an entity is ready, so that Schedule would run a cycle.
func (s *Scheduler) CanSchedule() bool { return s.queue.Ready() }

// Busy reports whether a placed pod waits, for its permission or for what PreBind plugins do, so that time will bring a
// decision about it.
func (s *Scheduler) Busy() bool { return s.waiting.Len()+s.inPreBind.Len() > 0 }

// InFlight reports whether a placed pod is not known to the API server yet: Busy, or its Binding is on its way.
func (s *Scheduler) InFlight() bool { return s.Busy() || s.sent.Len() > 0 }

// Schedule runs one cycle: it takes the next entity from the queue and places it, or finds out why that cannot be
// done. A pod that no profile is responsible for any more is dropped. ok is false, and nothing has happened, when no
// entity is ready.
func (s *Scheduler) Schedule() (effects []Effect, facts []trace.Fact, ok bool) {
	item, popped, ok := s.queue.Pop(s.now)
	if !ok {
		return nil, nil, false
	}
	s.cycles++
	s.state.ForgetWrites()
	if item.Group != nil {
		g := s.groupCycle(item)
		g.facts = append(g.facts, popped...)
		g.run()
		effects, facts = s.carryOut(g.effects, g.facts)
		return effects, facts, true
	}
	c := &cycle{
		scheduler: s, profile: s.lane(item.Pod.API.Spec.SchedulerName), item: item, pod: item.Pod,
		snapshot: s.state.Settle(),
	}
	c.facts = append(make([]trace.Fact, 0, usualFacts+len(popped)), popped...)
	c.run()
	effects, facts = s.carryOut(c.effects, c.facts)
	return effects, facts, true
}

// usualFacts is the number of facts that most cycles do not exceed.
const usualFacts = 32

// Next is the next moment at which something happens by itself: a backoff ends, a timeout strikes.
func (s *Scheduler) Next() (time.Time, bool) {
	at, ok := s.queue.Next(s.now)
	sooner := func(_ string, p placedPod) bool {
		if d := p.nextMove(); !ok || d.Before(at) {
			at, ok = d, true
		}
		return true
	}
	s.waiting.Scan(sooner)
	s.inPreBind.Scan(sooner)
	if s.forgets == 0 {
		return at, ok
	}
	if d, has := s.state.NextExpiry(); has && (!ok || d.Before(at)) {
		at, ok = d, true
	}
	return at, ok
}

// Advance moves virtual time on to a moment that must not lie in the past, and does on the way what time brings.
func (s *Scheduler) Advance(to time.Time) (effects []Effect, facts []trace.Fact) {
	if !to.After(s.now) {
		return nil, nil
	}
	s.state.ForgetWrites()
	facts = append(facts, trace.ClockMoved{From: s.now, To: to})
	for {
		at, ok := s.Next()
		if !ok || at.After(to) {
			break
		}
		at = laterOf(at, s.now)
		facts = append(facts, s.queue.Advance(s.now, s.moment(at))...)
		s.now = at
		for _, p := range s.state.Expired(at) {
			facts = append(facts, s.expire(p)...)
		}
		more, ended := s.expirePermits()
		effects, facts = append(effects, more...), append(facts, ended...)
		more, ended = s.goOnBinding()
		effects, facts = s.carryOut(append(effects, more...), append(facts, ended...))
	}
	facts = append(facts, s.queue.Advance(s.now, s.moment(to))...)
	s.now = to
	return s.carryOut(effects, facts)
}

// moment is a moment with the state and detail that the queue needs.
func (s *Scheduler) moment(at time.Time) queue.Moment {
	return queue.Moment{Now: at, Known: s.state, Detail: s.detail}
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
