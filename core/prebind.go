package core

import (
	"fmt"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// preFlight finds out which plugins of PreBind will have work to do for the pod.
func (c *cycle) preFlight() bool {
	c.enter()
	for _, p := range c.profile.PreBind {
		switch v := p.PreFlight(c.ask(p.Name())); v.Code {
		case trace.Success:
			c.reserved.tasks = append(c.reserved.tasks, task{plugin: p})
		case trace.Skip:
			c.fact(trace.Ran{Point: trace.PhasePreBind, Plugin: p.Name(), Verdict: v})
		default:
			c.fact(trace.Ran{Point: trace.PhasePreBind, Plugin: p.Name(), Verdict: v})
			c.failure = broken(fmt.Sprintf("running PreBindPreFlight %q: %s", p.Name(), v.Message()))
			return false
		}
	}
	return true
}

// preBind runs the plugins whose time has come. done: none has anything left to do; ok is false when one failed, which
// ends the work of the others too.
func (c *cycle) preBind() (done, ok bool) {
	c.enter()
	var left []task
	for _, t := range c.reserved.tasks {
		if t.again.After(c.scheduler.now) {
			left = append(left, t)
			continue
		}
		name := t.plugin.Name()
		ask := c.ask(name)
		ask.Round = t.rounds
		answer := t.plugin.PreBind(ask)
		c.write(trace.PhasePreBind, name, answer.Writes)
		if e := answer.Event; e != nil {
			c.report(Report{Pod: c.pod, Type: "Normal", Reason: e.Reason, Note: e.Note})
		}
		if answer.Hold != nil {
			c.keepHold(name, answer.Hold)
		}
		c.fact(trace.Ran{Point: trace.PhasePreBind, Plugin: name, Verdict: answer.Verdict})
		switch v := answer.Verdict; {
		case v.OK():
		case v.Code == trace.Wait && answer.Again.After(c.scheduler.now):
			left = append(left, task{plugin: t.plugin, rounds: t.rounds + 1, again: answer.Again})
		case v.Code == trace.Wait:
			panic("PreBind of " + name + " waits for a moment that is over")
		default:
			c.breaks("PreBind", name, v.Message())
			return false, false
		}
	}
	c.reserved.tasks = left
	return len(left) == 0, true
}

// goOnBinding runs the PreBind plugins whose time has come, pod by pod in order of arrival.
func (s *Scheduler) goOnBinding() (effects []Effect, facts []trace.Fact) {
	for _, p := range inOrder(&s.inPreBind) {
		if p.nextMove().After(s.now) {
			continue
		}
		s.inPreBind.Delete(p.pod.UID())
		c := s.resume(p)
		c.goOn()
		effects, facts = append(effects, c.effects...), append(facts, c.facts...)
	}
	return effects, facts
}

// InPreBind lists the pods for which PreBind plugins work, in order of arrival.
func (s *Scheduler) InPreBind() []*cluster.Pod {
	all := inOrder(&s.inPreBind)
	pods := make([]*cluster.Pod, len(all))
	for i, p := range all {
		pods[i] = p.pod
	}
	return pods
}

// cancelPreBind ends the work of PreBind plugins for a pod, as preemption does (1.37): the pod fails with that reason.
// false when no plugin works for it.
func (s *Scheduler) cancelPreBind(uid, reason string) (effects []Effect, facts []trace.Fact, ok bool) {
	p, ok := s.inPreBind.Delete(uid)
	if !ok {
		return nil, nil, false
	}
	c := s.resume(p)
	c.breaks("PreBind", p.reserved.tasks[0].plugin.Name(), reason)
	c.fail()
	return c.effects, c.facts, true
}

// write makes the effects for the objects that a plugin wants written.
func (c *cycle) write(point trace.Phase, plugin string, writes []framework.Write) {
	for _, w := range writes {
		kind, _ := cluster.KindOf(w.Object)
		c.fact(trace.Wrote{
			Point: point, Plugin: plugin, Action: w.Action.String(), Kind: string(kind), Object: cluster.Key(w.Object),
			Note: w.Note,
		})
		c.effects = append(c.effects, Write{Pod: c.pod, Plugin: plugin, Write: w})
		if w.Action == cluster.Update {
			c.scheduler.state.NoteWrite(w.Object)
		}
	}
}
