package panel

import (
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/view"
	"github.com/schedstep/schedstep/tui/widget"
)

// Preemption shows which pods a pod that fits nowhere could evict: first the candidates in the order the criteria rank
// them, then every other node with the reason why it is none; below, what decided. A star marks the number that puts a
// candidate behind the one above it.
//
//	     node  PDB highest sum pods  age     what leaves, or why not
//	✔ 1  n2      0       1   1    1  1h00m   young
//	  2  n1      0      *5   5    1  24h00m  old (may stay: log-0)
//	✘    n3                                  Fit: Insufficient cpu, even if all less important pods left
//
// Filter looks for its text in the name, the victims and the reason of a node.
type Preemption struct {
	nodePanel
	table preemptionTable
	made  view.PreemptionKey
}

// NewPreemption is an empty panel.
func NewPreemption() *Preemption {
	p := new(Preemption)
	p.nodePanel = nodePanel{nodes: &p.table, ready: p.sync}
	return p
}

// Title is the title of its box.
func (p *Preemption) Title(f *session.Frame) string {
	return view.Listed(f.Language, f.Language.Of("Preemption"), which(f))
}

// Note counts the candidates.
func (p *Preemption) Note(f *session.Frame) string {
	if !p.sync(f) {
		return ""
	}
	story := p.table.Preemption
	nodes := f.Language.Count(len(story.Nodes), "node")
	return view.Listed(f.Language, p.kept(f, len(p.table.Lines), nodes), f.Language.Say(
		"%s among %s", f.Language.Count(story.Found, "candidate"), nodes,
	))
}

// Draw fills the region.
func (p *Preemption) Draw(f *session.Frame, r widget.Region, focus widget.Focus) {
	r.Fill(themes.Text)
	if !p.sync(f) {
		drawInstead(r, prose.NoPreemption(f.Language, f.About()))
		return
	}
	below := wrapped(lay(prose.Preemption(f.Language, f.Try().Preemption), r.Glyphs()), r.Width(), max(r.Height()-1, 0)/2)
	body := drawAround(r, nil, below)
	p.arrange(body.Width())
	p.table.prepare(body.Glyphs())
	p.grid.Draw(body, &p.table, focus)
	drawLegend(body, len(p.table.Lines), p.legend(f.Language, body.Glyphs()))
	if len(p.table.Lines) == 0 && p.filter != "" {
		body.Text(1, 1, themes.Muted, f.Language.Say("No node has a name, a victim or a reason with %s", p.filter))
	}
}

// legend is what the signs mean.
func (p *Preemption) legend(lang words.Language, g *themes.Glyphs) []part {
	return []part{
		{widget.Plain(themes.Muted, lang.Of(" * puts it behind the one above")), 1},
		{widget.Plain(themes.Muted, lang.Say("%c evicting did not help", g.Fail)), 2},
		{widget.Plain(themes.Muted, lang.Say("%c evictions cannot help", g.FailUnresolvable)), 3},
		{widget.Plain(themes.Muted, lang.Say("%c not tried", g.NotSampled)), 4},
	}
}

// arrange takes the columns that a width has room for.
func (p *Preemption) arrange(width int) {
	if p.table.layOut(width) {
		p.grid.arrange(&p.table, p.table.titles, 2)
	}
}

// sync makes the table for a frame; false when the frame has nothing to show.
func (p *Preemption) sync(f *session.Frame) bool {
	key, is := view.PreemptionKeyOf(f, p.filter)
	if !is {
		return false
	}
	if key != p.made {
		if key.Preemption != p.made.Preemption {
			p.table.nameWidth = widest(key.Preemption.Nodes)
			p.grid.node = "" // another preemption is read from its best candidate on
			p.grid.MoveTo(&p.table, 0, 0)
		}
		p.made = key
		p.table.Language = f.Language
		p.table.Choose(f.Try(), key)
		p.arrange(p.table.width)
		p.grid.restore(&p.table)
	}
	return true
}
