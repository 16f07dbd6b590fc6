package panel

import (
	"slices"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session"
)

// member is a frame seen as that of one member, and what it was made of.
type member struct {
	of        *session.Frame
	placement int
	pod       string
	frame     *session.Frame
}

// Frame is the frame that panels about one pod show: that of the member under the cursor, under a placement that of
// its first. The frame itself when its cycle is not of a pod group, or nobody was tried.
func (p *Group) Frame(f *session.Frame) *session.Frame {
	s := p.Selection(f)
	if s.Subject != OfMember && s.Subject != OfPlacement || s.Placement < 0 {
		return f
	}
	if p.shown.of != f || p.shown.placement != s.Placement || p.shown.pod != s.Pod {
		p.shown = member{f, s.Placement, s.Pod, FrameOf(f, s)}
	}
	return p.shown.frame
}

// Who is the member whose frame Frame gives, and where it was tried; "" when it gives the frame itself.
func (p *Group) Who(f *session.Frame) string {
	c := cycleOf(p.Frame(f))
	if c == nil || c == cycleOf(f) {
		return ""
	}
	g := p.table.group
	at := &g.Placements[p.Selection(f).Placement]
	return podName(c.Entity.Key()) + " in " + placementName(g, at)
}

// FrameOf is a frame as it would be if the cycle were only about the member that is selected, in the placement where
// it was tried. The frame itself where the selection is of nothing that a member's try has said.
func FrameOf(f *session.Frame, s Selection) *session.Frame {
	c := cycleOf(f)
	if c == nil || c.Group == nil || s.Placement < 0 || s.Placement >= len(c.Group.Placements) {
		return f
	}
	p := &c.Group.Placements[s.Placement]
	at := slices.IndexFunc(p.Members, func(m trace.Member) bool { return m.Entity.Key() == s.Pod })
	if at < 0 && s.Subject == OfPlacement && len(p.Members) > 0 {
		at = 0
	}
	one := *f
	var tried *trace.Cycle
	switch k := slices.IndexFunc(c.Group.Members, func(m trace.Entity) bool { return m.Key() == s.Pod }); {
	case at >= 0:
		tried = memberCycle(c, s.Placement, at)
	case k >= 0:
		tried = untriedCycle(c, p, c.Group.Members[k])
	default:
		return f
	}
	if one.Cycle == nil {
		one.Last = tried
		return &one
	}
	one.Cycle = tried
	if s.Placement != len(c.Group.Placements)-1 || at != len(p.Members)-1 || at < 0 {
		one.Cell, one.Position.Cell = nil, 0
	}
	return &one
}

// memberCycle is the try of a member as a cycle of its own.
func memberCycle(c *trace.Cycle, placement, at int) *trace.Cycle {
	p := &c.Group.Placements[placement]
	m := p.Members[at]
	if chosen := c.Group.Chosen(); c.Ended != nil && chosen.Name == p.Name {
		if about := c.About(m.Entity.Key()); about != nil {
			return about
		}
	}
	one := *m.Cycle
	if m.Ended != nil && m.Ended.Code != trace.Success {
		one.Ended = &trace.Ended{
			Outcome: trace.NotSchedulable, Message: m.Ended.Message, Evaluated: m.Ended.Evaluated, Feasible: m.Ended.Feasible,
			Plugins: m.Ended.Plugins, Pending: m.Ended.Pending,
		}
	}
	return &one
}

// untriedCycle is a cycle in which nobody looked for a node for a member.
func untriedCycle(c *trace.Cycle, p *trace.Placement, pod trace.Entity) *trace.Cycle {
	one := &trace.Cycle{
		Number: c.Number, Time: c.Time, Profile: c.Profile, Entity: pod, Attempt: c.Attempt, Nodes: c.Nodes,
		Phase: trace.PhasePop,
	}
	if p.Ended != nil {
		one.Ended = &trace.Ended{Outcome: trace.NotSchedulable, Message: podName(pod.Key()) + " was not tried in " +
			placementName(c.Group, p) + "."}
	}
	return one
}

// Within says of a selection in a frame that Frame gave whose try it is about.
func (p *Group) Within(f *session.Frame, s Selection) Selection {
	if p.Frame(f) != f {
		s.Placement = p.Selection(f).Placement
	}
	return s
}
