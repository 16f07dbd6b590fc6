package panel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// Numbers is which numbers of the scores are shown.
type Numbers uint8

// The numbers a score plugin gives a node.
const (
	Weighted   Numbers = iota // normalised times weight: what the total adds up
	Normalized                // 0 to 100
	Raw                       // as the plugin returned it
)

var numberNames = [...]string{"weighted", "normalised", "raw"}

// String is the word for the numbers.
func (n Numbers) String() string {
	if int(n) < len(numberNames) {
		return numberNames[n]
	}
	return "numbers?"
}

// Scores is the Score phase: a row for every node that was scored, a column for every score plugin, each number on a
// ground that is the darker the better; below, why the chosen node won.
type Scores struct {
	numbers Numbers
	order   Order
	filter  string // in lower case

	grid  widget.Grid
	table scoreTable
	made  scoreKey

	node   string // under the cursor
	plugin string // likewise; "" on the columns about the whole node
}

type scoreKey struct {
	scores *trace.Scores
	chosen string
	order  Order
	filter string
}

// Show sets which numbers are shown.
func (p *Scores) Show(n Numbers) { p.numbers = n }

// Shown tells which numbers are shown.
func (p *Scores) Shown() Numbers { return p.numbers }

// Sort sets the order of the nodes; ByVerdict and ByNearestMiss count as ByTotal.
func (p *Scores) Sort(o Order) { p.order = o }

// Sorted is the order of the nodes.
func (p *Scores) Sorted() Order { return p.order }

// Filter shows only nodes whose name contains the text, whatever the case; "" shows all.
func (p *Scores) Filter(text string) { p.filter = strings.ToLower(text) }

// Filtered is the text that Filter was given, in lower case.
func (p *Scores) Filtered() string { return p.filter }

// Title is the title of its box.
func (p *Scores) Title(f *session.Frame) string {
	return joined(", ", "Score: "+p.numbers.String(), which(f))
}

// Note tells how many nodes were scored.
func (p *Scores) Note(f *session.Frame) string {
	if !p.sync(f) {
		return ""
	}
	scored := many(len(p.table.scores.Index), "node") + " scored"
	if p.filter != "" {
		scored = fmt.Sprintf("%d of %s with %q", len(p.table.rows), scored, p.filter)
	}
	return joined(", ", scored, "by "+scoreOrder(p.order).String())
}

// Draw fills the region.
func (p *Scores) Draw(f *session.Frame, r widget.Region, focus widget.Focus) {
	r.Fill(themes.Text)
	if !p.sync(f) {
		widget.DrawParagraph(r, 0, scoresMissing(f))
		return
	}
	lines := p.below(f, r)
	body := r.Sub(layout.Rect{Width: r.Width(), Height: r.Height() - len(lines)})
	for i, line := range lines {
		widget.DrawLine(r, 0, body.Height()+i, line)
	}
	if p.table.layOut(body.Width(), p.numbers) {
		p.grid.Columns, p.grid.Frozen = p.table.titles, min(2, len(p.table.titles))
		p.restore()
	}
	p.table.sign = string(r.Glyphs().Pass) + " "
	p.grid.Draw(body, &p.table, focus)
	if len(p.table.rows) == 0 {
		body.Text(1, 1, themes.Muted, "No scored node has a name with "+p.filter)
	}
}

// below is what is said under the table, cut to half of the region.
func (p *Scores) below(f *session.Frame, r widget.Region) []widget.Paragraph {
	var lines []widget.Paragraph
	for _, paragraph := range verdictOf(cycleOf(f)) {
		lines = append(lines, widget.Wrap(paragraph, r.Width())...)
	}
	return lines[:min(len(lines), max(r.Height()-1, 0)/2)]
}

// scoresMissing is what is said where there are no scores to show.
func scoresMissing(f *session.Frame) widget.Paragraph {
	c := cycleOf(f)
	switch {
	case c == nil:
		return widget.Plain(themes.Muted, "No pod was tried yet.")
	case c.Selected != nil:
		return widget.Plain(themes.Text, fmt.Sprintf("Only %s fits, so kube-scheduler did not score: there is nothing to choose.", c.Selected.Node))
	case c.Ended != nil:
		return widget.Plain(themes.Text, "Nothing was scored, because no node fits.")
	}
	return widget.Plain(themes.Muted, "The Score phase is still ahead.")
}

// Move takes the cursor some rows down and some columns to the right.
func (p *Scores) Move(f *session.Frame, rows, columns int) {
	if p.sync(f) {
		p.grid.Move(&p.table, rows, columns)
		p.remember()
	}
}

// MovePages takes the cursor whole windows down; less than zero is up.
func (p *Scores) MovePages(f *session.Frame, pages int) {
	if p.sync(f) {
		p.grid.MovePages(&p.table, pages)
		p.remember()
	}
}

// MoveTo takes the cursor to the first or the last node.
func (p *Scores) MoveTo(f *session.Frame, end End) {
	if !p.sync(f) {
		return
	}
	row := 0
	if end == Last {
		row = p.table.Rows() - 1
	}
	_, column := p.grid.Cursor()
	p.grid.MoveTo(&p.table, row, column)
	p.remember()
}

// Point puts the cursor on what was drawn at a place of the region; false: nothing to be on is there.
func (p *Scores) Point(f *session.Frame, x, y int) bool {
	if !p.sync(f) {
		return false
	}
	row, column, ok := p.grid.At(&p.table, x, y)
	if !ok {
		return false
	}
	if row == widget.HeaderRow {
		row, _ = p.grid.Cursor()
	}
	p.grid.MoveTo(&p.table, row, column)
	p.remember()
	return true
}

// Find puts the cursor on a node; false if it is not shown.
func (p *Scores) Find(f *session.Frame, node string) bool {
	if !p.sync(f) {
		return false
	}
	row := p.table.rowOf(node)
	if row < 0 {
		return false
	}
	_, column := p.grid.Cursor()
	p.grid.MoveTo(&p.table, row, column)
	p.remember()
	return true
}

// Selection is the node or the score under the cursor.
func (p *Scores) Selection(f *session.Frame) Selection {
	s := nothing()
	if !p.sync(f) || len(p.table.rows) == 0 {
		return s
	}
	row, column := p.grid.Cursor()
	row, column = min(row, len(p.table.rows)-1), min(column, len(p.table.columns)-1)
	s.Subject, s.Pod = OfNode, cycleOf(f).Entity.Key()
	s.NodeIndex = int(p.table.scores.Index[p.table.rows[row]])
	s.Node = p.table.scores.Nodes[s.NodeIndex]
	if plugin := p.table.columns[column]; plugin >= 0 {
		s.Subject, s.PluginIndex = OfScore, plugin
		s.Plugin = p.table.scores.Columns[plugin].Plugin
	}
	return s
}

func (p *Scores) remember() {
	if len(p.table.rows) == 0 {
		return
	}
	row, column := p.grid.Cursor()
	p.node, p.plugin = p.table.name(row), ""
	if plugin := p.table.columns[column]; plugin >= 0 {
		p.plugin = p.table.scores.Columns[plugin].Plugin
	}
}

// sync makes the table for a frame; false when the frame has nothing to show.
func (p *Scores) sync(f *session.Frame) bool {
	c := cycleOf(f)
	if c == nil || c.Scores == nil {
		return false
	}
	key := scoreKey{scores: c.Scores, order: p.order, filter: p.filter}
	if c.Selected != nil {
		key.chosen = c.Selected.Node
	}
	if key == p.made {
		return true
	}
	p.made = key
	p.table.choose(key)
	p.table.layOut(p.table.width, p.numbers)
	p.grid.Columns, p.grid.Frozen = p.table.titles, min(2, len(p.table.titles))
	p.restore()
	return true
}

func (p *Scores) restore() {
	row, column := p.grid.Cursor()
	if found := p.table.rowOf(p.node); p.node != "" && found >= 0 {
		row = found
	}
	if p.plugin != "" {
		at := slices.IndexFunc(p.table.columns, func(c int) bool { return c >= 0 && p.table.scores.Columns[c].Plugin == p.plugin })
		if at >= 0 {
			column = at
		}
	}
	p.grid.MoveTo(&p.table, row, column)
}
