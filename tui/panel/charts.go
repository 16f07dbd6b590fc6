package panel

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/widget"
)

// Charts is what the other panels do not draw: the waiting pods after each cycle, how evenly the pods of the present
// one's rules are spread over their domains, how the figures of the run went, and how much is requested of each node
// now and was before the first cycle.
type Charts struct {
	filter string // in lower case; "": none

	list  widget.List
	lines chartLines
	made  *session.Frame
}

// Title is the title of its box.
func (p *Charts) Title(f *session.Frame) string {
	return view.Listed(f.Language, f.Language.Of("Charts"), which(f))
}

// Note is the number of nodes that the bars show.
func (p *Charts) Note(f *session.Frame) string { return f.Language.Count(len(f.At.Usage()), "node") }

// Filter shows only rows whose words contain the text, whatever the case; "" shows all.
func (p *Charts) Filter(text string) { p.filter, p.made = strings.ToLower(text), nil }

// Filtered is the text that Filter was given, in lower case.
func (p *Charts) Filtered() string { return p.filter }

// Draw fills the region.
func (p *Charts) Draw(f *session.Frame, r widget.Region, focus widget.Focus) {
	p.sync(f)
	p.list.Draw(r, p.lines, focus)
}

// Move takes the cursor some rows down.
func (p *Charts) Move(f *session.Frame, rows, _ int) {
	p.sync(f)
	p.list.Move(p.lines, rows)
}

// MovePages takes the cursor whole windows down; less than zero is up.
func (p *Charts) MovePages(f *session.Frame, pages int) {
	p.sync(f)
	p.list.MovePages(p.lines, pages)
}

// MoveTo takes the cursor to the first or the last row.
func (p *Charts) MoveTo(f *session.Frame, end End) {
	p.sync(f)
	line := 0
	if end == Last {
		line = p.lines.Len() - 1
	}
	p.list.MoveTo(p.lines, line)
}

// Point puts the cursor on the row drawn at a place of the region; false: none is there.
func (p *Charts) Point(f *session.Frame, _, y int) bool {
	p.sync(f)
	line, ok := p.list.At(p.lines, y)
	if ok {
		p.list.MoveTo(p.lines, line)
	}
	return ok
}

// Selection is the node whose bars are under the cursor.
func (p *Charts) Selection(f *session.Frame) view.Selection {
	p.sync(f)
	s := view.Nothing()
	line, ok := p.list.Cursor(p.lines)
	if !ok {
		return s
	}
	used, is := p.lines.rows[line].(view.UsageLine)
	if !is {
		return s
	}
	s.Node = used.Node
	if t := f.Try(); t != nil && t.Matrix != nil {
		if s.NodeIndex = slices.Index(t.Matrix.Nodes, s.Node); s.NodeIndex >= 0 {
			s.Subject, s.Pod = view.OfNode, f.About().Entity.Key()
		}
	}
	return s
}

func (p *Charts) sync(f *session.Frame) {
	if p.made == f {
		return
	}
	p.made, p.lines = f, chartLines{lang: f.Language}
	for _, l := range view.ChartsOf(f) {
		if p.filter == "" || view.Matches(l.Words(f.Language), p.filter) {
			p.lines.rows = append(p.lines.rows, l)
		}
	}
}

// chartLines are the rows for a list.
type chartLines struct {
	lang words.Language
	rows []view.ChartLine
}

func (l chartLines) Len() int           { return len(l.rows) }
func (l chartLines) IsHeading(int) bool { return false }
func (l chartLines) DrawLine(line int, r widget.Region) {
	drawChart(l.rows[line], l.lang, r)
}
