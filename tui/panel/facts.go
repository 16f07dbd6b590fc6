package panel

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// Facts is what happened in the step, in order, up to the session's cursor.
type Facts struct {
	only   []trace.Phase // none: all
	filter string        // lower case; "": none

	list  widget.List
	lines factLines
	moved bool // the cursor was moved; until then it is on the last fact
	made  *session.Frame
}

// Only shows the facts of some phases; none named: of all.
func (p *Facts) Only(phases ...trace.Phase) {
	p.only, p.made = phases, nil
}

// Filter shows only facts whose words contain the text, whatever the case; "" shows all.
func (p *Facts) Filter(text string) { p.filter, p.made = strings.ToLower(text), nil }

// Title is the title of its box.
func (p *Facts) Title(f *session.Frame) string {
	return f.Language.Say("Facts of step %d", f.Position.Step)
}

// Note returns how many facts there are.
func (p *Facts) Note(f *session.Frame) string {
	p.sync(f)
	if len(p.only) > 0 || p.filter != "" {
		return f.Language.Say("%d of %s", p.lines.Len(), f.Language.Count(len(f.Facts), "fact"))
	}
	return f.Language.Count(len(f.Facts), "fact")
}

// Draw fills the region.
func (p *Facts) Draw(f *session.Frame, r widget.Region, focus widget.Focus) {
	p.sync(f)
	p.list.Draw(r, &p.lines, focus)
	if p.lines.Len() > 0 {
		return
	}
	text := f.Language.Of("Nothing happened in this step.")
	switch {
	case p.filter != "":
		text = f.Language.Say("No fact of this step contains %q.", p.filter)
	case len(p.only) > 0:
		text = f.Language.Of("Nothing of this kind happened in this step.")
	case f.AtStart:
		text = f.Language.Of("This is the start: nothing has happened yet.")
	}
	widget.DrawParagraph(r, 0, widget.Plain(themes.Muted, text))
}

// Move takes the cursor some facts down.
func (p *Facts) Move(f *session.Frame, rows, _ int) {
	p.sync(f)
	p.list.Move(&p.lines, rows)
	p.moved = true
}

// MovePages takes the cursor whole windows down; less than zero is up.
func (p *Facts) MovePages(f *session.Frame, pages int) {
	p.sync(f)
	p.list.MovePages(&p.lines, pages)
	p.moved = true
}

// MoveTo takes the cursor to the first or the last fact.
func (p *Facts) MoveTo(f *session.Frame, end End) {
	p.sync(f)
	line := 0
	if end == Last {
		line = p.lines.Len() - 1
	}
	p.list.MoveTo(&p.lines, line)
	p.moved = end == First
}

// Point puts the cursor on the fact drawn at a place of the region; false: none is there.
func (p *Facts) Point(f *session.Frame, _, y int) bool {
	p.sync(f)
	line, ok := p.list.At(&p.lines, y)
	if ok {
		p.list.MoveTo(&p.lines, line)
		p.moved = true
	}
	return ok
}

// Selection is the fact under the cursor.
func (p *Facts) Selection(f *session.Frame) view.Selection {
	p.sync(f)
	s := view.Nothing()
	if line, ok := p.list.Cursor(&p.lines); ok {
		s.Subject, s.Fact = view.OfFact, p.lines.index[line]
		if f.Cycle != nil {
			s.Pod = f.Cycle.Entity.Key()
		}
	}
	return s
}

// sync makes the lines for a frame. A new frame takes the cursor to its last fact, which is the newest.
func (p *Facts) sync(f *session.Frame) {
	if p.made == f {
		return
	}
	if p.made != nil && p.made.Position.Step != f.Position.Step {
		p.moved = false
	}
	p.made = f
	p.lines = factLines{render: f.Tell, nameOf: f.NameOf, facts: f.Facts, index: p.lines.index[:0]}
	for i, fact := range f.Facts {
		if p.shows(fact) {
			p.lines.index = append(p.lines.index, i)
		}
	}
	if !p.moved {
		p.list.MoveTo(&p.lines, p.lines.Len()-1)
	}
}

func (p *Facts) shows(fact trace.Fact) bool {
	return (len(p.only) == 0 || slices.Contains(p.only, fact.Phase())) &&
		(p.filter == "" || strings.Contains(strings.ToLower(fact.String()), p.filter))
}

// factLines are facts as a widget.Lines.
type factLines struct {
	render func(phrase.Phrase) string
	nameOf func(trace.Phase) string
	facts  []trace.Fact
	index  []int // of those shown
}

// Len is the number of facts shown.
func (l *factLines) Len() int { return len(l.index) }

// IsHeading is false: every fact can be looked at.
func (l *factLines) IsHeading(int) bool { return false }

// phaseWidth is the room for the name of a phase in front of a fact.
const phaseWidth = 10

// DrawLine draws the phase, where it begins, and the fact.
func (l *factLines) DrawLine(line int, r widget.Region) {
	fact := l.facts[l.index[line]]
	phase := fact.Phase()
	paint := phasePaint(phase)
	text := l.render(trace.Beside(fact))
	x := 0
	if r.Width() >= 40 {
		if line == 0 || l.facts[l.index[line-1]].Phase() != phase {
			r.Fit(0, 0, phaseWidth, paint.Strong(), l.nameOf(phase), widget.Left)
		}
		x = phaseWidth + 1
	} else {
		text = l.render(fact.Phrase())
	}
	sign, signPaint := factSign(fact, r.Glyphs())
	r.Text(x, 0, signPaint, sign)
	r.Fit(x+2, 0, r.Width()-x-2, themes.Text, text, widget.Left)
}

// phasePaint is the paint of a phase's name: one for each part of the way of a pod.
func phasePaint(p trace.Phase) themes.Paint {
	switch p {
	case trace.PhaseQueue:
		return themes.QueueBackoff
	case trace.PhaseCluster, trace.PhaseClock:
		return themes.Muted
	case trace.PhaseFailure:
		return themes.Fail
	case trace.PhaseReserve, trace.PhasePermit, trace.PhasePreBind, trace.PhaseBind, trace.PhasePostBind:
		return themes.QueueInFlight
	case trace.PhasePop, trace.PhaseEnd:
		return themes.Title
	}
	return themes.Accent
}

// factSign is the glyph of how a fact turned out.
func factSign(fact trace.Fact, g *themes.Glyphs) (string, themes.Paint) {
	if _, v, is := trace.AnswerIn(fact); is {
		return verdictSign(v, g)
	}
	switch f := fact.(type) {
	case trace.Extended:
		switch {
		case f.Failure == "":
			return string(g.Pass), themes.Pass
		case f.Ignored:
			return string(g.Bullet), themes.Warn
		}
		return string(g.Fail), themes.Fail
	case trace.Filtered:
		if f.Matrix.FeasibleCount() == 0 {
			return string(g.Fail), themes.Fail
		}
		return string(g.Pass), themes.Pass
	case trace.Ended:
		return outcomeSign(f.Outcome, g)
	case trace.PlacementEnded:
		return verdictSign(f.Verdict, g)
	case trace.MemberEnded:
		return verdictSign(trace.Verdict{Code: f.Code}, g)
	case trace.MemberSettled:
		return outcomeSign(f.Outcome, g)
	case trace.Diverged, trace.Stayed, trace.KubeletRefused, trace.DoubleBooked, trace.EquivalenceStale:
		return string(g.Divergence), themes.Warn
	case trace.Observed, trace.ClockMoved:
		return string(g.Event), themes.Accent
	case trace.Moved, trace.Nominated:
		return string(g.Arrow), themes.QueueBackoff
	}
	return string(g.Bullet), themes.Muted
}
