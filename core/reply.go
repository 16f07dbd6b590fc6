package core

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Reply is the result of an effect, where no event of the cluster shows it. The types below are all there are. A reply
// about something that is over already changes nothing, so it does not matter whether the reply or the event about the
// same thing arrives first.
type Reply interface {
	// String is the reply in one line.
	String() string
	reply()
}

// BindingRefused means that the API server rejected a Bind: the pod is forgotten and tried again later.
type BindingRefused struct {
	Bind   Bind
	Reason string
}

// BindingMade means that the API server took a Bind, and that no event has shown it yet. A release that forgets assumed
// pods after a time counts from here (framework.Behaviour.Forgets); others ignore it.
type BindingMade struct{ Bind Bind }

// WriteRefused means that the API server rejected a Write. A pod on its way to its node, for which it was, is forgotten
// and tried again later; a write for another purpose is not requested again.
type WriteRefused struct {
	Write  Write
	Reason string
}

// EvictionDone means that the world has done all that it will do with an Evict, and that no event will show it: the
// preemptor does not wait for this victim any more.
type EvictionDone struct{ Evict Evict }

// EvictionRefused means that the API server rejected an Evict: the preemptor waits for none of its victims any more,
// and tries again at once.
type EvictionRefused struct{ Evict Evict }

// PermitAllowed takes a plugin's hold off a pod that waits at Permit. The pod is bound when no other plugin holds it.
type PermitAllowed struct {
	Pod    string // namespace/name
	Plugin string
}

// PermitRejected ends a pod's wait at Permit: the pod fails, rejected by that plugin.
type PermitRejected struct {
	Pod    string // namespace/name
	Plugin string
	Reason string
}

// PreBindCancelled ends the work of PreBind plugins for a pod, as preemption does (1.37): the pod fails with that
// reason.
type PreBindCancelled struct {
	UID    string // of the pod
	Reason string
}

// Answer takes in a reply. The effects that follow from it are returned as Apply returns them.
func (s *Scheduler) Answer(r Reply) (effects []Effect, facts []trace.Fact) {
	return s.carryOut(s.take(r))
}

// take is Answer without what guests make of it.
func (s *Scheduler) take(r Reply) (effects []Effect, facts []trace.Fact) {
	switch r := r.(type) {
	case BindingRefused:
		return s.bindingRefused(r)
	case BindingMade:
		s.bindingMade(r)
	case WriteRefused:
		return s.writeRefused(r)
	case EvictionDone:
		s.state.StopPreempting(r.Evict.UID, r.Evict.Pod)
	case EvictionRefused:
		if s.state.EndPreempting(r.Evict.UID) {
			return nil, s.queue.Activate([]*cluster.Pod{r.Evict.For}, s.moment(s.now))
		}
	case PermitAllowed:
		return s.allow(r.Pod, r.Plugin)
	case PermitRejected:
		return s.reject(r.Pod, r.Plugin, r.Reason)
	case PreBindCancelled:
		effects, facts, _ = s.cancelPreBind(r.UID, r.Reason)
	}
	return effects, facts
}

// bindingMade begins the time after which an assumed pod is forgotten. After the pod was seen on its node it does
// nothing.
func (s *Scheduler) bindingMade(r BindingMade) {
	p, sent := s.sent.Get(r.Bind.Pod.Key)
	if sent && p.pod.UID() == r.Bind.Pod.UID() && s.forgets > 0 {
		s.state.AssumeUntil(r.Bind.Pod.Key, s.now.Add(s.forgets))
	}
}

// bindingRefused fails a pod that the world was to bind. After the pod was seen on its node it does nothing.
func (s *Scheduler) bindingRefused(r BindingRefused) (effects []Effect, facts []trace.Fact) {
	p, sent := s.sent.Delete(r.Bind.Pod.Key)
	if !sent {
		return nil, nil
	}
	c := s.resume(p)
	c.refuse(r.Bind.Plugin, r.Reason)
	c.fail()
	return c.effects, c.facts
}

// writeRefused fails a pod that is at PreBind, or that was to be bound in the same breath. A pod that is over with
// either has no more use for the write.
func (s *Scheduler) writeRefused(r WriteRefused) (effects []Effect, facts []trace.Fact) {
	if r.Write.Pod == nil {
		return nil, nil
	}
	p, there := s.inPreBind.Delete(r.Write.Pod.UID())
	if !there {
		if p, there = s.sent.Get(r.Write.Pod.Key); !there || p.pod.UID() != r.Write.Pod.UID() {
			return nil, nil
		}
		s.sent.Delete(p.pod.Key)
	}
	c := s.resume(p)
	c.breaks("PreBind", r.Write.Plugin, r.Reason)
	c.fail()
	return c.effects, c.facts
}

// String names the pod, its node and the reason.
func (r BindingRefused) String() string { return r.Bind.String() + ": refused: " + r.Reason }

// String names the pod and its node.
func (r BindingMade) String() string { return r.Bind.String() + ": made" }

// String names the object, what the write was for and the reason.
func (r WriteRefused) String() string { return r.Write.String() + ": refused: " + r.Reason }

// String names the victim and the preemptor.
func (r EvictionDone) String() string { return r.Evict.String() + ": done" }

// String names the victim and the preemptor.
func (r EvictionRefused) String() string { return r.Evict.String() + ": refused" }

// String names the plugin and the pod.
func (r PermitAllowed) String() string { return r.Plugin + " allows " + r.Pod }

// String names the plugin, the pod and the reason.
func (r PermitRejected) String() string { return r.Plugin + " rejects " + r.Pod + ": " + r.Reason }

// String names the pod and the reason.
func (r PreBindCancelled) String() string {
	return "PreBind of " + r.UID + " is cancelled: " + r.Reason
}

func (BindingRefused) reply()   {}
func (BindingMade) reply()      {}
func (WriteRefused) reply()     {}
func (EvictionDone) reply()     {}
func (EvictionRefused) reply()  {}
func (PermitAllowed) reply()    {}
func (PermitRejected) reply()   {}
func (PreBindCancelled) reply() {}
