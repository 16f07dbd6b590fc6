package panel

import (
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/view"
	"github.com/schedstep/schedstep/tui/widget"
)

// Scores is the Score phase: a row for every node that was scored, a column for every score plugin, each number on a
// ground that is the darker the better; below, why the chosen node won. Where one node alone is feasible,
// kube-scheduler scores nothing: the scores that the plugins would return stand in brackets.
//
// Filter looks for its text in the name of a node. Of the orders ByVerdict and ByNearestMiss count as ByTotal.
type Scores struct {
	nodePanel
	sorting
	numbers view.Numbers

	table scoreTable
	made  view.ScoreKey
}

// NewScores is an empty panel.
func NewScores() *Scores {
	p := new(Scores)
	p.nodePanel = nodePanel{nodes: &p.table, ready: p.sync}
	return p
}

// Show sets which numbers are shown.
func (p *Scores) Show(n view.Numbers) { p.numbers = n }

// Shown is which numbers are shown.
func (p *Scores) Shown() view.Numbers { return p.numbers }

// Title is the title of its box.
func (p *Scores) Title(f *session.Frame) string {
	title := f.NameOf(trace.PhaseScore) + f.Language.Of(": ") + p.numbers.Heading(f.Language)
	return view.Listed(f.Language, title, which(f))
}

// Note is how many nodes were scored.
func (p *Scores) Note(f *session.Frame) string {
	if !p.sync(f) {
		return ""
	}
	if p.table.Alone {
		return f.Language.Of("not scored: in brackets")
	}
	scored := f.Language.Say("%s scored", f.Language.Count(len(p.table.Scores.Index), "node"))
	if p.filter != "" {
		scored = f.Language.Say("%d of %s with %q", len(p.table.Places), scored, p.filter)
	}
	return view.Listed(f.Language, scored, f.Language.Say("by %s", view.ScoreOrder(p.order).Heading(f.Language)))
}

// Rows is how many rows the table fills, with its header and the lines below it.
func (p *Scores) Rows(f *session.Frame) int {
	if !p.sync(f) {
		return emptyRows
	}
	return len(p.table.Places) + 2 + 2*len(p.said(f))
}

// Draw fills the region.
func (p *Scores) Draw(f *session.Frame, r widget.Region, focus widget.Focus) {
	r.Fill(themes.Text)
	if !p.sync(f) {
		drawInstead(r, append(prose.NoScores(f.Language, f.Try()), prose.Alone(f.Language, f.At.Supposed(f.Try()))...))
		return
	}
	below := wrapped(lay(p.said(f), r.Glyphs()), r.Width(), max(r.Height()-1, 0)/2)
	body := drawAround(r, nil, below)
	if p.table.layOut(body.Width(), p.numbers) {
		p.grid.arrange(&p.table, p.table.titles, 2)
	}
	p.table.sign, p.table.guess = string(r.Glyphs().Pass)+" ", string(r.Glyphs().Guess)
	p.grid.Draw(body, &p.table, focus)
	if len(p.table.Places) == 0 {
		body.Text(1, 1, themes.Muted, f.Language.Say("No scored node has a name with %s", p.filter))
	}
}

// said is the text below the table.
func (p *Scores) said(f *session.Frame) []prose.Line {
	if p.table.Alone {
		return prose.AloneNote(f.Language, f.At.Supposed(f.Try()))
	}
	return prose.Won(f.Language, f.Try())
}

// sync makes the table for a frame; false when the frame has nothing to show.
func (p *Scores) sync(f *session.Frame) bool {
	key, is := view.ScoreKeyOf(f, p.order, p.filter)
	if !is {
		return false
	}
	if key == p.made {
		return true
	}
	if p.table.matrix = f.Try().Matrix; key.Scores != p.made.Scores {
		p.table.measure(key.Scores)
	}
	p.made = key
	p.table.Language = f.Language
	p.table.Choose(key)
	p.table.layOut(p.table.width, p.numbers)
	p.grid.arrange(&p.table, p.table.titles, 2)
	return true
}
