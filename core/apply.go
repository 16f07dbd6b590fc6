package core

import (
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// The events about pods that have a node.
var (
	assignedPodAdd    = cluster.ClusterEvent{Resource: cluster.AssignedPod, Action: cluster.Added}
	assignedPodDelete = cluster.ClusterEvent{Resource: cluster.AssignedPod, Action: cluster.Deleted}
)

// unscheduledPodAdd wakes pods only where pod groups are entities: no other plugin waits for it.
var unscheduledPodAdd = cluster.ClusterEvent{Resource: cluster.UnscheduledPod, Action: cluster.Added}

// Apply takes in one event of the cluster: the state changes, and the queue learns which pods it may help.
func (s *Scheduler) Apply(e cluster.Event) (effects []Effect, facts []trace.Fact) {
	for _, change := range s.state.Apply(e) {
		effects, facts = s.learn(&change, effects, facts)
	}
	return s.carryOut(effects, facts)
}

func (s *Scheduler) learn(change *cluster.Change, effects []Effect, facts []trace.Fact) ([]Effect, []trace.Fact) {
	observed := trace.Observed{
		Action: change.Action.String(), Kind: string(change.Kind), Object: objectKey(change), Note: change.Ignored,
	}
	if change.Odd != "" {
		observed.Note = change.Odd
	}
	at := len(facts)
	facts = append(facts, observed)
	if change.Ignored != "" {
		return effects, facts
	}
	s.outdateBy(change)
	if s.home != nil {
		s.home.See(change)
	}
	var events []cluster.ClusterEvent
	if change.Kind == cluster.KindPod {
		a := arrival{scheduler: s, change: change, effects: effects, facts: facts}
		a.pod()
		effects, facts, events = a.effects, a.facts, a.events
		if a.odd != "" {
			observed.Note = a.odd
		}
	} else {
		events = change.Events()
		if s.groups && change.Kind == cluster.KindPodGroup {
			facts = append(facts, s.regroup(change)...)
		}
		for _, e := range events {
			facts = append(facts, s.wake(e, change, nil)...)
		}
	}
	for _, e := range events {
		observed.Events = append(observed.Events, e.Label())
	}
	facts[at] = observed
	return effects, facts
}

func objectKey(c *cluster.Change) string {
	if c.New != nil {
		return cluster.Key(c.New)
	}
	return cluster.Key(c.Old)
}

// wake has the queue requeue the pods that an event may help.
func (s *Scheduler) wake(e cluster.ClusterEvent, change *cluster.Change, only func(*queue.Item) bool) []trace.Fact {
	concerned, heard := s.lanes[0].Behaviour.EventScope.Concerned(e, change, s.state)
	if !heard {
		return nil
	}
	if only == nil {
		only = concerned
	}
	return s.queue.Wake(queue.Ask{Event: e, Change: change, Only: only}, s.moment(s.now))
}

// regroup passes a PodGroup that was added, changed or deleted to the queue.
func (s *Scheduler) regroup(change *cluster.Change) []trace.Fact {
	before, _ := change.Old.(*schedulingv1beta1.PodGroup)
	after, _ := change.New.(*schedulingv1beta1.PodGroup)
	switch {
	case before == nil:
		return s.queue.AddGroup(after, s.moment(s.now))
	case after == nil:
		return s.queue.DeleteGroup(before)
	}
	s.queue.UpdateGroup(after)
	return nil
}

// arrival passes the change of one pod on to the queue, as kube-scheduler's event handlers do (1.37, eventhandlers.go).
type arrival struct {
	scheduler *Scheduler
	change    *cluster.Change
	effects   []Effect
	facts     []trace.Fact
	events    []cluster.ClusterEvent
	odd       phrase.Text // what no API server tells, and what is made of it
}

func (a *arrival) pod() {
	old, new := a.change.OldPod, a.change.NewPod
	switch {
	case old == nil && new.NodeName != "":
		a.scheduler.state.Join(new)
		a.wake(assignedPodAdd, nil)
	case old == nil:
		a.added(new)
	case new == nil && old.NodeName != "":
		a.scheduler.state.Leave(old)
		a.wake(assignedPodDelete, nil)
	case new == nil:
		a.deleted(old)
	case old.NodeName != "":
		for _, e := range cluster.PodEvents(old, new, cluster.AssignedPod) {
			a.wake(e, nil)
		}
	case new.NodeName != "":
		a.bound(old)
	default:
		a.updated(old, new)
	}
}

func (a *arrival) fact(facts []trace.Fact) { a.facts = append(a.facts, facts...) }

func (a *arrival) wake(e cluster.ClusterEvent, only func(*queue.Item) bool) {
	a.events = append(a.events, e)
	a.fact(a.scheduler.wake(e, a.change, only))
}

// mine reports whether some profile places the pod.
func (a *arrival) mine(p *cluster.Pod) bool {
	_, ok := a.scheduler.Profile(p.API.Spec.SchedulerName)
	return ok
}

func (a *arrival) added(p *cluster.Pod) {
	if !a.mine(p) {
		return
	}
	a.scheduler.state.Join(p)
	a.scheduler.sign(p)
	a.fact(a.scheduler.queue.Add(p, a.scheduler.moment(a.scheduler.now)))
	if a.scheduler.groups {
		a.wake(unscheduledPodAdd, nil)
	}
}

// bound is a pod that found its node, by our doing or another's. To pods that wait it is a new pod, as it is to
// kube-scheduler's handler of placed pods, which never saw it without its node.
func (a *arrival) bound(old *cluster.Pod) {
	a.scheduler.unsign(old)
	if p, was := a.scheduler.sent.Delete(old.Key); was {
		a.fact(a.scheduler.letGo(p))
	}
	if p, was := a.scheduler.inPreBind.Delete(old.UID()); was {
		a.fact(a.scheduler.letGo(p))
	}
	if p, was := a.scheduler.waiting.Delete(old.Key); was {
		a.scheduler.queue.Done(old.UID())
		a.fact(a.scheduler.letGo(p))
	}
	a.scheduler.state.Join(a.change.NewPod)
	placed := &cluster.Change{Kind: cluster.KindPod, Action: cluster.Add, NewPod: a.change.NewPod, New: a.change.New}
	a.events = append(a.events, assignedPodAdd)
	a.fact(a.scheduler.wake(assignedPodAdd, placed, nil))
	if a.mine(old) {
		on := phrase.Textf("it is on %s", a.change.NewPod.NodeName)
		a.fact(a.scheduler.queue.Delete(old, on, a.scheduler.moment(a.scheduler.now)))
	}
}

// updated is a pod without a node that changed. Whose schedulerName it had before decides, as in kube-scheduler 1.37: a
// pod that another scheduler gives away is queued by no scheduler, and one that is given away stays queued until its
// turn.
func (a *arrival) updated(old, new *cluster.Pod) {
	switch was, is := a.mine(old), a.mine(new); {
	case was && !is:
		a.odd = "its schedulerName is none of ours now; kube-scheduler drops it when its turn comes"
	case is && !was:
		a.odd = "its schedulerName was none of ours; kube-scheduler does not queue it before it is added anew"
	}
	if !a.mine(old) || old.API.ResourceVersion == new.API.ResourceVersion && old.API.ResourceVersion != "" {
		return
	}
	if a.change.WasAssumed {
		if new.Terminating() && !old.Terminating() {
			a.assumedGone(new)
		}
		return
	}
	a.scheduler.sign(new)
	a.fact(a.scheduler.queue.Update(old, new, a.change, a.scheduler.moment(a.scheduler.now)))
	if old.Nominated != new.Nominated {
		a.unnominated(old)
	}
}

func (a *arrival) deleted(old *cluster.Pod) {
	if !a.mine(old) {
		return
	}
	a.scheduler.unsign(old)
	// The queue also runs the PreEnqueue plugins of the other pods of its group (1.37).
	a.fact(a.scheduler.queue.Delete(old, "it was deleted", a.scheduler.moment(a.scheduler.now)))
	a.scheduler.state.Leave(old)
	if a.change.WasAssumed {
		a.assumedGone(old)
		return
	}
	a.unnominated(old)
}

// unnominated is a pod whose nomination was removed. It wakes the pods that are not more important than it: filters
// counted this pod on the node for them.
func (a *arrival) unnominated(old *cluster.Pod) {
	profile, _ := a.scheduler.Profile(old.API.Spec.SchedulerName)
	if old.Nominated != "" && !profile.Behaviour.NominationRemovalWakesNoPod {
		a.wake(assignedPodDelete, noMoreImportantThan(old))
	}
}

// assumedGone is a pod that is being deleted, or is gone, while it was on its way to its node.
func (a *arrival) assumedGone(p *cluster.Pod) {
	there, _ := a.scheduler.state.Assumed(p.Key)
	if _, waits := a.scheduler.waiting.Get(p.Key); waits {
		effects, facts := a.scheduler.reject(p.Key, "", "")
		a.effects = append(a.effects, effects...)
		a.fact(facts)
	} else {
		a.fact(a.scheduler.forget(p.Key, "the pod is deleted"))
	}
	a.events = append(a.events, assignedPodDelete)
	change := &cluster.Change{Kind: cluster.KindPod, Action: cluster.Delete, OldPod: there, Old: there.API}
	a.fact(a.scheduler.wake(assignedPodDelete, change, nil))
}

// forget drops the belief in an assumed pod.
func (s *Scheduler) forget(key string, reason phrase.Text) []trace.Fact {
	p, was := s.state.Forget(key)
	facts := s.unsent(key)
	if !was {
		return facts
	}
	return append(facts, trace.Forgotten{Pod: key, Node: p.NodeName, Reason: reason})
}

// expire drops the belief in an assumed pod whose binding was made long ago.
func (s *Scheduler) expire(p *cluster.Pod) []trace.Fact {
	s.state.Forget(p.Key)
	return append(s.unsent(p.Key), trace.Expired{Pod: p.Key, Node: p.NodeName, After: s.forgets})
}

// unsent ends what was kept for a pod that was handed to the world to be bound.
func (s *Scheduler) unsent(key string) []trace.Fact {
	placed, was := s.sent.Delete(key)
	if !was {
		return nil
	}
	return s.letGo(placed)
}

// noMoreImportantThan selects the pods that treated p as if it were on its nominated node.
func noMoreImportantThan(p *cluster.Pod) func(*queue.Item) bool {
	return func(o *queue.Item) bool { return o.Pod.Priority <= p.Priority }
}
