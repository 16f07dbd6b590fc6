package core

import (
	"fmt"

	"github.com/schedstep/schedstep/core/trace"
)

// bind is what is left when the pod has its place: it goes on at once, or waits for its permission. A pod that is not
// bound in this very moment is nominated on its node meanwhile.
func (c *cycle) bind() {
	c.binding = true
	if !c.preFlight() {
		c.fail()
		return
	}
	if waits := len(c.reserved.tasks) > 0 || len(c.reserved.waits) > 0; waits && c.pod.Nominated != c.pod.NodeName &&
		!c.profile.Behaviour.WaitingPodNotNominated {
		c.effects = append(c.effects, Nominate{Pod: c.pod, Node: c.pod.NodeName})
		c.announced = true
	}
	if len(c.reserved.waits) > 0 {
		c.scheduler.waiting.Set(c.pod.Key, c.placedPod())
		c.endPlaced(trace.Waiting, "")
		return
	}
	c.finish()
}

// finish goes on with a pod that no plugin holds back any more: PreBind, Bind and PostBind, now or later. From here on
// a failure is an error, never "unschedulable".
func (c *cycle) finish() {
	if later := c.scheduler.later; later != nil {
		*later = append(*later, c)
		return
	}
	c.scheduler.queue.Done(c.pod.UID())
	c.reserved.since = c.scheduler.now
	c.goOn()
}

// goOn runs the plugins of PreBind whose time has come, and binds the pod when all are done.
func (c *cycle) goOn() {
	switch done, ok := c.preBind(); {
	case !ok:
		c.fail()
	case !done:
		c.scheduler.inPreBind.Set(c.pod.UID(), c.placedPod())
		c.endPlaced(trace.Waiting, "")
	case c.isThere() && c.bindNow():
		c.endPlaced(trace.Scheduled, c.assigned())
	default:
		c.fail()
	}
}

// isThere reports whether the pod still is to be bound: while PreBind worked, it may have gone.
func (c *cycle) isThere() bool {
	p, known := c.scheduler.state.Pod(c.pod.Key)
	if known && p.UID() == c.pod.UID() {
		c.keepPromises()
		return true
	}
	name := "none"
	if len(c.profile.Bind) > 0 {
		name = c.profile.Bind[0].Name()
	}
	c.refuse(name, fmt.Sprintf("pods %q not found", c.pod.Name()))
	return false
}

// endPlaced closes the cycle of a pod that has its place; after a wait the cycle was closed before.
func (c *cycle) endPlaced(outcome trace.Outcome, message string) {
	if c.resumed {
		return
	}
	c.end(trace.Ended{
		Outcome: outcome, Node: c.pod.NodeName, Message: message, Evaluated: c.reported(), Feasible: len(c.search.feasible),
	})
}

// assigned is the note of the Scheduled event.
func (c *cycle) assigned() string { return c.profile.Behaviour.Message.Assigned(c.pod) }

// bindNow runs Bind and PostBind. An extender that binds stands for all Bind plugins.
func (c *cycle) bindNow() bool {
	c.enter()
	node := c.pod.NodeName
	bound, failure := c.askBind()
	if failure != "" {
		c.refuse("", failure)
		return false
	}
	for _, p := range c.profile.Bind {
		if bound {
			break
		}
		v := c.bindBy(p, node)
		c.fact(trace.Ran{Point: trace.PhaseBind, Plugin: p.Name(), Verdict: v})
		if v.Code == trace.Skip {
			continue
		}
		if !v.OK() {
			c.refuse(p.Name(), v.Message())
			return false
		}
		c.effects = append(c.effects, Bind{Pod: c.pod, Node: node, Plugin: p.Name()})
		c.scheduler.sent.Set(c.pod.Key, c.placedPod())
		break
	}
	c.report(Report{Pod: c.pod, Type: "Normal", Reason: "Scheduled", Note: c.assigned()})
	for _, p := range c.profile.PostBind {
		c.followBind(p, node)
		c.fact(trace.Ran{Point: trace.PhasePostBind, Plugin: p.Name()})
	}
	return true
}

func (c *cycle) report(r Report) {
	c.fact(r.fact())
	c.effects = append(c.effects, r)
}
