package panel

import (
	"github.com/schedstep/schedstep/replay/prose"
	"github.com/schedstep/schedstep/replay/session"
)

// member is a frame seen as that of one member, and what it was made of.
type member struct {
	of        *session.Frame
	placement int
	pod       string
	frame     *session.Frame
}

// Frame is the frame that panels about one pod show: that of the member under the cursor, under a placement that of its
// first. The frame itself when its cycle is not of a pod group, or no member was tried.
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

// Who is the member that Frame is about, and the placement in which it was tried; "" when Frame is about no member.
func (p *Group) Who(f *session.Frame) string {
	c := p.Frame(f).About()
	if c == nil || c == f.About() {
		return ""
	}
	g := p.table.group
	at := &g.Placements[p.Selection(f).Placement]
	return podName(f.Language, c.Entity.Key()) + " " + prose.InDomain(f.Language, g, at.Name)
}

// FrameOf is a frame as it would be if the cycle were only about the member that is selected, in the placement where it
// was tried. It is the frame itself where the selection is not of a member's try.
func FrameOf(f *session.Frame, s Selection) *session.Frame {
	c := f.About()
	if c == nil || c.Group == nil || s.Placement < 0 || s.Placement >= len(c.Group.Placements) {
		return f
	}
	p := &c.Group.Placements[s.Placement]
	t := p.Try(s.Pod)
	if t == nil && s.Subject == OfPlacement && p.Tried() > 0 {
		t = p.Members[0]
	}
	if t == nil {
		return f
	}
	one := *f
	if one.Cycle == nil {
		one.Last = t.Alone()
		return &one
	}
	one.Cycle = t.Alone()
	if t != c.Latest() {
		one.Cell, one.Position.Cell = nil, 0
	}
	return &one
}

// Within adds to a selection in a frame of Frame the member whose try it is about.
func (p *Group) Within(f *session.Frame, s Selection) Selection {
	if p.Frame(f) != f {
		s.Placement = p.Selection(f).Placement
	}
	return s
}
