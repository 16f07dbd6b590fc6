package core

import (
	"fmt"
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// maxPermitWait is the longest a Permit plugin can hold a pod back (1.37).
const maxPermitWait = 15 * time.Minute

type permitWait struct {
	plugin  string
	timeout time.Duration
	until   time.Time
}

// permit decides whether the pod may be bound now. A pod that has to wait leaves the cycle here.
func (c *cycle) permit() bool {
	var waits []permitWait
	for _, p := range c.profile.Permit {
		c.enter()
		answer := p.Permit(framework.PermitAsk{
			Pod: c.pod, Node: c.choice.host.Name, Waiting: c.scheduler.Waiting(), Known: c.scheduler.state,
		})
		f := trace.Ran{Point: trace.PhasePermit, Plugin: p.Name(), Verdict: answer.Verdict}
		if answer.Verdict.Code == trace.Wait {
			f.Timeout = min(answer.Timeout, maxPermitWait)
			waits = append(waits, permitWait{p.Name(), f.Timeout, c.scheduler.now.Add(f.Timeout)})
		}
		c.fact(f)
		for _, key := range answer.Allow {
			effects, facts := c.scheduler.allow(key, p.Name())
			c.effects, c.facts = append(c.effects, effects...), append(c.facts, facts...)
		}
		switch v := answer.Verdict; {
		case v.OK(), v.Code == trace.Wait:
		case v.Code.Rejects():
			c.failure = rejectedOnHost(p.Name(), v)
			return false
		default:
			c.breaks("Permit", p.Name(), v.Message())
			return false
		}
	}
	c.reserved.waits = waits
	return true
}

// Waiting lists the pods that wait at Permit, in order of arrival.
func (s *Scheduler) Waiting() []*cluster.Pod {
	all := inOrder(&s.waiting)
	pods := make([]*cluster.Pod, len(all))
	for i, w := range all {
		pods[i] = w.pod
	}
	return pods
}

// allow takes a plugin's hold off a pod that waits at Permit, and binds the pod when no other plugin holds it.
func (s *Scheduler) allow(key, plugin string) (effects []Effect, facts []trace.Fact) {
	w, ok := s.waiting.Get(key)
	if !ok {
		return nil, nil
	}
	w.reserved.waits = slices.DeleteFunc(slices.Clone(w.reserved.waits), func(p permitWait) bool {
		return p.plugin == plugin
	})
	if len(w.reserved.waits) > 0 {
		s.waiting.Set(key, w)
		return nil, nil
	}
	s.waiting.Delete(key)
	c := s.resume(w)
	c.finish()
	return c.effects, c.facts
}

// reject ends a pod's wait at Permit against it.
func (s *Scheduler) reject(key, plugin, reason string) (effects []Effect, facts []trace.Fact) {
	w, ok := s.waiting.Delete(key)
	if !ok {
		return nil, nil
	}
	c := s.resume(w)
	c.failure = rejectedOnHost(plugin, trace.Verdict{Code: trace.Unschedulable, Reasons: []string{reason}})
	c.fail()
	return c.effects, c.facts
}

// expirePermits rejects the pods whose wait at Permit has been too long, in order of arrival. What guests do because of
// one comes before the next: in kube-scheduler no two waits begin, or end, at one moment.
func (s *Scheduler) expirePermits() (effects []Effect, facts []trace.Fact) {
	for _, p := range s.Waiting() {
		w, waits := s.waiting.Get(p.Key)
		if !waits {
			continue // a guest has rejected it meanwhile
		}
		for _, wait := range w.reserved.waits {
			if s.now.Before(wait.until) {
				continue
			}
			e, f := s.reject(p.Key, wait.plugin, fmt.Sprintf(
				"rejected due to timeout after waiting %v at plugin %v", wait.timeout, wait.plugin,
			))
			effects, facts = s.carryOut(append(effects, e...), append(facts, f...))
			break
		}
	}
	return effects, facts
}
