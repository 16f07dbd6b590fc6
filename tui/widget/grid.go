package widget

import (
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
)

// Table is what a Grid shows. A grid reads only the cells that are seen, so a table may have any number of rows; Cell
// is called for every one of those in every frame and should look things up, not work.
type Table interface {
	Rows() int
	Cell(row, column int) Cell
}

// Cell is one cell of a table. Its text is sanitised when it is drawn.
type Cell struct {
	Text  string
	Paint themes.Paint
	Bar   float64 // if positive, a bar of this part, up to 1, is drawn in place of the text
}

// Column is one column of a grid. Columns are one space apart.
type Column struct {
	Title string
	Width int
	Align Align
	Names bool // what is too long is cut in its middle
}

// Grid is a table seen through a window, with a cursor on one cell. The header row and the first columns
// stay; the rest scrolls so that the cursor is always seen.
//
//	┌ gutter, with the pointer
//	│ frozen │ ‹ scrolled columns ... ›
//	  n1     │   ✔     ✘
type Grid struct {
	Columns []Column
	Frozen  int // how many columns stay, from the left

	row, column int
	top, left   int // first row, and first column that is not frozen, in the window
	header      int // lines of titles in the last frame, 0 or 1
	page        int // rows seen in the last frame
	places      []place
}

// place is where a column was drawn.
type place struct{ column, x, width int }

// HeaderRow is the row that At reports for the line of titles.
const HeaderRow = -1

// gutter is the width left of the first column, for the pointer.
const gutter = 1

// Cursor is the cell the cursor is on; row 0 of a table without rows.
func (g *Grid) Cursor() (row, column int) { return g.row, g.column }

// MoveTo puts the cursor on a cell, or the nearest there is.
func (g *Grid) MoveTo(t Table, row, column int) {
	g.row = min(max(row, 0), max(t.Rows()-1, 0))
	g.column = min(max(column, 0), max(len(g.Columns)-1, 0))
}

// Move takes the cursor some rows down and some columns to the right, as far as there are any.
func (g *Grid) Move(t Table, rows, columns int) { g.MoveTo(t, g.row+rows, g.column+columns) }

// MovePages takes the cursor whole windows down; less than zero is up.
func (g *Grid) MovePages(t Table, pages int) { g.Move(t, pages*max(g.page, 1), 0) }

// Page is the number of rows seen when the grid was last drawn.
func (g *Grid) Page() int { return g.page }

// At is the cell that was drawn at a place of the region last drawn in; ok is false where there is none.
func (g *Grid) At(t Table, x, y int) (row, column int, ok bool) {
	row = g.top + y - g.header
	if y < g.header {
		row = HeaderRow
	}
	if y < 0 || y >= g.header+g.page || row >= t.Rows() {
		return 0, 0, false
	}
	for _, p := range g.places {
		if x >= p.x && x < p.x+p.width {
			return row, p.column, true
		}
	}
	return 0, 0, false
}

// Draw draws the window into the region and scrolls as little as brings the cursor into it. Drawing twice
// gives the same picture.
func (g *Grid) Draw(r Region, t Table, focus Focus) {
	r.Fill(themes.Text)
	g.MoveTo(t, g.row, g.column)
	g.place(r.Width())
	g.header = min(1, max(r.Height()-1, 0))
	g.drawHeader(r.Sub(layout.Rect{Width: r.Width(), Height: g.header}))
	body := r.Sub(layout.Rect{Y: g.header, Width: r.Width(), Height: r.Height() - g.header})
	g.page = body.Height()
	g.top = scroll(g.top, g.row, g.page, t.Rows())
	for y := range min(g.page, t.Rows()-g.top) {
		g.drawRow(body, y, t, focus)
	}
}

func (g *Grid) drawHeader(line Region) {
	for _, p := range g.places {
		paint := themes.Muted
		if p.column == g.column {
			paint = themes.Title
		}
		line.Fit(p.x, 0, p.width, paint, g.Columns[p.column].Title, g.Columns[p.column].Align)
	}
	if len(g.places) == 0 {
		return
	}
	if g.left > g.Frozen {
		for _, p := range g.places {
			if p.column == g.left {
				line.Glyph(p.x-1, 0, themes.Accent, line.Glyphs().MoreLeft)
			}
		}
	}
	if last := g.places[len(g.places)-1]; last.column < len(g.Columns)-1 && last.x+last.width < line.Width() {
		line.Glyph(line.Width()-1, 0, themes.Accent, line.Glyphs().MoreRight)
	}
}

func (g *Grid) drawRow(body Region, y int, t Table, focus Focus) {
	row := g.top + y
	here := row == g.row
	if here {
		body.Row(y).Light()
		body.Glyph(0, y, themes.Accent.Lit(), body.Glyphs().Pointer)
	}
	for _, p := range g.places {
		cell := t.Cell(row, p.column)
		paint := cell.Paint
		switch {
		case here && p.column == g.column && focus == Focused:
			paint = paint.Selected()
		case here:
			paint = paint.Lit()
		}
		if cell.Bar > 0 {
			DrawBar(body, p.x, y, p.width, cell.Bar, paint)
			continue
		}
		if c := g.Columns[p.column]; c.Names {
			body.FitName(p.x, y, p.width, paint, cell.Text, c.Align)
		} else {
			body.Fit(p.x, y, p.width, paint, cell.Text, c.Align)
		}
	}
}

// place decides which columns are seen and where.
func (g *Grid) place(width int) {
	g.places = g.places[:0]
	room := width - gutter
	if room <= 0 || len(g.Columns) == 0 {
		// Too narrow even for the pointer beside a cell: the cell has the room.
		if width > 0 && len(g.Columns) > 0 {
			g.places = append(g.places, place{column: g.column, width: width})
		}
		return
	}
	frozen := min(max(g.Frozen, 0), len(g.Columns))
	if g.span(0, len(g.Columns)) > room+1 {
		room-- // the last column shows that there is more
	}
	if g.column < frozen {
		g.placeFrozen(frozen, room)
	} else {
		cursor := min(g.width(g.column), max(room, 1))
		g.placeFrom(0, frozen, gutter, gutter+max(room-cursor-1, 0))
	}
	start := gutter
	if n := len(g.places); n > 0 {
		start = g.places[n-1].x + g.places[n-1].width + 1
	}
	g.scrollColumns(frozen, gutter+room-start)
	g.placeFrom(g.left, len(g.Columns), start, gutter+max(room, 1))
}

// placeFrozen places the frozen columns while the cursor is among them: from the first, if the cursor's
// column is then seen in full, and else from the cursor's.
func (g *Grid) placeFrozen(frozen, room int) {
	first := 0
	if g.span(0, g.column+1)-1 > room {
		first = g.column
	}
	g.placeFrom(first, frozen, gutter, gutter+max(room, 1))
}

// placeFrom places columns side by side from x until one does not fit. The first is cut if it must be, so
// that a narrow window is not an empty one.
func (g *Grid) placeFrom(first, end, x, limit int) {
	for column := first; column < end; column++ {
		width := g.width(column)
		if x+width > limit {
			if column != first && column != g.column {
				return
			}
			width = limit - x
		}
		if width <= 0 {
			return
		}
		g.places = append(g.places, place{column: column, x: x, width: width})
		x += width + 1
	}
}

// scrollColumns sets the first column after the frozen ones so that the cursor's fits into the room, and
// so that no room stays empty while columns are hidden on the left.
func (g *Grid) scrollColumns(frozen, room int) {
	g.left = min(max(g.left, frozen), max(len(g.Columns)-1, frozen))
	if g.column >= frozen {
		g.left = min(g.left, g.column)
		for g.left < g.column && g.span(g.left, g.column+1)-1 > room {
			g.left++
		}
	}
	for g.left > frozen && g.span(g.left-1, len(g.Columns))-1 <= room {
		g.left--
	}
}

// span is the width of the columns from first up to end, each with its space.
func (g *Grid) span(first, end int) int {
	total := 0
	for column := first; column < end; column++ {
		total += g.width(column) + 1
	}
	return total
}

func (g *Grid) width(column int) int { return max(g.Columns[column].Width, 1) }

// scroll is the first line to show, as near to the previous one as shows the cursor and leaves no room
// empty below the last line.
func scroll(top, cursor, page, total int) int {
	top = min(top, cursor)
	top = max(top, cursor-page+1)
	return max(min(top, total-page), 0)
}
