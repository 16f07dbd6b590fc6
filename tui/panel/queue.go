package panel

import (
	"strings"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/widget"
)

// Queue shows which pods wait in which queue, and why there: each queue under a heading with its count.
type Queue struct {
	filter string // in lower case

	list  widget.List
	lines queueLines
	pod   string // under the cursor, so that it stays there when the pod moves
	made  *session.Frame
	by    string // the filter lines were made with
}

// Filter shows only pods whose name contains the text, whatever the case; "" shows all.
func (p *Queue) Filter(text string) { p.filter = strings.ToLower(text) }

// Filtered is the text that Filter was given, in lower case.
func (p *Queue) Filtered() string { return p.filter }

// Title is the title of its box.
func (p *Queue) Title(f *session.Frame) string { return f.Language.Of("Queue") }

// Note is the size of the cluster the queue is for.
func (p *Queue) Note(f *session.Frame) string {
	filtered := ""
	if p.filter != "" {
		filtered = f.Language.Say("with %q", p.filter)
	}
	pods, nodes := f.Language.Count(f.Pods, "pod"), f.Language.Count(f.Nodes, "node")
	return view.Listed(f.Language, filtered, f.Shown, pods, nodes)
}

// Draw fills the region.
func (p *Queue) Draw(f *session.Frame, r widget.Region, focus widget.Focus) {
	p.sync(f)
	p.list.Draw(r, &p.lines, focus)
}

// Move takes the cursor some pods down; queues have no columns.
func (p *Queue) Move(f *session.Frame, rows, _ int) {
	p.sync(f)
	p.list.Move(&p.lines, rows)
	p.remember()
}

// MovePages takes the cursor whole windows down; less than zero is up.
func (p *Queue) MovePages(f *session.Frame, pages int) {
	p.sync(f)
	p.list.MovePages(&p.lines, pages)
	p.remember()
}

// MoveTo takes the cursor to the first or the last pod.
func (p *Queue) MoveTo(f *session.Frame, end End) {
	p.sync(f)
	line := 0
	if end == Last {
		line = p.lines.Len() - 1
	}
	p.list.MoveTo(&p.lines, line)
	p.remember()
}

// Point puts the cursor on what was drawn at a place of the region; false: no pod is there.
func (p *Queue) Point(f *session.Frame, _, y int) bool {
	p.sync(f)
	line, ok := p.list.At(&p.lines, y)
	if !ok || p.lines.IsHeading(line) {
		return false
	}
	p.list.MoveTo(&p.lines, line)
	p.remember()
	return true
}

// Find puts the cursor on a pod; false if it is not shown.
func (p *Queue) Find(f *session.Frame, pod string) bool {
	p.sync(f)
	line := p.lines.lineOf(pod)
	if line < 0 {
		return false
	}
	p.list.MoveTo(&p.lines, line)
	p.pod = pod
	return true
}

// Selection is the pod under the cursor.
func (p *Queue) Selection(f *session.Frame) view.Selection {
	p.sync(f)
	s := view.Nothing()
	if line, ok := p.list.Cursor(&p.lines); ok {
		s.Subject, s.Pod = view.OfPod, p.lines.all[line].row.Pod
	}
	return s
}

func (p *Queue) remember() {
	if line, ok := p.list.Cursor(&p.lines); ok {
		p.pod = p.lines.all[line].row.Pod
	}
}

// sync makes the lines for a frame and keeps the cursor on its pod.
func (p *Queue) sync(f *session.Frame) {
	if p.made == f && p.by == p.filter {
		return
	}
	p.made, p.by = f, p.filter
	p.lines.fill(f, p.filter)
	if line := p.lines.lineOf(p.pod); p.pod != "" && line >= 0 {
		p.list.MoveTo(&p.lines, line)
	}
}
