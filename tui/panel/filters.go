package panel

import (
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/view"
	"github.com/schedstep/schedstep/tui/widget"
)

// Filters is the matrix of the Filter phase: a row for every node, a column for every filter plugin. What it works out
// for a matrix is kept until another one is shown, so that drawing depends on the size of the region alone.
//
//	node  verdict          total  Name Unsch Taint ...
//	n2    ✔ chosen           271   ✔    ✔     ✔
//	n1    ✘ Taint, Fit             ✔    ✔     ✘    (✘)   in brackets: not run, but it would have failed
//
// Filter looks for its text in the name and the verdict of a node. While the cursor of the session walks from cell to
// cell, the nodes are in the order in which kube-scheduler filters them, whatever the panel's own order is.
type Filters struct {
	nodePanel
	sorting

	table filterTable
	made  view.FilterKey // what table was made from
	cell  session.Cell   // where the session's cursor was when it was followed last
}

// NewFilters is an empty panel.
func NewFilters() *Filters {
	p := new(Filters)
	p.nodePanel = nodePanel{nodes: &p.table, ready: p.sync}
	return p
}

// Title is the title of its box.
func (p *Filters) Title(f *session.Frame) string {
	return view.Listed(f.Language, f.Language.Say("%s: every plugin on every node", f.NameOf(trace.PhaseFilter)), which(f))
}

// Note is how many nodes are shown, and in which order.
func (p *Filters) Note(f *session.Frame) string {
	if !p.sync(f) {
		return ""
	}
	m := p.table.Sheet.Matrix
	shown := p.kept(f, len(p.table.Nodes), f.Language.Count(len(m.Nodes), "node"))
	if view.IsWalking(f) {
		return view.Listed(f.Language, shown, f.Language.Say("cell %d, in the order they are asked", f.Position.Cell))
	}
	order := f.Language.Say("by %s", p.order.Heading(f.Language))
	return view.Listed(f.Language, shown, view.Fitting(f.Language, m), order)
}

// Rows is how many rows the table fills, with its header and its legend.
func (p *Filters) Rows(f *session.Frame) int {
	if !p.sync(f) {
		return emptyRows
	}
	return len(p.table.Nodes) + 4
}

// Draw fills the region.
func (p *Filters) Draw(f *session.Frame, r widget.Region, focus widget.Focus) {
	r.Fill(themes.Text)
	if !p.sync(f) {
		drawInstead(r, prose.NoFilter(f.Language, f.Try()))
		return
	}
	body := r
	if notice := view.Unjudged(f); notice != "" && r.Height() >= 6 {
		lines := widget.Wrap(widget.Plain(themes.Warn, notice), r.Width())
		body = drawAround(r, nil, lines[:min(len(lines), 2)])
	}
	p.arrange(body.Width())
	p.table.prepare(body.Glyphs())
	p.grid.Draw(body, &p.table, focus)
	drawLegend(body, len(p.table.Nodes), p.legend(f.Language, body.Glyphs()))
	if len(p.table.Nodes) == 0 {
		body.Text(1, 1, themes.Muted, f.Language.Say("No node has a name or a verdict with %s", p.filter))
	}
}

// sync makes the table for a frame; false when the frame has nothing to show.
func (p *Filters) sync(f *session.Frame) bool {
	key, is := view.FilterKeyOf(f, p.order, p.filter)
	if !is {
		return false
	}
	if key != p.made {
		if key.Matrix != p.made.Matrix {
			p.table.nameWidth = widest(key.Matrix.Nodes)
		}
		p.made = key
		p.table.Language = f.Language
		p.table.Choose(key)
		p.arrange(p.table.width)
		p.grid.restore(&p.table)
	}
	p.follow(f)
	return true
}

// follow takes the cursor along with the session's while that walks from cell to cell.
func (p *Filters) follow(f *session.Frame) {
	if !view.IsWalking(f) {
		p.cell = session.Cell{Node: -1}
		return
	}
	if p.cell == *f.Cell {
		return
	}
	p.cell = *f.Cell
	m := p.table.Sheet.Matrix
	p.grid.node, p.grid.plugin = m.Nodes[p.cell.Node], m.Plugins[p.cell.Plugin]
	p.grid.restore(&p.table)
}

// arrange decides which columns a width has room for: first the plugins that had nothing to check go, then the
// totals, then long names are cut, and the verdict is only its sign. The rest scrolls.
func (p *Filters) arrange(width int) {
	if p.table.layOut(width) {
		p.grid.arrange(&p.table, p.table.titles, 2)
	}
}
