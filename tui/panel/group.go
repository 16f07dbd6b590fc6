package panel

import (
	"slices"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// Group is the try of a pod group: above, whether its quorum is there and which pods are missing; then every set of
// nodes that was tried, the chosen one first, each with the members in the order they were tried; below, what decided
// and how the cycle ended.
//
//	Quorum 4 of 4: 0 had a node before, 4 found one in zone b.
//	                 node     found   Fit  total  what came of it
//	✔ zone b         2 nodes  4 of 4  157    157  chosen
//	   1 ✔ train-0   b-1                          bound
//	✘ zone a         2 nodes  3 of 4              minCount (4) cannot be satisfied: 3 scheduled, 0 remaining
//	   4 ✘ train-3   none                         0/5 nodes are available: 2 Insufficient cpu.
//	Only zone b takes the group.
//
// Filter looks for its text in the name, the node and the reason of a placement or a member.
type Group struct {
	nodePanel // its rows are not nodes; what its cursor remembers is the name of a row

	table groupTable
	made  view.GroupKey
	above int // lines above the table when it was last drawn

	shown member // the last argument of Frame, and its answer
}

// NewGroup is an empty panel.
func NewGroup() *Group {
	p := new(Group)
	p.nodePanel = nodePanel{nodes: &p.table, ready: p.sync}
	return p
}

// Title is the title of its box.
func (p *Group) Title(f *session.Frame) string {
	return view.Listed(f.Language, f.Language.Of("Group"), which(f))
}

// Note counts the placements and the members.
func (p *Group) Note(f *session.Frame) string {
	if !p.sync(f) {
		return ""
	}
	g := p.table.Group
	shown := ""
	if p.filter != "" {
		shown = f.Language.Say("%s with %q", f.Language.Count(len(p.table.Lines), "row"), p.filter)
	}
	return view.Listed(f.Language, shown, f.Language.Count(len(g.Members), "pod"), view.Joined(
		" ", f.Language.Count(len(g.Placements), "placement"), f.Language.Of("tried"),
	))
}

// Draw fills the region.
func (p *Group) Draw(f *session.Frame, r widget.Region, focus widget.Focus) {
	r.Fill(themes.Text)
	if !p.sync(f) {
		said := f.Language.Of("No pod group was tried yet.")
		if f.About() != nil {
			said = f.Language.Of("This cycle is about a single pod, not about a pod group.")
		}
		widget.DrawParagraph(r, 0, widget.Plain(themes.Muted, said))
		return
	}
	c := p.table.Cycle
	above := wrapped(lay(prose.Quorum(f.Language, c), r.Glyphs()), r.Width(), max(r.Height()-2, 0)/3)
	below := wrapped(lay(prose.GroupEnd(f.Language, c), r.Glyphs()), r.Width(), max(r.Height()-len(above)-2, 0)/2)
	p.above = len(above)
	body := drawAround(r, above, below)
	p.arrange(body.Width())
	p.table.prepare(body.Glyphs())
	p.grid.Draw(body, &p.table, focus)
	drawLegend(body, len(p.table.Lines), p.legend(f.Language, body.Glyphs()))
	if len(p.table.Lines) == 0 && p.filter != "" {
		body.Text(1, 1, themes.Muted, f.Language.Say(
			"No placement or member has a name, a node or a reason with %s", p.filter,
		))
	}
}

// legend is what the signs mean.
func (p *Group) legend(lang words.Language, g *themes.Glyphs) []part {
	return []part{
		{widget.Plain(themes.Muted, lang.Say(" %c chosen, or found a node", g.Pass)), 1},
		{widget.Plain(themes.Muted, lang.Say("%c takes the group too", g.Bullet)), 3},
		{widget.Plain(themes.Muted, lang.Say("%c does not, or found none", g.Fail)), 2},
		{widget.Plain(themes.Muted, lang.Say("%c not tried", g.NotSampled)), 4},
	}
}

// arrange takes the columns that a width has room for.
func (p *Group) arrange(width int) {
	if p.table.layOut(width) {
		p.grid.arrange(&p.table, p.table.titles, 2)
	}
}

// Point puts the cursor on what was drawn at a place of the region; false: nothing to be on is there.
func (p *Group) Point(f *session.Frame, x, y int) bool {
	return p.sync(f) && p.grid.point(&p.table, x, y-p.above)
}

// Find puts the cursor on a member, in the first placement of the screen that has it; false if it is not shown.
func (p *Group) Find(f *session.Frame, pod string) bool {
	if !p.sync(f) {
		return false
	}
	row := slices.IndexFunc(p.table.Lines, func(r view.GroupRow) bool {
		return r.Member >= 0 && p.table.Member(r).Key() == pod
	})
	if row >= 0 {
		p.grid.moveToRow(&p.table, row)
	}
	return row >= 0
}

// Selection is the placement or the member under the cursor.
func (p *Group) Selection(f *session.Frame) view.Selection {
	if !p.sync(f) {
		return view.Nothing()
	}
	row, _ := p.grid.Cursor()
	return p.table.Selection(row)
}

// sync makes the table for a frame; false when the frame has no pod group. While a cycle goes on the cursor follows it;
// what was pointed at in one that is over stays.
func (p *Group) sync(f *session.Frame) bool {
	c := f.About()
	if c == nil || c.Group == nil {
		return false
	}
	key := view.GroupKey{Cycle: c, Filter: p.filter}
	if key == p.made {
		return true
	}
	before := p.made.Cycle
	p.made = key
	p.table.Language = f.Language
	p.table.Choose(c, p.filter)
	p.table.measure()
	p.arrange(p.table.width)
	if before == c || before != nil && before.Number == c.Number && before.Ended != nil && c.Ended != nil {
		p.grid.restore(&p.table)
		return true
	}
	p.grid.node = ""
	p.grid.MoveTo(&p.table, p.table.First(), 0)
	return true
}
