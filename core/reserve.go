package core

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// assume puts the pod on its host, as far as later cycles are concerned.
func (c *cycle) assume() bool {
	c.pod = c.scheduler.state.Assume(c.pod, c.choice.host.Name)
	c.scheduler.arrival++
	c.placed, c.reserved.arrival = true, c.scheduler.arrival
	c.scheduler.outdate(func(e framework.Equivalence) []framework.Outdated { return e.Placed(c.pod) })
	c.fact(trace.Assumed{Pod: c.pod.Key, Node: c.choice.host.Name})
	c.facts = append(c.facts, c.scheduler.queue.ClearNomination(c.pod)...)
	return true
}

// reserve lets plugins keep what the pod will need on its host.
func (c *cycle) reserve() bool {
	c.enter()
	for i, p := range c.profile.Reserve {
		ask := framework.ReserveAsk{Pod: c.pod, Node: c.choice.host, Known: c.scheduler.state}
		if seat := c.profile.reserves[i]; seat >= 0 {
			ask.Check = c.studied.judge.Checks[seat]
		}
		r := p.Reserve(ask)
		if r.Hold != nil || len(r.Assume) > 0 {
			c.reserved.held = append(c.reserved.held, held{plugin: p.Name(), hold: r.Hold, assumed: r.Assume})
		}
		if len(r.Assume) > 0 {
			c.scheduler.outdate(framework.Equivalence.Supposed)
		}
		v := r.Verdict
		if err := c.believe(p.Name(), r.Assume); err != nil {
			v = trace.Verdict{Code: trace.Error, Reasons: []string{err.Error()}}
		}
		c.fact(trace.Ran{Point: trace.PhaseReserve, Plugin: p.Name(), Verdict: v})
		switch {
		case v.OK():
		case v.Code.Rejects():
			c.failure = rejectedOnHost(p.Name(), v)
			return false
		default:
			c.breaks("Reserve", p.Name(), v.Message())
			return false
		}
	}
	return true
}

// believe takes assumptions of a plugin into the State.
func (c *cycle) believe(plugin string, assumptions []cluster.Assumption) error {
	for _, a := range assumptions {
		if err := c.scheduler.state.AssumeObject(a); err != nil {
			return err
		}
		c.fact(supposed(plugin, a))
	}
	return nil
}

func supposed(plugin string, a cluster.Assumption) trace.Supposed {
	kind, _ := cluster.KindOf(a.Object)
	return trace.Supposed{Plugin: plugin, Kind: string(kind), Object: cluster.Key(a.Object), Note: a.Note}
}

// holdOf is what a plugin holds for the pod.
func (c *cycle) holdOf(plugin string) framework.Hold {
	for i := range c.reserved.held {
		if c.reserved.held[i].plugin == plugin {
			return c.reserved.held[i].hold
		}
	}
	return nil
}

// keepHold replaces what a plugin holds for the pod.
func (c *cycle) keepHold(plugin string, h framework.Hold) {
	c.reserved.held = slices.Clone(c.reserved.held)
	for i := range c.reserved.held {
		if c.reserved.held[i].plugin == plugin {
			c.reserved.held[i].hold = h
			return
		}
	}
	c.reserved.held = append(c.reserved.held, held{plugin: plugin, hold: h})
}

// unreserve lets every plugin of Reserve give back what it holds, in reverse order.
func (c *cycle) unreserve() {
	c.enter()
	for _, p := range slices.Backward(c.profile.Reserve) {
		for _, h := range c.reserved.held {
			if h.plugin != p.Name() {
				continue
			}
			for _, a := range slices.Backward(h.assumed) {
				if c.scheduler.state.AbandonObject(a) {
					gone := supposed(p.Name(), a)
					gone.Undo = true
					c.fact(gone)
				}
			}
		}
		c.fact(trace.Ran{Point: trace.PhaseReserve, Plugin: p.Name(), Undo: true})
		c.write(trace.PhaseReserve, p.Name(), p.Unreserve(c.ask(p.Name())))
	}
}

// keepPromises is the end of PreBind: what was to be believed until the plugin has done its work is believed until it
// is to be seen.
func (c *cycle) keepPromises() {
	for _, h := range c.reserved.held {
		for _, a := range h.assumed {
			c.scheduler.state.LoosenObject(a)
		}
	}
}

// letGo drops what was assumed for a placed pod whose way to its node ended without this scheduler, or is over.
func (s *Scheduler) letGo(p placedPod) []trace.Fact {
	var facts []trace.Fact
	for _, h := range slices.Backward(p.reserved.held) {
		for _, a := range slices.Backward(h.assumed) {
			if s.state.AbandonObject(a) {
				gone := supposed(h.plugin, a)
				gone.Undo = true
				facts = append(facts, gone)
			}
		}
	}
	return facts
}

// ask is the input of a plugin about the pod on its way to its node.
func (c *cycle) ask(plugin string) framework.BindAsk {
	return framework.BindAsk{
		Pod: c.pod, Node: c.pod.NodeName, Hold: c.holdOf(plugin), Known: c.scheduler.state,
		Now: c.scheduler.now, Since: c.reserved.since,
	}
}

// undo takes back what Reserve and assume did; false when the pod is not assumed, or not any more.
func (c *cycle) undo() bool {
	if !c.placed {
		return false
	}
	c.unreserve()
	p, assumed := c.scheduler.state.Assumed(c.pod.Key)
	if !assumed || p.UID() != c.pod.UID() {
		return false
	}
	c.scheduler.state.Forget(c.pod.Key)
	c.fact(trace.Forgotten{Pod: c.pod.Key, Node: c.pod.NodeName, Reason: "the cycle failed after the pod was placed"})
	return true
}
