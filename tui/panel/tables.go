package panel

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// nodePanel is what the panels with a table of nodes have in common: a filter, a cursor, and how it is moved.
type nodePanel struct {
	filter string // in lower case
	grid   nodeGrid

	nodes nodeRows                  // the table of the panel
	ready func(*session.Frame) bool // makes the table for a frame; false when the frame has nothing to show
}

// Filter shows only rows whose text contains this one, whatever the case; "" shows all. Each panel defines in its Draw
// which text of a row that is.
func (p *nodePanel) Filter(text string) { p.filter = strings.ToLower(text) }

// Filtered is the text that Filter was given, in lower case.
func (p *nodePanel) Filtered() string { return p.filter }

// kept is how many rows the filter keeps, and of what; "" without a filter.
func (p *nodePanel) kept(f *session.Frame, rows int, of string) string {
	if p.filter == "" {
		return ""
	}
	return f.Language.Say("%d of %s with %q", rows, of, p.filter)
}

// Move takes the cursor some rows down and some columns to the right.
func (p *nodePanel) Move(f *session.Frame, rows, columns int) { p.grid.move(p.rows(f), rows, columns) }

// MovePages takes the cursor whole windows down; less than zero is up.
func (p *nodePanel) MovePages(f *session.Frame, pages int) { p.grid.movePages(p.rows(f), pages) }

// MoveTo takes the cursor to the first or the last row.
func (p *nodePanel) MoveTo(f *session.Frame, end End) { p.grid.moveTo(p.rows(f), end) }

// Point puts the cursor on what was drawn at a place of the region; false: nothing to be on is there.
func (p *nodePanel) Point(f *session.Frame, x, y int) bool { return p.grid.point(p.rows(f), x, y) }

// Find puts the cursor on a node; false if it is not shown.
func (p *nodePanel) Find(f *session.Frame, node string) bool { return p.grid.find(p.rows(f), node) }

// Selection is the node, or the plugin's answer about it, under the cursor.
func (p *nodePanel) Selection(f *session.Frame) view.Selection { return p.grid.selection(f, p.rows(f)) }

// rows is the table of a frame; nil when it has nothing to show.
func (p *nodePanel) rows(f *session.Frame) nodeRows {
	if !p.ready(f) {
		return nil
	}
	return p.nodes
}

// sorting is the order of the nodes of a panel that may have them in another.
type sorting struct{ order view.Order }

// Sort sets the order of the nodes.
func (s *sorting) Sort(o view.Order) { s.order = o }

// Sorted is the order of the nodes.
func (s *sorting) Sorted() view.Order { return s.order }

// wrapped are paragraphs as at most so many lines.
func wrapped(paragraphs []widget.Paragraph, width, most int) []widget.Paragraph {
	var lines []widget.Paragraph
	for _, paragraph := range paragraphs {
		lines = append(lines, widget.Wrap(paragraph, width)...)
	}
	return lines[:min(len(lines), most)]
}

// drawAround draws lines at the top and at the bottom of a region, and returns what is left between them.
func drawAround(r widget.Region, above, below []widget.Paragraph) widget.Region {
	for i, line := range above {
		widget.DrawLine(r, 0, i, line)
	}
	for i, line := range below {
		widget.DrawLine(r, 0, r.Height()-len(below)+i, line)
	}
	return r.Sub(layout.Rect{Y: len(above), Width: r.Width(), Height: r.Height() - len(above) - len(below)})
}

// drawInstead draws lines where a panel has nothing to put into its table.
func drawInstead(r widget.Region, lines []prose.Line) {
	y := 0
	for _, paragraph := range lay(lines, r.Glyphs()) {
		y = widget.DrawParagraph(r, y, paragraph)
	}
}

// drawLegend explains below a table its signs, where rows are left over for it: in two lines where one is too narrow.
func drawLegend(r widget.Region, rows int, parts []part) {
	if r.Height() < rows+4 {
		return
	}
	first := fit(parts, r.Width(), "  ")
	y := r.Height() - 1
	if len(first) < len(parts) && r.Height() > rows+4 {
		rest := slices.DeleteFunc(slices.Clone(parts), func(of part) bool {
			return slices.ContainsFunc(first, func(drawn part) bool { return drawn.drop == of.drop })
		})
		rest[0].text = widget.Plain(themes.Muted, " "+rest[0].text.String())
		drawParts(r, y, fit(rest, r.Width(), "  "), "  ")
		y--
	}
	drawParts(r, y, first, "  ")
}
