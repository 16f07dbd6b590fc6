package core

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// beneficiary is in whose favour pods are evicted.
type beneficiary struct {
	kind     trace.EntityKind
	uid      string
	pod      *cluster.Pod // of a group its first
	priority int32
	node     string // where room is made; "cluster" for a group
	by       string // the plugin that chose the victims
	profile  *lane
}

// staying are the victims that are still to be deleted, in order: some may be terminating already.
func staying(victims []*cluster.Pod) []*cluster.Pod {
	var staying []*cluster.Pod
	for _, victim := range victims {
		if !victim.Terminating() {
			staying = append(staying, victim)
		}
	}
	return staying
}

// holdBack makes the beneficiary wait while its victims are being deleted (see cluster.State.Preempting), also if an
// event requeues it before its own cycle is over.
func (s *Scheduler) holdBack(uid string, victims []*cluster.Pod) {
	if len(victims) > 0 {
		s.state.Preempts(uid, victims[len(victims)-1])
	}
}

// evict makes room (prepareCandidateAsync, 1.37): less important pods nominated to the node have to look elsewhere,
// then the victims go, the last one after all others. A victim that has its place but is not bound yet is not deleted:
// it loses its place and returns to the queue. When that is the last one, no event will report that the room is free,
// so the beneficiary is moved to activeQ.
func (s *Scheduler) evict(victims []*cluster.Pod, gains beneficiary) (effects []Effect, facts []trace.Fact) {
	if len(victims) == 0 {
		return nil, nil
	}
	effects = s.clearNominations(gains)
	report := func(victim *cluster.Pod, note string) {
		r := Report{Pod: victim, Type: "Normal", Reason: "Preempted", Note: note}
		facts = append(facts, r.fact())
		effects = append(effects, r)
	}
	for i, victim := range victims {
		note := gains.profile.Behaviour.Message.Preempted(gains.kind, gains.uid, gains.pod, gains.node)
		more, happened, displaced := s.displace(victim, gains.by)
		effects, facts = append(effects, more...), append(facts, happened...)
		if !displaced {
			effects = append(effects, Evict{
				Pod: victim, For: gains.pod, UID: gains.uid, Reason: corev1.PodReasonPreemptionByScheduler,
				Message: gains.profile.SchedulerName + ": preempting to accommodate a higher priority " + string(gains.kind),
			})
			report(victim, note)
			continue
		}
		report(victim, note+" (in kube-scheduler memory).")
		if i == len(victims)-1 {
			s.state.StopPreempting(gains.uid, victim)
			facts = append(facts, s.queue.Activate([]*cluster.Pod{gains.pod}, s.moment(s.now))...)
		}
	}
	return effects, facts
}

// clearNominations returns effects that clear the nominations of less important pods to the node. The queue follows
// when the pods change, as for any other nomination.
func (s *Scheduler) clearNominations(gains beneficiary) []Effect {
	var effects []Effect
	for _, p := range s.queue.Nominated(gains.node) {
		if p.Priority < gains.priority && p.Nominated != "" {
			effects = append(effects, Nominate{Pod: p})
		}
	}
	return effects
}

// displace takes the place from a pod that waits at Permit, or for which PreBind plugins work; false for any other. No
// plugin has rejected it, so it is tried again after its backoff.
func (s *Scheduler) displace(victim *cluster.Pod, plugin string) (effects []Effect, facts []trace.Fact, ok bool) {
	w, ok := s.waiting.Delete(victim.Key)
	if !ok {
		return s.cancelPreBind(victim.UID(), "preempted by "+plugin)
	}
	c := s.resume(w)
	c.failure = broken("waiting on permit for pod: preempted")
	c.fail()
	return c.effects, c.facts, true
}
