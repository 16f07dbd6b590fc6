package core

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// failure is why a cycle placed nothing. The zero value is no failure.
type failure struct {
	code    trace.Code // Unschedulable, UnschedulableAndUnresolvable or Error
	message string     // what to say; when empty, text says it
	text    trace.FitMessage

	rejectors  []string // UnschedulablePlugins; none: no event is known that would help
	pending    []string // plugins that answered Pending
	nomination framework.Nomination
	victims    []*cluster.Pod
	by         string // the PostFilter plugin that chose the victims
	onHost     bool   // at Reserve or Permit, so that the text is about one node
	refused    bool   // the API server refused to bind it
}

var clearNomination = framework.Nomination{Change: true}

// broken is a failure that no plugin meant: something went wrong.
func broken(message string) failure {
	return failure{code: trace.Error, message: message, nomination: clearNomination}
}

// breaks fails the cycle by a plugin that broke at a point after the filters.
func (c *cycle) breaks(point, plugin, said string) {
	c.failure = broken(c.profile.Behaviour.Message.BrokenPart(point, plugin, c.pod, said))
}

// refuse fails the cycle by a binding that was not made. plugin was to make it; "": an extender.
func (c *cycle) refuse(plugin, why string) {
	_, note, _ := c.profile.Behaviour.Message.Refused(plugin, c.pod, why)
	c.failure = broken(note)
	c.failure.refused = true
}

// rejectedOnHost is a rejection after the host was chosen; kube-scheduler words it as if there were one node.
func rejectedOnHost(plugin string, v trace.Verdict) failure {
	f := failure{code: v.Code, rejectors: []string{plugin}, nomination: clearNomination, onHost: true}
	if v.Code == trace.Pending {
		f.pending = []string{plugin}
	}
	f.text.Count(v, 1)
	return f
}

// fail ends a cycle that placed nothing: what was done is undone, the pod goes back to the queue, and its status and an
// event report why (handleSchedulingFailure, 1.37).
func (c *cycle) fail() {
	freed := c.undo() && c.binding
	c.compose()
	f := &c.failure

	victims := staying(f.victims)
	if !c.profile.Behaviour.VictimsDeletedInCycle {
		c.scheduler.holdBack(c.pod.UID(), victims)
	}
	ended := trace.Ended{
		Outcome: trace.NotSchedulable, Message: Note(f.message), Plugins: f.rejectors, Pending: f.pending,
		Evaluated: c.reported(), Feasible: len(c.search.feasible), NominatedNode: f.nomination.Node,
	}
	switch {
	case f.code == trace.Error:
		ended.Outcome = trace.SchedulerError
	case f.nomination.Node != "":
		ended.Outcome = trace.Preempting
	}
	freed = freed && !c.profile.Behaviour.FailureAfterAssumeWakesNoPod
	if freed && f.code == trace.Error {
		c.wake(nil)
	}
	if c.profile.Behaviour.VictimsDeletedInCycle {
		c.makeRoom(victims)
		c.park(&ended)
	} else {
		c.park(&ended)
		c.makeRoom(victims)
	}
	if freed && f.code.Rejects() {
		c.wake(func(i *queue.Item) bool { return i.Pod.UID() != c.pod.UID() })
	}
	if !c.resumed {
		c.end(ended)
	}
}

// makeRoom evicts victims in favour of the pod.
func (c *cycle) makeRoom(victims []*cluster.Pod) {
	effects, facts := c.scheduler.evict(victims, beneficiary{
		kind: "pod", uid: c.pod.UID(), pod: c.pod, priority: c.pod.Priority, node: c.failure.nomination.Node,
		by: c.failure.by, profile: c.profile,
	})
	c.effects, c.facts = append(c.effects, effects...), append(c.facts, facts...)
}

// compose writes the message of the failure and sorts its plugins.
func (c *cycle) compose() {
	f := &c.failure
	if f.message == "" {
		f.text.Nodes = 1
		if !f.onHost {
			f.text.Nodes = c.size()
		}
		f.message = c.profile.Behaviour.Message.FitError(&f.text)
	}
	slices.Sort(f.rejectors)
	f.rejectors = slices.Compact(f.rejectors)
	slices.Sort(f.pending)
	f.pending = slices.Compact(f.pending)
}

// wake has the queue requeue the pods that may use what this pod held on its node.
func (c *cycle) wake(only func(*queue.Item) bool) {
	change := &cluster.Change{Kind: cluster.KindPod, Action: cluster.Delete, OldPod: c.pod, Old: c.pod.API}
	c.facts = append(c.facts, c.scheduler.wake(assignedPodDelete, change, only)...)
}

// park puts the pod back to the queue, unless it is gone or found its node elsewhere, and reports the failure.
func (c *cycle) park(ended *trace.Ended) {
	f := &c.failure
	rejection := queue.Rejection{Plugins: f.rejectors, Pending: f.pending}
	parked, facts := c.scheduler.queue.Park(c.item, rejection, c.scheduler.moment(c.scheduler.now))
	c.facts = append(c.facts, facts...)
	ended.MovedTo, ended.BackoffUntil = parked.Queue, parked.Until
	live, known := c.scheduler.state.Pod(c.item.Pod.Key)
	if !known || live.UID() != c.item.Pod.UID() {
		return
	}
	c.nominate(live)
	report := Report{
		Pod: live, Type: "Warning", Reason: "FailedScheduling", Note: Note(f.message), Message: f.message,
		Condition: c.condition(),
	}
	if f.refused {
		report.Type, _, report.Condition = c.profile.Behaviour.Message.Refused("", c.pod, "")
	}
	c.report(report)
}

// condition is the reason of PodScheduled=False.
func (c *cycle) condition() string {
	return c.profile.Behaviour.Message.Condition(c.failure.code == trace.Error)
}

// nominate sets a node aside for the pod, or gives the old one free, in the queue and in the world.
func (c *cycle) nominate(live *cluster.Pod) {
	n := c.failure.nomination
	node := live.Nominated
	if n.Change {
		node = n.Node
	}
	c.facts = append(c.facts, c.scheduler.queue.Nominate(live, node, c.scheduler.state)...)
	asked := live.Nominated
	if c.announced {
		asked = c.pod.NodeName
	}
	if n.Change && n.Node != asked {
		c.effects = append(c.effects, Nominate{Pod: live, Node: n.Node})
	}
}

// end closes the cycle with the state the queue is in now.
func (c *cycle) end(ended trace.Ended) {
	if c.group != nil {
		c.group.keepEnd(c.item, ended)
		return
	}
	ended.StartIndex = c.search.from
	ended.Queue = c.scheduler.queue.Counts()
	c.fact(ended)
}
