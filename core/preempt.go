package core

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// evictions are the victims that have to be told to go, in order: those that are going already need no telling. While
// they are being told, the preemptor waits (see cluster.State.Preempting), also if something wakes it before its own
// cycle is over.
func (c *cycle) evictions() []*cluster.Pod {
	var staying []*cluster.Pod
	for _, victim := range c.failure.victims {
		if !victim.Terminating() {
			staying = append(staying, victim)
		}
	}
	if len(staying) > 0 {
		c.state.Preempts(c.pod, staying[len(staying)-1])
	}
	return staying
}

// evict makes room on the nominated node (prepareCandidateAsync, 1.37): less important pods nominated there have to
// look elsewhere, then the victims go, the last one after all others. A victim that has its place but is not bound yet
// is not deleted: it loses its place and goes back to the queue. When that is the last one, no event will tell that the
// room is free, and the preemptor is made to try again.
func (c *cycle) evict(victims []*cluster.Pod) {
	if len(victims) == 0 {
		return
	}
	node := c.failure.nomination.Node
	c.clearNominations(node)
	for i, victim := range victims {
		note := "Preempted by pod " + c.pod.UID() + " on node " + node
		effects, facts, displaced := c.displace(victim, c.failure.by)
		c.effects, c.facts = append(c.effects, effects...), append(c.facts, facts...)
		if !displaced {
			c.effects = append(c.effects, Evict{
				Pod: victim, For: c.pod, Reason: corev1.PodReasonPreemptionByScheduler,
				Message: c.profile.SchedulerName + ": preempting to accommodate a higher priority pod",
			})
			c.report(Report{Pod: victim, Type: "Normal", Reason: "Preempted", Note: note})
			continue
		}
		c.report(Report{Pod: victim, Type: "Normal", Reason: "Preempted", Note: note + " (in kube-scheduler memory)."})
		if i == len(victims)-1 {
			c.state.StopPreempting(c.pod, victim)
			c.facts = append(c.facts, c.queue.Activate([]*cluster.Pod{c.pod}, c.moment(c.now))...)
		}
	}
}

// clearNominations asks for the nominations of less important pods to the node to be taken back. The queue follows
// when the pods change, as for any other nomination.
func (c *cycle) clearNominations(node string) {
	for _, p := range c.queue.Nominated(node) {
		if p.Priority < c.pod.Priority && p.Nominated != "" {
			c.effects = append(c.effects, Nominate{Pod: p})
		}
	}
}

// displace takes the place from a pod that waits at Permit, or for which PreBind plugins work; false for any other. No
// plugin has rejected it, so it is tried again after its backoff.
func (s *Scheduler) displace(victim *cluster.Pod, plugin string) (effects []Effect, facts []trace.Fact, ok bool) {
	w, ok := s.waiting.Delete(victim.Key)
	if !ok {
		return s.CancelPreBind(victim.UID(), "preempted by "+plugin)
	}
	c := s.resume(w)
	c.failure = broken("waiting on permit for pod: preempted")
	c.fail()
	return c.effects, c.facts, true
}

// Evicted tells the scheduler that the world carried out an eviction, or found nobody to evict, and that no event will
// say so: the preemptor waits for it no longer.
func (s *Scheduler) Evicted(e Evict) { s.state.StopPreempting(e.For, e.Pod) }

// Spare tells the scheduler that an eviction it asked for was turned down: the preemptor waits for none of its victims
// any more and tries again at once. After the last victim was seen leaving it does nothing.
func (s *Scheduler) Spare(e Evict) []trace.Fact {
	if !s.state.EndPreempting(e.For) {
		return nil
	}
	return s.queue.Activate([]*cluster.Pod{e.For}, s.moment(s.now))
}
