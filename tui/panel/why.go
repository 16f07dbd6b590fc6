package panel

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/prose"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// Why says in words and numbers what is under the cursor of another panel.
type Why struct {
	of    Selection
	pager widget.Pager

	width, page int // of the region last drawn in
	signs       *themes.Glyphs

	made told // what was written last; it is written again for another frame or selection
}

// told is an explanation with what it was written for.
type told struct {
	frame *session.Frame
	of    Selection
	signs *themes.Glyphs
	text  []widget.Paragraph
}

// words are the explanation of what is selected.
func (p *Why) words(f *session.Frame, signs *themes.Glyphs) []widget.Paragraph {
	if p.made.frame != f || p.made.of != p.of || p.made.signs != signs {
		p.made = told{f, p.of, signs, words(f, p.of, signs)}
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
func (p *Why) Title(*session.Frame) string {
	switch s := p.of; s.Subject {
	case OfPod, OfPlacement:
		return "Why: " + entityKey(s.Pod)
	case OfNode:
		return "Why: " + s.Node
	case OfFilter, OfScore:
		return "Why: " + s.Plugin + " on " + s.Node
	case OfPreemption:
		return "Why: preemption on " + s.Node
	case OfMember:
		return "Why: " + s.Pod
	case OfFact:
		return fmt.Sprintf("Why: fact %d", s.Fact+1)
	case OfNothing:
	}
	return "Why"
}

// Note tells which lines are seen when not all are, in a region like the one last drawn in.
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
	return fmt.Sprintf("lines %d to %d of %d", first+1, first+p.page, total)
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

// Move scrolls some lines down.
func (p *Why) Move(_ *session.Frame, rows, _ int) { p.pager.Scroll(rows) }

// MovePages scrolls by whole windows; less than zero is up.
func (p *Why) MovePages(_ *session.Frame, pages int) { p.pager.ScrollPages(pages) }

// MoveTo scrolls to the first or the last line.
func (p *Why) MoveTo(_ *session.Frame, end End) {
	p.pager.Rewind()
	if end == Last {
		_, _, total := p.pager.Seen()
		p.pager.Scroll(total)
	}
}

// Point does nothing: text has no cursor.
func (p *Why) Point(*session.Frame, int, int) bool { return false }

// Selection is what is explained.
func (p *Why) Selection(*session.Frame) Selection { return p.of }

// telling is an explanation being written.
type telling struct {
	frame *session.Frame
	cycle *trace.Cycle // nil before the first
	try   *trace.Try   // the latest of the cycle; nil where that is
	signs *themes.Glyphs
	text  []widget.Paragraph
}

// words explain a selection; one that does not fit the frame any more explains the cycle.
func words(f *session.Frame, s Selection, signs *themes.Glyphs) []widget.Paragraph {
	w := &telling{frame: f, cycle: f.About(), try: f.Try(), signs: signs}
	if s.Subject == OfPlacement || s.Subject == OfMember {
		w.group(s)
		return w.text
	}
	if one := FrameOf(f, s); one != f {
		w.frame, w.cycle, w.try = one, one.About(), one.Try()
	}
	c := w.try
	switch {
	case s.Subject == OfPod:
		w.pod(s.Pod)
	case s.Subject == OfFact && s.Fact >= 0 && s.Fact < len(f.Facts):
		w.fact(f.Facts[s.Fact])
	case s.Subject == OfNode && w.hasNode(s):
		w.node(s.NodeIndex)
	case s.Subject == OfFilter && w.hasNode(s) && s.PluginIndex < len(c.Matrix.Plugins) &&
		c.Matrix.Plugins[s.PluginIndex] == s.Plugin:
		w.filter(s.NodeIndex, s.PluginIndex)
	case s.Subject == OfScore && w.hasScore(s):
		w.score(s.NodeIndex, s.PluginIndex)
	case s.Subject == OfPreemption && w.hasPreemption(s):
		w.preemption(s.NodeIndex)
	default:
		w.wholeCycle()
	}
	return w.text
}

// hasNode says whether the frame still has the node of a selection in its matrix.
func (w *telling) hasNode(s Selection) bool {
	c := w.try
	return c != nil && c.Matrix != nil && s.NodeIndex >= 0 && s.NodeIndex < len(c.Matrix.Nodes) &&
		c.Matrix.Nodes[s.NodeIndex] == s.Node
}

// hasScore says whether the frame still has the score of a selection.
func (w *telling) hasScore(s Selection) bool {
	if w.try == nil || w.try.Scores == nil {
		return false
	}
	scores := w.try.Scores
	if s.NodeIndex < 0 || s.NodeIndex >= len(scores.Nodes) || scores.Nodes[s.NodeIndex] != s.Node {
		return false
	}
	return s.PluginIndex >= 0 && s.PluginIndex < len(scores.Columns) && scores.Columns[s.PluginIndex].Plugin == s.Plugin
}

func (w *telling) say(p themes.Paint, text string) { w.text = append(w.text, widget.Plain(p, text)) }

func (w *telling) line(spans ...widget.Span) { w.text = append(w.text, spans) }

// signed is a sentence with the sign of what it says in front.
func (w *telling) signed(sign rune, p themes.Paint, text string) {
	w.line(widget.Span{Text: string(sign) + " ", Paint: p}, widget.Span{Text: text, Paint: themes.Text})
}

// wholeCycle sums up the cycle the frame is about.
func (w *telling) wholeCycle() {
	c := w.cycle
	if c == nil {
		w.say(themes.Muted, "No pod was tried yet.")
		return
	}
	if c.Group != nil {
		w.wholeGroup()
		return
	}
	if c.Number > 0 {
		w.line(
			widget.Span{Text: c.Entity.Key(), Paint: themes.Title.Strong()},
			widget.Span{Text: fmt.Sprintf(
				": cycle %d, attempt %d, priority %d, taken from %s.", c.Number, c.Attempt, c.Entity.Priority, c.From,
			), Paint: themes.Text},
		)
	}
	t := w.try
	if n := t.Nominated; n != nil && !n.Feasible {
		w.say(themes.Text, fmt.Sprintf(
			"Its nominated node %s was tried first and does not fit: %s, %s.", n.Node, n.Plugin, n.Verdict.Message(),
		))
	}
	if t.Matrix != nil && !isWalking(w.frame) {
		w.say(themes.Text, fmt.Sprintf(
			"%s of %d looked at, %d fit.", many(len(t.Matrix.Visited), "node"), len(t.Matrix.Nodes),
			t.Matrix.FeasibleCount(),
		))
	}
	w.ending()
	if t.Matrix != nil && !isWalking(w.frame) {
		w.lines(prose.Tried(session.Judge(t), prose.Usual))
	}
}

// lines lays lines out: a paint for each role, two columns for each level, and a bullet before evidence.
func (w *telling) lines(lines []prose.Line) {
	for _, l := range lines {
		paint := linePaints[l.Role]
		text := strings.Repeat("  ", l.Level)
		if l.Role == prose.Evidence {
			text += string(w.signs.Bullet) + " "
		}
		w.say(paint, text+l.Text)
	}
}

// linePaints are how lines of prose look, by their role.
var linePaints = [...]themes.Paint{
	prose.Verdict: themes.Text, prose.Heading: themes.Title.Strong(), prose.Evidence: themes.Text,
	prose.Change: themes.Accent, prose.Note: themes.Muted,
}

// ending says how the cycle ended, if it did.
func (w *telling) ending() {
	c := w.cycle
	for _, post := range w.try.PostFilter {
		sign, paint := verdictSign(post.Verdict, w.signs)
		text := fmt.Sprintf("PostFilter %s: %s", post.Plugin, post.Verdict.String())
		if post.Nominated != "" {
			text += "; nominated on " + post.Nominated
		}
		w.line(widget.Span{Text: sign + " ", Paint: paint}, widget.Span{Text: text, Paint: themes.Text})
	}
	if c.Diverged != nil {
		w.signed(w.signs.Divergence, themes.Warn, c.Diverged.String())
	}
	if c.Ended == nil {
		return
	}
	w.text = append(w.text, outcomeText(c, w.signs))
	if c.Ended.Message != "" {
		w.say(themes.Text, prose.Says(c.Ended.Message))
	}
}

// fact is one fact in full, with what it rests on.
func (w *telling) fact(fact trace.Fact) {
	sign, paint := factSign(fact, w.signs)
	w.line(widget.Span{Text: sign + " ", Paint: paint}, widget.Span{Text: fact.String(), Paint: themes.Text})
	switch f := fact.(type) {
	case trace.PreFiltered:
		w.evidence(f.Verdict.Evidence, nil)
	case trace.NominatedTried:
		w.evidence(f.Verdict.Evidence, nil)
	case trace.BatchHint:
		w.evidence(f.Verdict.Evidence, nil)
	case trace.PostFiltered:
		w.evidence(f.Verdict.Evidence, nil)
	case trace.PreScored:
		w.evidence(f.Verdict.Evidence, nil)
	case trace.Ran:
		w.evidence(f.Verdict.Evidence, nil)
	}
}
