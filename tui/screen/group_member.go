package screen

import (
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/panel"
	"github.com/schedstep/schedstep/tui/view"
	"github.com/schedstep/schedstep/tui/widget"
)

// ofMember is a panel about one pod that in the cycle of a pod group shows the member that the group's panel points at.
type ofMember struct {
	drawing
	group *panel.Group
}

func (m ofMember) Title(f *session.Frame) string { return m.drawing.Title(m.group.Frame(f)) }

func (m ofMember) Note(f *session.Frame) string { return m.drawing.Note(m.group.Frame(f)) }

func (m ofMember) Draw(f *session.Frame, r widget.Region, focus widget.Focus) {
	m.drawing.Draw(m.group.Frame(f), r, focus)
}

func (m ofMember) Rows(f *session.Frame) int { return rowsOf(m.drawing, m.group.Frame(f)) }

func (m ofMember) Move(f *session.Frame, rows, columns int) {
	m.drawing.Move(m.group.Frame(f), rows, columns)
}

func (m ofMember) MovePages(f *session.Frame, pages int) {
	m.drawing.MovePages(m.group.Frame(f), pages)
}

func (m ofMember) MoveTo(f *session.Frame, end panel.End) { m.drawing.MoveTo(m.group.Frame(f), end) }

func (m ofMember) Point(f *session.Frame, x, y int) bool {
	return m.drawing.Point(m.group.Frame(f), x, y)
}

func (m ofMember) Selection(f *session.Frame) view.Selection {
	return m.group.Within(f, m.drawing.Selection(m.group.Frame(f)))
}

// isOfGroup reports whether the cycle that a frame shows is that of a pod group.
func isOfGroup(f *session.Frame) bool {
	c := f.About()
	return c != nil && c.Group != nil
}

// preempting is the number of the cycle that a frame shows, if that has ended with a preemption, else 0.
func preempting(f *session.Frame) int64 {
	if f == nil {
		return 0
	}
	if c := f.About(); c != nil && c.Ended != nil && c.Ended.Outcome == trace.Preempting {
		return c.Number
	}
	return 0
}

// follow shows the tab that answers the question of a new cycle: the group's for a pod group, in place of Filter that
// of a preemption, and after it the one that was looked at before. A tab that was opened to read facts stays open.
func (p *panes) follow(before, now *session.Frame) {
	is := isOfGroup(now)
	switch {
	case !is && p.tab == tabGroup:
		p.tab = p.alone
	case is && p.tab < tabGroup && (before == nil || !isOfGroup(before) || before.About().Number != now.About().Number):
		p.alone, p.tab = p.tab, tabGroup
	case p.tab == tabPreemption && p.led && preempting(now) == 0:
		p.tab = tabFilter
	case p.tab == tabFilter && preempting(now) > 0 && preempting(now) != preempting(before):
		p.tab, p.led = tabPreemption, true
	}
	p.led = p.led && p.tab == tabPreemption
}

// single are rows of pods only: in the place of a group its members.
func single(rows []session.QueueRow) []session.QueueRow {
	var pods []session.QueueRow
	for _, row := range rows {
		if len(row.Members) == 0 {
			pods = append(pods, row)
			continue
		}
		pods = append(pods, row.Members...)
	}
	return pods
}
