package panel

import (
	"slices"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// Why explains in words and numbers what is under the cursor of another panel.
type Why struct {
	textPanel
	of view.Selection
	// Quiet leaves out what would have to change: a learner is to find that out.
	Quiet bool

	width, page int // of the region last drawn in
	signs       *themes.Glyphs

	made told // what was written last; it is written again for another frame or selection
}

// told is an explanation, with the frame, selection and glyphs it was written for.
type told struct {
	frame *session.Frame
	of    view.Selection
	signs *themes.Glyphs
	quiet bool
	text  []widget.Paragraph
}

// words are the explanation of what is selected.
func (p *Why) words(f *session.Frame, signs *themes.Glyphs) []widget.Paragraph {
	if p.made.frame != f || p.made.of != p.of || p.made.signs != signs || p.made.quiet != p.Quiet {
		lines := view.WhyLines(f, p.of)
		if p.Quiet {
			lines = slices.DeleteFunc(slices.Clone(lines), func(l prose.Line) bool { return l.Role == prose.Change })
		}
		p.made = told{f, p.of, signs, p.Quiet, lay(lines, signs)}
	}
	return p.made.text
}

// Explain sets what is explained, and goes to the top when that is something else than before.
func (p *Why) Explain(s view.Selection) {
	if s != p.of {
		p.of = s
		p.pager.Rewind()
	}
}

// Title is the title of its box.
func (p *Why) Title(f *session.Frame) string {
	switch s := p.of; s.Subject {
	case view.OfPod, view.OfPlacement:
		return f.Language.Say("Why: %s", prose.Entity(f.Language, s.Pod))
	case view.OfNode:
		return f.Language.Say("Why: %s", s.Node)
	case view.OfFilter, view.OfScore:
		return f.Language.Say("Why: %s on %s", s.Plugin, s.Node)
	case view.OfPreemption:
		return f.Language.Say("Why: preemption on %s", s.Node)
	case view.OfMember:
		return f.Language.Say("Why: %s", s.Pod)
	case view.OfFact:
		return f.Language.Say("Why: fact %d", s.Fact+1)
	case view.OfNothing:
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
func (p *Why) Selection(*session.Frame) view.Selection { return p.of }
