package core

import (
	"fmt"
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// groupCycle is one attempt to place a pod group (podGroupCycle, 1.37). It tries the members one after the other on a
// copy of the scheduler, where each sees those before it on their nodes. Then it undoes the tries. Only when enough
// members found a node does it assume and bind them on the real scheduler:
//
//	gather -> for each placement: try members -> choose a placement -> end each member -> back to the queue
//	                                       none -> PodGroupPostFilter ----^
type groupCycle struct {
	scheduler *Scheduler
	profile   *lane
	item      *queue.Item
	group     framework.Group
	members   []*queue.Item // those to be placed, in the order they are tried
	snapshot  *cluster.Snapshot

	best     groupResult
	ends     []trace.MemberSettled // of the members whose part of the cycle is over
	quiet    bool                  // no facts are kept: a plugin tries what would happen without some pods
	examined bool                  // Examine runs it: nothing of it is carried out

	facts   []trace.Fact
	effects []Effect
}

// groupStatus is kube-scheduler's status of a group.
type groupStatus struct {
	code    trace.Code
	bare    bool // the message begins with groupUnschedulable, the reasons follow
	reasons []string
}

// groupUnschedulable is errPodGroupUnschedulable (1.37).
const groupUnschedulable = "pod group is unschedulable"

// message is the text of the status.
func (s groupStatus) message() string {
	reasons := s.reasons
	if s.bare {
		reasons = append([]string{groupUnschedulable}, reasons...)
	}
	return trace.Verdict{Reasons: reasons}.Message()
}

// cause is the status as an error; a bare status leaves the reasons out.
func (s groupStatus) cause() string {
	if s.bare {
		return groupUnschedulable
	}
	return s.message()
}

// verdict is the status as facts carry it.
func (s groupStatus) verdict() trace.Verdict {
	if s.code == trace.Success {
		return trace.Verdict{}
	}
	return trace.Verdict{Code: s.code, Reasons: []string{s.message()}}
}

func unschedulableGroup(reasons ...string) groupStatus {
	return groupStatus{code: trace.Unschedulable, bare: true, reasons: reasons}
}

func brokenGroup(message string) groupStatus {
	return groupStatus{code: trace.Error, reasons: []string{message}}
}

// groupResult is the result of trying a group on a placement.
type groupResult struct {
	placement framework.Placement
	status    groupStatus
	tried     []*cycle // of the first so many members
	placed    bool     // some member found a node, and so did enough
}

// found are the members that found a node, in order.
func (r *groupResult) found() []*cluster.Pod {
	var pods []*cluster.Pod
	for _, m := range r.tried {
		if m.failure.code == trace.Success {
			pods = append(pods, m.item.Pod)
		}
	}
	return pods
}

// assignments are the members that found a node, with it.
func (r *groupResult) assignments() []framework.Assignment {
	var found []framework.Assignment
	for _, m := range r.tried {
		if m.failure.code == trace.Success {
			found = append(found, framework.Assignment{Pod: m.item.Pod, Node: m.choice.host.Name})
		}
	}
	return found
}

func (s *Scheduler) groupCycle(item *queue.Item) *groupCycle {
	return &groupCycle{
		scheduler: s, item: item, members: item.Members,
		group:    framework.Group{API: item.Group, Beside: s.state.Companion()},
		snapshot: s.state.Settle(),
	}
}

func (g *groupCycle) fact(f trace.Fact) {
	if !g.quiet {
		g.facts = append(g.facts, f)
	}
}

// run is the cycle of a group on one page.
func (g *groupCycle) run() {
	g.snapshot.Now = g.scheduler.now
	g.begin()
	if wrong := g.validate(); wrong != "" {
		g.failBefore(brokenGroup(wrong))
		return
	}
	g.skipMembers()
	if len(g.members) == 0 {
		g.finish(trace.Success, trace.Ended{Outcome: trace.SkippedScheduling})
		return
	}
	if home := g.scheduler.home; home != nil {
		home.BeginGroup(g.group, g.profile.SchedulerName, g.snapshot)
	}
	g.best = g.try()
	root := g.best.status.code
	if root == trace.Unschedulable {
		g.postFilter(root)
		return
	}
	g.submit(root, g.best.status, noRoom)
}

// begin lists the members to be placed. The first member names the profile.
func (g *groupCycle) begin() {
	key := g.group.Key()
	_, scheduled := g.scheduler.state.Members(key)
	gathered := trace.Gathered{Policy: "basic", MinCount: cluster.MinCount(g.item.Group), Scheduled: scheduled}
	if g.item.Group.Spec.SchedulingPolicy.Gang != nil {
		gathered.Policy = "gang"
	}
	name := g.members[0].Pod.API.Spec.SchedulerName
	if g.profile = g.scheduler.lane(name); g.profile != nil && g.profile.PlacementGenerate != nil {
		gathered.Topology = cluster.TopologyKey(g.item.Group)
	}
	for _, m := range g.members {
		gathered.Members = append(gathered.Members, m.Entity())
		g.group.Members = append(g.group.Members, m.Pod)
	}
	g.fact(trace.Popped{
		Cycle: g.scheduler.Cycles(), Entity: g.item.Entity(), Profile: name, From: g.item.PoppedFrom,
		Attempt: g.item.Attempts, Nodes: len(g.snapshot.Nodes), Now: g.scheduler.now,
	})
	g.fact(gathered)
}

// skipMembers drops the members that are going away, or have a node already.
func (g *groupCycle) skipMembers() {
	var left []*queue.Item
	for _, m := range g.members {
		c := g.memberOf(g.scheduler, m)
		if c.canSkip() {
			g.collect(c)
			continue
		}
		left = append(left, m)
	}
	if len(left) == len(g.members) {
		return
	}
	g.members, g.group.Members = left, nil
	for _, m := range left {
		g.group.Members = append(g.group.Members, m.Pod)
	}
}

// memberOf is the part of the cycle that is about one member, in this scheduler or in a copy of it.
func (g *groupCycle) memberOf(s *Scheduler, m *queue.Item) *cycle {
	return &cycle{
		scheduler: s, profile: g.profile, item: m, pod: m.Pod, snapshot: g.snapshot, group: g, examined: g.examined,
	}
}

// collect adds the facts and effects of a member's part of the cycle to those of the group.
func (g *groupCycle) collect(c *cycle) {
	for _, f := range c.facts {
		g.fact(f)
	}
	g.effects = append(g.effects, c.effects...)
	c.facts, c.effects = nil, nil
}

// keepEnd keeps how a member's part of the cycle ended.
func (g *groupCycle) keepEnd(m *queue.Item, e trace.Ended) {
	g.ends = append(g.ends, trace.MemberSettled{
		Pod: m.Entity(), Outcome: e.Outcome, Node: e.Node, NominatedNode: e.NominatedNode, Message: e.Message,
		Plugins: e.Plugins, Pending: e.Pending,
	})
}

// finish puts the group back to the queue if members of it are left, and closes the cycle.
func (g *groupCycle) finish(root trace.Code, ended trace.Ended) {
	parked, facts := g.scheduler.queue.Finish(g.item, root, g.scheduler.moment(g.scheduler.now))
	for _, m := range g.ends {
		g.fact(g.latest(m))
	}
	g.facts = append(g.facts, facts...)
	ended.MovedTo, ended.BackoffUntil = parked.Queue, parked.Until
	ended.Queue = g.scheduler.queue.Counts()
	g.fact(ended)
}

// latest brings the end of a member up to date: a member that waited for the others at Permit may have been bound
// since.
func (g *groupCycle) latest(m trace.MemberSettled) trace.MemberSettled {
	key := m.Pod.Key()
	_, waits := g.scheduler.waiting.Get(key)
	_, works := g.scheduler.inPreBind.Get(m.Pod.UID)
	there, sent := g.scheduler.sent.Get(key)
	switch {
	case m.Outcome != trace.Waiting || waits || works:
	case sent:
		m.Outcome, m.Message = trace.Scheduled, g.profile.Behaviour.Message.Assigned(there.pod)
	default:
		m.Outcome, m.Node = trace.SchedulerError, ""
	}
	return m
}

// validate is the error for which kube-scheduler refuses the group's pods; "" when there is none.
func (g *groupCycle) validate() string {
	name := g.members[0].Pod.API.Spec.SchedulerName
	var rule framework.GroupPolicy = framework.PodsAgree{}
	if g.profile != nil {
		rule = g.profile.Behaviour.Groups.Policy
	}
	policy := rule.Wanted(g.item.Group)
	for _, p := range slices.Concat(g.group.Members, g.scheduler.state.Scheduled(g.group.Key())) {
		if other := p.API.Spec.SchedulerName; other != name {
			return fmt.Sprintf(
				"all pods in a single pod group should have the same .spec.schedulerName set, got: %q and %q", other,
				name,
			)
		}
		if priority := cluster.GroupPriority(g.item.Group); p.Priority != priority {
			return fmt.Sprintf(
				"all pods in a single pod group should have the same priority as the pod group's priority, got %d and %d",
				p.Priority, priority,
			)
		}
		own := "PreemptLowerPriority"
		if p.API.Spec.PreemptionPolicy != nil {
			own = string(*p.API.Spec.PreemptionPolicy)
		}
		if policy == "" {
			policy = own
		}
		if own != policy {
			return rule.Wrong(own, policy)
		}
	}
	if g.profile == nil {
		return fmt.Sprintf("profile not found for scheduler name %q", name)
	}
	return ""
}

// failBefore ends a cycle before any member was tried.
func (g *groupCycle) failBefore(status groupStatus) {
	for _, m := range g.members {
		c := g.memberOf(g.scheduler, m)
		if c.profile = g.scheduler.lane(m.Pod.API.Spec.SchedulerName); c.profile == nil {
			g.scheduler.queue.Done(m.Pod.UID())
			continue
		}
		c.failure = broken(status.message())
		c.fail()
		g.collect(c)
	}
	g.conclude(status)
	g.finish(trace.Error, trace.Ended{Outcome: trace.SchedulerError, Message: status.message()})
}

// conclude returns the effect that sets the group's condition.
func (g *groupCycle) conclude(status groupStatus) {
	c := Conclude{Group: g.item.Group, Reason: "SchedulerError", Message: status.message()}
	switch {
	case status.code == trace.Success:
		c.True, c.Reason = true, "Scheduled"
	case status.code.Rejects():
		c.Reason = "Unschedulable"
	default:
		c.Message = status.cause()
	}
	g.effects = append(g.effects, c)
}
