package panel

import (
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/view"
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
	if s.Subject != view.OfMember && s.Subject != view.OfPlacement || s.Placement < 0 {
		return f
	}
	if p.shown.of != f || p.shown.placement != s.Placement || p.shown.pod != s.Pod {
		p.shown = member{f, s.Placement, s.Pod, view.FrameOfMember(f, s)}
	}
	return p.shown.frame
}

// Who is the member that Frame is about, and the placement in which it was tried; "" when Frame is about no member.
func (p *Group) Who(f *session.Frame) string {
	return view.MemberName(f, p.Frame(f), p.Selection(f))
}

// Within adds to a selection in a frame of Frame the member whose try it is about.
func (p *Group) Within(f *session.Frame, s view.Selection) view.Selection {
	if p.Frame(f) != f {
		s.Placement = p.Selection(f).Placement
	}
	return s
}
