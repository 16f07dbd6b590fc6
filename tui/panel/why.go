package panel

import (
	"slices"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/prose"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// Why explains in words and numbers what is under the cursor of another panel.
type Why struct {
	textPanel
	of Selection
	// Quiet leaves out what would have to change: a learner is to find that out.
	Quiet bool

	width, page int // of the region last drawn in
	signs       *themes.Glyphs

	made told // what was written last; it is written again for another frame or selection
}

// told is an explanation with what it was written for.
type told struct {
	frame *session.Frame
	of    Selection
	signs *themes.Glyphs
	quiet bool
	text  []widget.Paragraph
}

// words are the explanation of what is selected.
func (p *Why) words(f *session.Frame, signs *themes.Glyphs) []widget.Paragraph {
	if p.made.frame != f || p.made.of != p.of || p.made.signs != signs || p.made.quiet != p.Quiet {
		lines := WhyLines(f, p.of)
		if p.Quiet {
			lines = slices.DeleteFunc(slices.Clone(lines), func(l prose.Line) bool { return l.Role == prose.Change })
		}
		p.made = told{f, p.of, signs, p.Quiet, lay(lines, signs)}
	}
	return p.made.text
}

// Explain sets what is explained, and goes to the top when that is something else than before.
func (p *Why) Explain(s Selection) {
	if s != p.of {
		p.of = s
		p.pager.Rewind()
	}
}

// Title is the title of its box.
func (p *Why) Title(f *session.Frame) string {
	switch s := p.of; s.Subject {
	case OfPod, OfPlacement:
		return f.Language.Say("Why: %s", prose.Entity(f.Language, s.Pod))
	case OfNode:
		return f.Language.Say("Why: %s", s.Node)
	case OfFilter, OfScore:
		return f.Language.Say("Why: %s on %s", s.Plugin, s.Node)
	case OfPreemption:
		return f.Language.Say("Why: preemption on %s", s.Node)
	case OfMember:
		return f.Language.Say("Why: %s", s.Pod)
	case OfFact:
		return f.Language.Say("Why: fact %d", s.Fact+1)
	case OfNothing:
	}
	return f.Language.Of("Why")
}

// Note is which lines are seen when not all are, in a region like the one last drawn in.
func (p *Why) Note(f *session.Frame) string {
	if p.signs == nil {
		return ""
	}
	total := 0
	for _, paragraph := range p.words(f, p.signs) {
		total += len(widget.Wrap(paragraph, p.width))
	}
	if total <= p.page {
		return ""
	}
	first, _, _ := p.pager.Seen()
	first = min(first, total-p.page)
	return f.Language.Say("lines %d to %d of %d", first+1, first+p.page, total)
}

// Draw fills the region.
func (p *Why) Draw(f *session.Frame, r widget.Region, _ widget.Focus) {
	p.width, p.page, p.signs = r.Width(), r.Height(), r.Glyphs()
	p.pager.Draw(r, p.words(f, p.signs))
}

// Text is the whole explanation, a paragraph in a string.
func (p *Why) Text(f *session.Frame, signs *themes.Glyphs) []string {
	var text []string
	for _, paragraph := range p.words(f, signs) {
		text = append(text, paragraph.String())
	}
	return text
}

// Selection is what is explained.
func (p *Why) Selection(*session.Frame) Selection { return p.of }

// WhyLines explain a selection; one that does not fit the frame any more explains the cycle.
func WhyLines(f *session.Frame, s Selection) []prose.Line {
	if s.Subject == OfPlacement || s.Subject == OfMember {
		return whyGroup(f, s)
	}
	f = FrameOf(f, s)
	t := f.Try()
	switch {
	case s.Subject == OfPod:
		return whyPod(f, s.Pod)
	case s.Subject == OfFact && s.Fact >= 0 && s.Fact < len(f.Facts):
		return prose.Fact(f, f.Facts[s.Fact])
	case s.Subject == OfNode && hasNode(t, s):
		return append(prose.OnNode(f.Language, t, s.NodeIndex), prose.Stranded(f.Language, f.Stranded(s.Node))...)
	case s.Subject == OfFilter && hasNode(t, s) && s.PluginIndex < len(t.Matrix.Plugins) &&
		t.Matrix.Plugins[s.PluginIndex] == s.Plugin:
		return append(prose.Cell(f.Language, t, s.NodeIndex, s.PluginIndex), numbersOf(f, t, s)...)
	case s.Subject == OfScore && hasScore(f, s):
		return whyScore(f, s)
	case s.Subject == OfPreemption && hasPreemption(t, s):
		return prose.Candidate(f.Language, t, s.NodeIndex)
	}
	return whyCycle(f)
}

// numbersOf is what was compared in a cell of NodeResourcesFit that accepts: a verdict that rejects holds the numbers
// itself.
func numbersOf(f *session.Frame, t *trace.Try, s Selection) []prose.Line {
	state := t.Matrix.Cell(s.NodeIndex, s.PluginIndex)
	if s.Plugin != "NodeResourcesFit" || state != trace.CellPass && state != trace.CellWouldPass {
		return nil
	}
	return prose.Fits(f.Language, f.Wants(), f.Room(s.Node))
}

// hasNode reports whether a try still has the node of a selection in its matrix.
func hasNode(t *trace.Try, s Selection) bool {
	return t != nil && t.Matrix != nil && s.NodeIndex >= 0 && s.NodeIndex < len(t.Matrix.Nodes) &&
		t.Matrix.Nodes[s.NodeIndex] == s.Node
}

// whyScore explains a score, be it one that kube-scheduler did not work out.
func whyScore(f *session.Frame, s Selection) []prose.Line {
	scores, alone := shownScores(f)
	lines := prose.Score(f.Language, scores, s.NodeIndex, s.PluginIndex)
	if alone {
		lines = append(prose.AloneNote(f.Language, f.Supposed()), lines...)
	}
	return lines
}

// hasScore reports whether a frame still has the score of a selection.
func hasScore(f *session.Frame, s Selection) bool {
	scores, _ := shownScores(f)
	if scores == nil {
		return false
	}
	if s.NodeIndex < 0 || s.NodeIndex >= len(scores.Nodes) || scores.Nodes[s.NodeIndex] != s.Node {
		return false
	}
	columns := scores.Columns
	return s.PluginIndex >= 0 && s.PluginIndex < len(columns) && columns[s.PluginIndex].Plugin == s.Plugin
}

// hasPreemption reports whether a try still has the preemption that a selection is about.
func hasPreemption(t *trace.Try, s Selection) bool {
	return t != nil && t.Preemption != nil && s.NodeIndex >= 0 && s.NodeIndex < len(t.Preemption.Nodes) &&
		t.Preemption.Nodes[s.NodeIndex] == s.Node
}

// whyCycle is what came of the pod or the pod group that the frame is about.
func whyCycle(f *session.Frame) []prose.Line {
	c := f.About()
	switch {
	case c == nil:
		return prose.NoPreemption(f.Language, nil)
	case c.Group != nil:
		return prose.Group(f.Language, c)
	}
	return whyPod(f, c.Entity.Key())
}

// whyPod is where a pod or a pod group is and, if the frame is about its cycle, what that found out.
func whyPod(f *session.Frame, key string) []prose.Line {
	e, told := f.Explain(key)
	if !told {
		return prose.NotListed(f.Language, key)
	}
	if isWalking(f) && e.Cycle == f.Try() {
		e.Cycle, e.Says, e.Nearest, e.Rejections, e.Changes, e.Recorded = nil, "", nil, nil, nil, nil
		e.Causes = nil // they would follow from the cells up to here alone
	}
	lines := prose.Pod(e, prose.Usual)
	if c := f.About(); c != nil && c.Group != nil && c.Entity.Key() == key {
		lines = append(lines, prose.Group(f.Language, c)...)
	}
	return lines
}

// whyGroup is what became of a pod group in one placement, or of one of its pods there.
func whyGroup(f *session.Frame, s Selection) []prose.Line {
	c := f.About()
	switch {
	case c == nil || c.Group == nil || s.Placement >= len(c.Group.Placements):
		return whyCycle(f)
	case s.Subject == OfMember:
		return prose.Member(f.Language, c, s.Placement, s.Pod)
	case s.Placement < 0:
		return prose.Group(f.Language, c)
	}
	return prose.Placement(f.Language, c, s.Placement)
}
