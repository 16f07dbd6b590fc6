package core

import (
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// around is what the home of guests sees of a scheduler.
type around struct{ of *Scheduler }

// Now is virtual time.
func (a around) Now() time.Time { return a.of.now }

// State is the scheduler's.
func (a around) State() *cluster.State { return a.of.state }

// Nominated is the queue's.
func (a around) Nominated(node string) []*cluster.Pod { return a.of.queue.Nominated(node) }

// Opening is what the options return.
func (a around) Opening() []cluster.Object {
	if a.of.opening == nil {
		return nil
	}
	return a.of.opening()
}

// Cycles is the scheduler's.
func (a around) Cycles() int64 { return a.of.cycles }

// Waiting lists the pods that wait at Permit.
func (a around) Waiting() []framework.Waiting {
	all := inOrder(&a.of.waiting)
	waiting := make([]framework.Waiting, len(all))
	for i, p := range all {
		waiting[i].Pod = p.pod
		for _, w := range p.reserved.waits {
			waiting[i].Plugins = append(waiting[i].Plugins, w.plugin)
		}
	}
	return waiting
}

// found makes the home of the guests that the profiles have, if they have any.
func (s *Scheduler) found(profiles []*framework.Profile) {
	s.home = framework.FoundHome(profiles, around{s})
	s.attend()
}

// attend puts the home beside the State.
func (s *Scheduler) attend() {
	if s.home != nil {
		s.state.Attend(s.home)
	}
}

// refill has the guests begin again with the State as it is, which is another than they know.
func (s *Scheduler) refill() {
	if s.home != nil {
		s.attend()
		s.home.Refill()
	}
}

// GuestNotes are sentences about plugins with a memory that a reader of their answers has to know.
func (s *Scheduler) GuestNotes() []string {
	if s.home == nil {
		return nil
	}
	return s.home.Notes()
}

// GuestsPart returns the first call to which a guest answered otherwise than in another scheduler, which was played the
// same; false: there is none.
func (s *Scheduler) GuestsPart(from *Scheduler) (framework.Parting, bool) {
	if s.home == nil || from.home == nil {
		return framework.Parting{}, false
	}
	return s.home.Parts(from.home)
}

// Heed has calls of guests given up that do not come to an end when done is closed, until back is called. Forks of the
// scheduler share it: a user that ends a move waits for none of them.
func (s *Scheduler) Heed(done <-chan struct{}) (back func()) {
	if s.home == nil {
		return func() {}
	}
	before := s.home.Heed(done)
	return func() { s.home.Heed(before) }
}

// forkToTry is a Fork for tries that are undone. Its guests are those of the original until back is called: in
// kube-scheduler there is one instance of each plugin, which remembers what was tried.
func (s *Scheduler) forkToTry() (f *Scheduler, back func()) {
	home := s.home
	s.home = nil
	f = s.Fork()
	s.home = home
	if home == nil {
		return f, func() {}
	}
	f.home = home // the State has it beside it, as that of the original has
	return f, home.Lend(around{f})
}

// enter announces that the plugins are called for the pod of the cycle from here on.
func (c *cycle) enter() {
	if c.scheduler.home != nil && c.profile != nil {
		c.scheduler.home.Continue(c.pod, c.profile.SchedulerName)
	}
}

// begun is enter for an attempt that begins.
func (c *cycle) begun() {
	if c.scheduler.home != nil {
		c.scheduler.home.Begin(c.pod, c.profile.SchedulerName, c.snapshot)
	}
}

// restless is how many times in one step what guests do may make them do more.
const restless = 1000

// carryOut does what guests did besides answering, and what they do because of that.
func (s *Scheduler) carryOut(effects []Effect, facts []trace.Fact) ([]Effect, []trace.Fact) {
	if s.home == nil {
		return effects, facts
	}
	for range restless {
		acts := s.home.Acts()
		if len(acts) == 0 {
			break
		}
		for _, a := range acts {
			more, happened := s.act(a)
			effects, facts = append(effects, more...), append(facts, happened...)
		}
	}
	return effects, facts
}

func (s *Scheduler) act(a framework.Act) ([]Effect, []trace.Fact) {
	switch a := a.(type) {
	case framework.AllowWaiting:
		return s.allow(a.Pod, a.Plugin)
	case framework.RejectWaiting:
		return s.reject(a.Pod, a.Plugin, a.Reason)
	case framework.ActivatePods:
		var pods []*cluster.Pod
		for _, key := range a.Pods {
			if p, known := s.state.Pod(key); known {
				pods = append(pods, p)
			}
		}
		return nil, s.queue.Activate(pods, s.moment(s.now))
	case framework.NominatePod:
		if p, known := s.state.Pod(a.Pod); known && p.UID() == a.UID {
			return nil, s.queue.Nominate(p, a.Node, s.state)
		}
	case framework.WriteObject:
		c := &cycle{scheduler: s, pod: a.Pod}
		c.write(trace.PhaseCluster, a.Plugin, []framework.Write{a.Write})
		return c.effects, c.facts
	case framework.RecordEvent:
		r := Report{Pod: a.Pod, Type: a.Type, Reason: a.Reason, Note: Note(a.Note)}
		return []Effect{r}, []trace.Fact{r.fact()}
	case framework.EvictPod:
		return s.evictBy(a)
	}
	return nil, nil
}

// evictBy deletes a pod that a guest deleted for no cycle of its own.
func (s *Scheduler) evictBy(a framework.EvictPod) ([]Effect, []trace.Fact) {
	gains := a.For
	if gains == nil {
		gains = a.Pod
	}
	fact := trace.Wrote{
		Point: trace.PhaseCluster, Plugin: a.Plugin, Action: cluster.Delete.String(), Kind: string(cluster.KindPod),
		Object: a.Pod.Key, Note: "the plugin deleted it",
	}
	return []Effect{Evict{
		Pod: a.Pod, For: gains, UID: gains.UID(), Message: "deleted by plugin " + a.Plugin,
	}}, []trace.Fact{fact}
}

// bindBy calls one Bind plugin.
func (c *cycle) bindBy(p framework.BindPlugin, node string) trace.Verdict {
	if g, is := p.(framework.GuestBinder); is {
		return g.BindGuest(c.ask(p.Name()))
	}
	return p.Bind(c.pod, node)
}

// followBind calls one PostBind plugin.
func (c *cycle) followBind(p framework.PostBindPlugin, node string) {
	if g, is := p.(framework.GuestFollower); is {
		g.PostBindGuest(c.ask(p.Name()))
		return
	}
	p.PostBind(c.pod, node)
}

// unreserveGuests has guests give back what they took for a try that is undone, as if it had never been. Other plugins
// keep nothing but what their Hold has.
func (c *cycle) unreserveGuests() {
	if c.scheduler.home == nil {
		return
	}
	for i := len(c.profile.Reserve) - 1; i >= 0; i-- {
		if g, is := c.profile.Reserve[i].(framework.Guest); is {
			c.enter()
			c.profile.Reserve[i].Unreserve(c.ask(g.Name()))
		}
	}
}
