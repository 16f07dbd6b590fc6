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

// permit asks whether the pod may be bound now. A pod that has to wait leaves the cycle here.
func (c *cycle) permit() bool {
	var waits []permitWait
	for _, p := range c.profile.Permit {
		answer := p.Permit(framework.PermitAsk{Pod: c.pod, Node: c.host.Name, Waiting: c.Waiting(), Known: c.state})
		f := trace.Ran{Point: trace.PhasePermit, Plugin: p.Name(), Verdict: answer.Verdict}
		if answer.Verdict.Code == trace.Wait {
			f.Timeout = min(answer.Timeout, maxPermitWait)
			waits = append(waits, permitWait{p.Name(), f.Timeout, c.now.Add(f.Timeout)})
		}
		c.fact(f)
		for _, key := range answer.Allow {
			c.allow(key, p.Name())
		}
		switch v := answer.Verdict; {
		case v.OK(), v.Code == trace.Wait:
		case v.Code.Rejects():
			c.failure = rejectedOnHost(p.Name(), v)
			return false
		default:
			c.failure = broken(fmt.Sprintf("running Permit plugin %q: %s", p.Name(), v.Message()))
			return false
		}
	}
	c.waits = waits
	return true
}

// bind is what is left when the pod has its place: it goes on at once, or waits for its permission. A pod that is not
// bound in this very moment is nominated on its node meanwhile.
func (c *cycle) bind() {
	c.binding = true
	if !c.preFlight() {
		c.fail()
		return
	}
	if waits := len(c.tasks) > 0 || len(c.waits) > 0; waits && c.pod.Nominated != c.pod.NodeName {
		c.effects = append(c.effects, Nominate{Pod: c.pod, Node: c.pod.NodeName})
		c.announced = true
	}
	if len(c.waits) > 0 {
		c.waiting.Set(c.pod.Key, c.placedPod())
		c.endPlaced(trace.Waiting, "")
		return
	}
	c.finish()
}

// finish goes on with a pod that nobody holds back any more: PreBind, Bind and PostBind. From here on a failure is an
// error, never "unschedulable".
func (c *cycle) finish() {
	c.queue.Done(c.pod.UID())
	c.since = c.now
	c.goOn()
}

// goOn asks the plugins of PreBind whose time has come, and binds the pod when all are done.
func (c *cycle) goOn() {
	switch done, ok := c.preBind(); {
	case !ok:
		c.fail()
	case !done:
		c.inPreBind.Set(c.pod.UID(), c.placedPod())
		c.endPlaced(trace.Waiting, "")
	case c.isThere() && c.bindNow():
		c.endPlaced(trace.Scheduled, assigned(c.pod))
	default:
		c.fail()
	}
}

// isThere says whether the pod still is to be bound: while PreBind worked, it may have gone.
func (c *cycle) isThere() bool {
	p, known := c.state.Pod(c.pod.Key)
	if known && p.UID() == c.pod.UID() {
		c.keepPromises()
		return true
	}
	name := "none"
	if len(c.profile.Bind) > 0 {
		name = c.profile.Bind[0].Name()
	}
	c.failure = broken(fmt.Sprintf("running Bind plugin %q: pods %q not found", name, c.pod.Name()))
	return false
}

// endPlaced closes the cycle of a pod that has its place; after a wait the cycle was closed before.
func (c *cycle) endPlaced(outcome trace.Outcome, message string) {
	if c.resumed {
		return
	}
	c.end(trace.Ended{
		Outcome: outcome, Node: c.pod.NodeName, Message: message, Evaluated: c.reported(), Feasible: len(c.feasible),
	})
}

// assigned is the note of the Scheduled event.
func assigned(p *cluster.Pod) string {
	return fmt.Sprintf("Successfully assigned %s to %s", p.Key, p.NodeName)
}

// bindNow runs Bind and PostBind. An extender that binds stands for all Bind plugins.
func (c *cycle) bindNow() bool {
	node := c.pod.NodeName
	bound, failure := c.askBind()
	if failure != "" {
		c.failure = broken(failure)
		return false
	}
	for _, p := range c.profile.Bind {
		if bound {
			break
		}
		v := p.Bind(c.pod, node)
		c.fact(trace.Ran{Point: trace.PhaseBind, Plugin: p.Name(), Verdict: v})
		if v.Code == trace.Skip {
			continue
		}
		if !v.OK() {
			c.failure = broken(fmt.Sprintf("running Bind plugin %q: %s", p.Name(), v.Message()))
			return false
		}
		c.effects = append(c.effects, Bind{Pod: c.pod, Node: node, Plugin: p.Name()})
		c.sent.Set(c.pod.Key, c.placedPod())
		break
	}
	c.report(Report{Pod: c.pod, Type: "Normal", Reason: "Scheduled", Note: assigned(c.pod)})
	for _, p := range c.profile.PostBind {
		p.PostBind(c.pod, node)
		c.fact(trace.Ran{Point: trace.PhasePostBind, Plugin: p.Name()})
	}
	return true
}

func (c *cycle) report(r Report) {
	c.fact(r.fact())
	c.effects = append(c.effects, r)
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

// allow takes a plugin's hold off a waiting pod, and binds the pod when no other holds it.
func (c *cycle) allow(key, plugin string) {
	effects, facts := c.Allow(key, plugin)
	c.effects, c.facts = append(c.effects, effects...), append(c.facts, facts...)
}

// Allow takes a plugin's hold off a pod that waits at Permit, and binds the pod when no other plugin holds it.
func (s *Scheduler) Allow(key, plugin string) (effects []Effect, facts []trace.Fact) {
	w, ok := s.waiting.Get(key)
	if !ok {
		return nil, nil
	}
	w.waits = slices.DeleteFunc(slices.Clone(w.waits), func(p permitWait) bool { return p.plugin == plugin })
	if len(w.waits) > 0 {
		s.waiting.Set(key, w)
		return nil, nil
	}
	s.waiting.Delete(key)
	c := s.resume(w)
	c.finish()
	return c.effects, c.facts
}

// Reject ends a pod's wait at Permit against it.
func (s *Scheduler) Reject(key, plugin, reason string) (effects []Effect, facts []trace.Fact) {
	w, ok := s.waiting.Delete(key)
	if !ok {
		return nil, nil
	}
	c := s.resume(w)
	c.failure = rejectedOnHost(plugin, trace.Verdict{Code: trace.Unschedulable, Reasons: []string{reason}})
	c.fail()
	return c.effects, c.facts
}

// expirePermits rejects the pods whose wait at Permit has been too long, in order of arrival.
func (s *Scheduler) expirePermits() (effects []Effect, facts []trace.Fact) {
	for _, p := range s.Waiting() {
		w, _ := s.waiting.Get(p.Key)
		for _, wait := range w.waits {
			if s.now.Before(wait.until) {
				continue
			}
			e, f := s.Reject(p.Key, wait.plugin, fmt.Sprintf(
				"rejected due to timeout after waiting %v at plugin %v", wait.timeout, wait.plugin,
			))
			effects, facts = append(effects, e...), append(facts, f...)
			break
		}
	}
	return effects, facts
}
