package core

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// room is the answer of PodGroupPostFilter.
type room struct {
	made    bool // victims are leaving, now or since an earlier cycle: the group waits for their room
	nodes   []trace.MemberNode
	victims []*cluster.Pod
	by      string // the plugin that chose the victims
}

var noRoom = room{}

// nomination is the node that a member is nominated on; otherwise when the plugin nominated the member nowhere.
func (r room) nomination(pod string, otherwise framework.Nomination) framework.Nomination {
	for _, n := range r.nodes {
		if n.Pod == pod {
			return framework.Nomination{Change: true, Node: n.Node}
		}
	}
	return otherwise
}

// postFilter runs the PostFilter plugins for pod groups, when too few members found a node: would evicting pods make
// room? Then it ends the cycle (RunPodGroupPostFilterPlugins, 1.37).
func (g *groupCycle) postFilter(root trace.Code) {
	ask := framework.GroupPostFilterAsk{
		Group: g.group, Snapshot: g.snapshot, Trial: g.tryWithout, Now: g.scheduler.now, Detail: g.scheduler.detail,
	}
	for _, m := range g.best.tried {
		ask.Studies = append(ask.Studies, framework.MemberStudy{Pod: m.item.Pod, Ask: m.postFilterAsk})
	}
	before := g.best.status
	made := noRoom
	var reasons []string
	for _, p := range g.profile.PodGroupPostFilter {
		a := p.PodGroupPostFilter(ask)
		for _, f := range a.Facts {
			g.fact(f)
		}
		g.fact(trace.PostFiltered{Plugin: p.Name(), Verdict: a.Verdict})
		g.write(p.Name(), a.Writes)
		switch a.Verdict.Code {
		case trace.Unschedulable:
			reasons = append(reasons, a.Verdict.Reasons...)
			continue
		case trace.Success:
			made = room{made: true, nodes: a.Nodes, victims: a.Victims, by: p.Name()}
		case trace.UnschedulableAndUnresolvable:
		default:
			g.best.status = brokenGroup(fmt.Sprintf("error in %q PodGroupPostFilter plugins: %s", p.Name(), a.Verdict.Message()))
			g.submit(root, before, noRoom)
			return
		}
		reasons = a.Verdict.Reasons
		break
	}
	g.best.status.reasons = append(slices.Clip(before.reasons), trace.Verdict{Reasons: reasons}.Message())
	g.submit(root, before, made)
}

// write passes the writes of a plugin to the world.
func (g *groupCycle) write(plugin string, writes []framework.MemberWrite) {
	for _, w := range writes {
		c := &cycle{scheduler: g.scheduler, pod: w.Pod}
		c.write(trace.PhasePostFilter, plugin, []framework.Write{w.Write})
		g.collect(c)
	}
}

// submit ends the cycle: each member is bound to the node it found, or goes back to the queue
// (submitPodGroupAlgorithmResult, 1.37). root is the code of the group before PostFilter, which decides the queue it
// goes to; before is its status at that time, which members that were not tried report.
func (g *groupCycle) submit(root trace.Code, before groupStatus, made room) {
	status := g.best.status
	if home := g.scheduler.home; home != nil {
		home.EndGroup()
	}
	uid := cluster.GroupUID(g.item.Group)
	victims := staying(made.victims)
	g.scheduler.holdBack(uid, victims)
	var later []*cycle
	if status.code == trace.Success && (g.best.shares() || g.guestsReserve()) {
		g.scheduler.later = &later
	}
	for i, item := range g.members {
		var m *cycle
		if i < len(g.best.tried) {
			m = g.best.tried[i]
		}
		found := m != nil && m.failure.code == trace.Success
		if found && status.code == trace.Success {
			g.commit(m)
			continue
		}
		c := g.memberOf(g.scheduler, item)
		switch {
		case status.code == trace.Error && (m == nil || m.failure.code != trace.Error):
			c.failure = broken(status.message())
		case found && made.made:
			c.failure = failure{
				code: trace.Unschedulable, message: status.message(),
				nomination: made.nomination(item.Pod.Key, framework.Nomination{}),
			}
		case found:
			c.failure = failure{code: trace.Unschedulable, message: groupUnschedulable + ", " +
				status.message(), nomination: clearNomination}
		case m == nil:
			c.failure = failure{
				code: before.code, message: before.message(),
				nomination: made.nomination(item.Pod.Key, framework.Nomination{}),
			}
		default:
			c.failure = m.failure
			c.failure.nomination = made.nomination(item.Pod.Key, c.failure.nomination)
		}
		c.fail()
		g.collect(c)
	}
	g.bind(later)
	g.conclude(status)
	effects, facts := g.scheduler.evict(victims, beneficiary{
		kind: trace.KindPodGroup, uid: uid, pod: g.members[0].Pod, priority: cluster.GroupPriority(g.item.Group),
		node: "cluster", by: made.by, profile: g.profile,
	})
	g.effects, g.facts = append(g.effects, effects...), append(g.facts, facts...)
	g.finish(root, g.ended(status, made))
}

// shares reports whether plugins assume one object for several members. Then the members are bound when each has its
// place: kube-scheduler binds all members side by side while it goes on with the next, so that a member that fails at
// PreBind, because another was quicker, is still there when Permit plugins count (runBindingCycle, 1.37). For members
// that share nothing the order decides nothing.
func (r *groupResult) shares() bool {
	all := map[string]bool{}
	for _, m := range r.tried {
		for _, o := range m.promises {
			kind, _ := cluster.KindOf(o)
			key := string(kind) + " " + cluster.Key(o)
			if all[key] {
				return true
			}
			all[key] = true
		}
	}
	return false
}

// guestsReserve reports whether guests may assume something for members: what, they alone know.
func (g *groupCycle) guestsReserve() bool {
	return slices.ContainsFunc(g.profile.Reserve, func(p framework.ReservePlugin) bool {
		_, is := p.(framework.Guest)
		return is
	})
}

// bind binds the members that waited for the last one to have its place, in order.
func (g *groupCycle) bind(later []*cycle) {
	if g.scheduler.later == nil {
		return
	}
	g.scheduler.later = nil
	for _, c := range later {
		c.finish()
		g.collect(c)
	}
	place := func(m trace.MemberSettled) int {
		return slices.IndexFunc(g.members, func(i *queue.Item) bool { return i.Pod.UID() == m.Pod.UID })
	}
	slices.SortStableFunc(g.ends, func(a, b trace.MemberSettled) int { return cmp.Compare(place(a), place(b)) })
}

// ended is the end of the cycle in one fact.
func (g *groupCycle) ended(status groupStatus, made room) trace.Ended {
	e := trace.Ended{Outcome: trace.SchedulerError, Message: Note(status.message())}
	switch {
	case status.code == trace.Success:
		e.Outcome = trace.Waiting
		for _, m := range g.ends {
			if g.latest(m).Outcome == trace.Scheduled {
				e.Outcome = trace.Scheduled
			}
		}
	case status.code.Rejects() && made.made:
		e.Outcome = trace.Preempting
	case status.code.Rejects():
		e.Outcome = trace.NotSchedulable
	}
	for _, m := range g.ends {
		e.Plugins, e.Pending = append(e.Plugins, m.Plugins...), append(e.Pending, m.Pending...)
	}
	e.Plugins, e.Pending = sorted(e.Plugins), sorted(e.Pending)
	return e
}

// sorted is the names in order, each once.
func sorted(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// commit assumes and binds a member on the node that its try found.
func (g *groupCycle) commit(m *cycle) {
	c := g.memberOf(g.scheduler, m.item)
	c.snapshot, c.scope = g.scheduler.state.Snapshot(), m.scope
	c.studied, c.search, c.choice = m.studied, m.search, choice{ranking: m.choice.ranking}
	c.studied.judge.Nominated = g.scheduler.queue.Nominated
	c.choice.host, _ = c.snapshot.Node(m.choice.host.Name)
	if c.assume() && c.reserve() && c.permit() {
		c.bind()
	} else {
		c.fail()
	}
	g.collect(c)
}

// groupTrial is the group tried on a copy of the scheduler from which some pods were removed.
type groupTrial struct {
	scheduler *Scheduler
	result    groupResult
	found     []*cycle
	lend      framework.Home // of the guests; nil: there are none
}

// borrow has the guests look at the copy of the trial until back is called.
func (t *groupTrial) borrow() (back func()) {
	if t.lend == nil {
		return func() {}
	}
	return t.lend.Lend(around{t.scheduler})
}

// tryWithout tries the group without some pods. It leaves no facts; what remains is where the next search begins.
func (g *groupCycle) tryWithout(without []*cluster.Pod) framework.Trial {
	copied, back := g.scheduler.forkToTry()
	defer back()
	t := &groupTrial{scheduler: copied, lend: g.scheduler.home}
	t.scheduler.batches = g.scheduler.batches
	t.scheduler.detail = trace.Summary
	for _, p := range without {
		t.scheduler.state.TakeOff(p)
	}
	inner := *g
	inner.scheduler, inner.quiet, inner.snapshot = t.scheduler, true, t.scheduler.state.Snapshot()
	inner.snapshot.Now = g.scheduler.now
	if home := t.scheduler.home; home != nil {
		home.BeginGroup(g.group, g.profile.SchedulerName, inner.snapshot)
		defer home.EndGroup()
	}
	t.result = inner.tryOn(t.scheduler)
	g.scheduler.start = t.scheduler.start
	for _, m := range t.result.tried {
		if m.failure.code == trace.Success {
			t.found = append(t.found, m)
		}
	}
	return t
}

// Verdict of the group.
func (t *groupTrial) Verdict() trace.Verdict { return t.result.status.verdict() }

// Nodes is where members would go.
func (t *groupTrial) Nodes() []trace.MemberNode {
	nodes := make([]trace.MemberNode, len(t.found))
	for i, m := range t.found {
		nodes[i] = trace.MemberNode{Pod: m.item.Pod.Key, Node: m.choice.host.Name}
	}
	return nodes
}

// Return puts pods back if the members fit beside them.
func (t *groupTrial) Return(pods []*cluster.Pod) bool {
	defer t.borrow()()
	before := make([][]framework.Check, len(t.found))
	for i, m := range t.found {
		before[i] = m.studied.judge.Checks
		m.studied.judge.Checks = slices.Clone(m.studied.judge.Checks)
	}
	for _, p := range pods {
		t.scheduler.state.PutBack(p)
		node, known := t.node(p.NodeName)
		if !known {
			continue
		}
		for _, m := range t.found {
			for i, check := range m.studied.judge.Checks {
				if d, ok := check.(framework.Disturbable); ok {
					m.studied.judge.Checks[i] = d.With(p, node)
				}
			}
		}
	}
	if t.fits() {
		return true
	}
	for _, p := range pods {
		t.scheduler.state.TakeOff(p)
	}
	for i, m := range t.found {
		m.studied.judge.Checks = before[i]
	}
	return false
}

// Members are those that found a node.
func (t *groupTrial) Members() []framework.TrialMember {
	members := make([]framework.TrialMember, len(t.found))
	for i, m := range t.found {
		members[i] = framework.TrialMember{
			Pod: m.item.Pod, Node: m.choice.host.Name, Checks: slices.Clone(m.studied.judge.Checks),
			Reserve:   func() trace.Verdict { return t.take(m) },
			Unreserve: func() { t.leave(m) },
		}
	}
	return members
}

// PutBack puts a pod back.
func (t *groupTrial) PutBack(p *cluster.Pod) { t.scheduler.state.PutBack(p) }

// TakeOff takes a pod away.
func (t *groupTrial) TakeOff(p *cluster.Pod) { t.scheduler.state.TakeOff(p) }

// take puts a member on its node and has plugins reserve what it needs.
func (t *groupTrial) take(m *cycle) trace.Verdict {
	defer t.borrow()()
	if node, known := t.node(m.choice.host.Name); known {
		m.choice.host = node
	}
	m.assume()
	m.reserve()
	failed := m.failure
	m.failure, m.facts = failure{}, nil
	return trace.Verdict{Code: failed.code, Reasons: reasonsOf(failed)}
}

// leave removes it again.
func (t *groupTrial) leave(m *cycle) {
	defer t.borrow()()
	m.undoTry()
}

func reasonsOf(f failure) []string {
	if f.message == "" {
		return nil
	}
	return []string{f.message}
}

func (t *groupTrial) node(name string) (*cluster.Node, bool) {
	return t.scheduler.state.Snapshot().Node(name)
}

// fits reports whether every member fits on its node, with those before it in their place.
func (t *groupTrial) fits() bool {
	var there []*cycle
	defer func() { undoTries(there) }()
	for _, m := range t.found {
		node, known := t.node(m.choice.host.Name)
		if !known {
			return false
		}
		if !m.studied.judge.Fits(node) {
			return false
		}
		m.choice.host = node
		m.assume()
		there = append(there, m)
		m.reserve()
		m.failure, m.facts = failure{}, nil
	}
	return true
}
