package core

import (
	"fmt"
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// try looks for a node for every member, on a copy of the scheduler. The scheduler itself takes over one thing: where
// the next search over the nodes begins.
func (g *groupCycle) try() groupResult {
	copied, back := g.scheduler.forkToTry()
	defer back()
	copied.batches = g.scheduler.batches // in kube-scheduler the scores that tries kept for reuse stay
	r := g.tryOn(copied)
	g.scheduler.start = copied.start
	return r
}

// tryOn is try on a given copy. It leaves the copy as it was, except for where the next search begins.
func (g *groupCycle) tryOn(s *Scheduler) groupResult {
	tries := groupTries{groupCycle: g, on: s}
	g.profile.Behaviour.Groups.Search.Search(&tries)
	r := tries.result
	if r.status.code == trace.Success && !r.placed {
		r.status = unschedulableGroup()
	}
	if s.home != nil {
		s.home.ChoosePlacement(r.placement.Number)
	}
	return r
}

// groupTries are the tries of a group on a copy of the scheduler.
type groupTries struct {
	*groupCycle
	on     *Scheduler
	result groupResult
}

// AllNodes tries the members on all nodes.
func (t *groupTries) AllNodes() {
	t.result = t.tryPlacement(t.on, framework.Placement{Nodes: t.snapshot.Nodes}, 0, 1)
	undoTries(t.result.tried)
}

// EachPlacement tries the members on one placement after the other.
func (t *groupTries) EachPlacement() { t.result = t.tryPlacements(t.on) }

// tryPlacements tries every placement and chooses the best of those where enough members found a node
// (podGroupSchedulingPlacementAlgorithm, 1.37).
func (g *groupCycle) tryPlacements(s *Scheduler) groupResult {
	placements, status := g.generate()
	if status.code != trace.Success {
		return groupResult{status: status}
	}
	var fitting []groupResult
	var first *groupResult
	for i, p := range placements {
		p.Number = i
		r := g.tryPlacement(s, p, i, len(placements))
		undoTries(r.tried)
		if r.status.code == trace.Error {
			return r
		}
		if first == nil {
			first = &r
		}
		if r.status.code == trace.Success {
			fitting = append(fitting, r)
		}
	}
	if len(fitting) == 0 {
		first.status = unschedulableGroup(fmt.Sprintf(
			"0/%d placements are available, first placement status: %s", len(placements), first.status.cause(),
		))
		return *first
	}
	return g.choose(fitting)
}

// generate runs the PlacementGenerate plugin, which divides the nodes into placements. Without one, all nodes are one
// placement.
func (g *groupCycle) generate() ([]framework.Placement, groupStatus) {
	p := g.profile.PlacementGenerate
	if p == nil {
		return []framework.Placement{{Nodes: g.snapshot.Nodes}}, groupStatus{}
	}
	d := p.Placements(g.group, g.snapshot)
	if d.Verdict.OK() && len(d.Placements) == 0 {
		d.Verdict = trace.Verdict{Code: trace.Unschedulable, Reasons: []string{"no feasible placements found"}}
	}
	f := trace.Generated{Plugin: p.Name(), Verdict: d.Verdict}
	for _, placement := range d.Placements {
		f.Placements = append(f.Placements, placement.Name)
	}
	g.fact(f)
	return d.Placements, groupStatus{code: d.Verdict.Code, reasons: d.Verdict.Reasons}
}

// tryPlacement tries the members on the nodes of one placement, each with those before it assumed on their nodes
// (podGroupSchedulingDefaultAlgorithm, 1.37). The members that found a node are on it when it returns.
func (g *groupCycle) tryPlacement(s *Scheduler, p framework.Placement, index, of int) groupResult {
	g.fact(trace.PlacementBegan{Name: p.Name, Nodes: len(p.Nodes), Index: index, Of: of})
	if s.home != nil {
		s.home.BeginPlacement(p)
	}
	r := groupResult{placement: p}
	_, scheduled := s.state.Members(g.group.Key())
	g.tryMembers(s, &r, scheduled)
	switch r.status.code {
	case trace.Success:
	case trace.Wait:
		r.status = unschedulableGroup(r.status.reasons...)
		r.placed = false
	default:
		r.placed = false
	}
	g.fact(trace.PlacementEnded{Name: p.Name, Verdict: r.status.verdict(), Placed: len(r.found())})
	return r
}

func (g *groupCycle) tryMembers(s *Scheduler, r *groupResult, scheduled int) {
	remaining := len(g.members)
	v := g.feasible(scheduled, remaining)
	if r.status = (groupStatus{code: v.Code, reasons: v.Reasons}); v.Code == trace.Unschedulable {
		r.status.bare = true
		return
	}
	scope := scopeOf(r.placement, g.snapshot)
	var promised []cluster.Object
	for _, item := range g.members {
		m := g.tryMember(s, item, scope, promised)
		r.tried = append(r.tried, m)
		promised = append(promised, m.promises...)
		if m.failure.code == trace.Error {
			r.status = brokenGroup("failed to schedule other pod from a pod group: " + m.failure.message)
			return
		}
		remaining--
		if m.failure.code == trace.Success {
			scheduled++
		}
		v := g.feasible(scheduled, remaining)
		r.status = groupStatus{code: v.Code, reasons: v.Reasons}
		if v.Code == trace.Unschedulable {
			return
		}
		r.placed = r.placed || m.failure.code == trace.Success
	}
}

// scopeOf is a placement as indexes of the snapshot; nil when it has all nodes.
func scopeOf(p framework.Placement, snapshot *cluster.Snapshot) []int32 {
	if len(p.Nodes) == len(snapshot.Nodes) {
		return nil
	}
	scope := make([]int32, len(p.Nodes))
	for i, node := range p.Nodes {
		scope[i] = int32(node.Index())
	}
	return scope
}

// feasible runs the PlacementFeasible plugins, which decide whether enough members can still find a node. The first
// rejection counts, else the last Wait.
func (g *groupCycle) feasible(scheduled, remaining int) trace.Verdict {
	var verdict trace.Verdict
	for _, p := range g.profile.PlacementFeasible {
		v := p.PlacementFeasible(g.group, scheduled, remaining)
		g.fact(trace.Feasible{Plugin: p.Name(), Verdict: v, Scheduled: scheduled, Remaining: remaining})
		if v.Code == trace.Unschedulable {
			return v
		}
		if !v.OK() {
			verdict = v
		}
	}
	return verdict
}

// tryMember looks for a node for one member and assumes the member on it. promised are the objects that plugins assumed
// for the members before it.
func (g *groupCycle) tryMember(s *Scheduler, item *queue.Item, scope []int32, promised []cluster.Object) *cycle {
	m := g.memberOf(s, item)
	m.snapshot, m.scope = s.state.Snapshot(), scope
	m.snapshot.Now, m.snapshot.Promised = g.scheduler.now, promised
	m.fact(trace.MemberBegan{Pod: item.Entity(), Attempt: item.Attempts})
	if m.findNode() {
		found := len(m.facts)
		if m.assume() && m.reserve() {
			m.facts, m.promises = m.facts[:found], m.promised()
		} else {
			m.undoTry()
		}
	}
	m.endTry()
	g.collect(m)
	return m
}

// promised are the objects that plugins assumed for a member that found a node.
func (c *cycle) promised() []cluster.Object {
	var all []cluster.Object
	for _, h := range c.reserved.held {
		for _, a := range h.assumed {
			all = append(all, a.Object)
		}
	}
	return all
}

// endTry closes the try of a member with the node it found, or the reason for none.
func (c *cycle) endTry() {
	f := trace.MemberEnded{
		Pod: c.item.Entity(), Code: c.failure.code, Evaluated: c.reported(), Feasible: len(c.search.feasible),
	}
	if c.failure.code == trace.Success {
		f.Node = c.choice.host.Name
	} else {
		c.compose()
		f.Message, f.Plugins, f.Pending = c.failure.message, c.failure.rejectors, c.failure.pending
	}
	c.fact(f)
}

// undoTries undoes the tries of members, the last first.
func undoTries(tried []*cycle) {
	for _, m := range slices.Backward(tried) {
		m.undoTry()
	}
}

// undoTry removes a member from its node, with what plugins assumed for it, as if it had never been there.
func (c *cycle) undoTry() {
	if !c.placed {
		return
	}
	for _, h := range slices.Backward(c.reserved.held) {
		for _, a := range slices.Backward(h.assumed) {
			c.scheduler.state.AbandonObject(a)
		}
	}
	c.unreserveGuests()
	c.scheduler.state.Forget(c.item.Pod.Key)
	if nominated := c.item.Pod.Nominated; nominated != "" {
		c.scheduler.queue.Nominate(c.item.Pod, nominated, c.scheduler.state)
	}
	c.placed, c.reserved.held, c.pod = false, nil, c.item.Pod
}

// choose returns the placement with the highest total; the first wins a tie, where kube-scheduler picks at random.
func (g *groupCycle) choose(fitting []groupResult) groupResult {
	chosen := trace.PlacementSelected{Name: fitting[0].placement.Name, Tied: []string{fitting[0].placement.Name}}
	if len(fitting) == 1 {
		g.fact(chosen)
		return fitting[0]
	}
	totals, status := g.compare(fitting)
	if status.code != trace.Success {
		return groupResult{status: status}
	}
	best := 0
	for i, total := range totals {
		if total > totals[best] {
			best = i
		}
	}
	chosen = trace.PlacementSelected{Name: fitting[best].placement.Name, Total: totals[best], Scored: true}
	for i, total := range totals {
		if total == totals[best] {
			chosen.Tied = append(chosen.Tied, fitting[i].placement.Name)
		}
	}
	if len(chosen.Tied) > 1 {
		chosen.TieBreak = "placement order"
	}
	g.fact(chosen)
	return fitting[best]
}

// compare scores the placements (RunPlacementScorePlugins, 1.37).
func (g *groupCycle) compare(fitting []groupResult) ([]int64, groupStatus) {
	scored := trace.PlacementsScored{Totals: make([]int64, len(fitting))}
	placements := make([]framework.Placement, len(fitting))
	for i, t := range fitting {
		placements[i] = t.placement
		scored.Names = append(scored.Names, t.placement.Name)
	}
	for _, p := range g.profile.PlacementScore {
		column := trace.ScoreColumn{Plugin: p.Name(), Weight: p.Weight, Raw: make([]int64, len(fitting))}
		for i := range fitting {
			score, v := p.ScorePlacement(g.group, g.snapshot, fitting[i].placement, fitting[i].assignments())
			if !v.OK() {
				return nil, brokenGroup(
					fmt.Sprintf("running PlacementScore plugins: plugin %q failed with: %s", p.Name(), v.Message()),
				)
			}
			column.Raw[i] = score
		}
		column.Normalized = slices.Clone(column.Raw)
		if v := p.NormalizePlacements(g.group, placements, column.Normalized); !v.OK() {
			return nil, brokenGroup(fmt.Sprintf(
				"running NormalizePlacementScore on PlacementScore plugins: plugin %q failed with: %s", p.Name(),
				v.Message(),
			))
		}
		for i, score := range column.Normalized {
			scored.Totals[i] += score * p.Weight
		}
		scored.Columns = append(scored.Columns, column)
	}
	g.fact(scored)
	return scored.Totals, groupStatus{}
}
