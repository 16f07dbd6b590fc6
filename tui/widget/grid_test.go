package widget_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// squares is a table in which each cell holds its own position.
type squares struct {
	rows int
	text func(row, column int) string
}

func (s squares) Rows() int { return s.rows }

func (s squares) Cell(row, column int) widget.Cell {
	if s.text != nil {
		return widget.Cell{Text: s.text(row, column), Paint: themes.Text}
	}
	return widget.Cell{Text: fmt.Sprintf("%d.%d", row, column), Paint: themes.Pass}
}

func columns(n, width int) []widget.Column {
	made := make([]widget.Column, n)
	for i := range made {
		made[i] = widget.Column{Title: "C" + strconv.Itoa(i), Width: width}
	}
	return made
}

func TestCursorOfAGridIsAlwaysSeen(t *testing.T) {
	look := styles(t, themes.Default, themes.Unicode())
	c := canvas(t, 0, 0)
	law.Check(t, func(t *rapid.T) {
		g := widget.Grid{Frozen: rapid.IntRange(0, 5).Draw(t, "frozen")}
		for range rapid.IntRange(1, 25).Draw(t, "columns") {
			g.Columns = append(g.Columns, widget.Column{
				Title: anyText().Draw(t, "title"), Width: rapid.IntRange(0, 30).Draw(t, "column width"),
				Align: widget.Align(rapid.IntRange(0, 2).Draw(t, "align")),
			})
		}
		text := anyText().Draw(t, "cell")
		table := squares{rows: rapid.IntRange(1, 6000).Draw(t, "table rows"), text: func(int, int) string { return text }}
		for range rapid.IntRange(1, 5).Draw(t, "frames") {
			width, height := rapid.IntRange(1, 300).Draw(t, "width"), rapid.IntRange(1, 100).Draw(t, "height")
			switch rapid.IntRange(0, 2).Draw(t, "motion") {
			case 0:
				g.Move(table, rapid.IntRange(-50, 50).Draw(t, "down"), rapid.IntRange(-10, 10).Draw(t, "right"))
			case 1:
				g.MovePages(table, rapid.IntRange(-3, 3).Draw(t, "pages"))
			case 2:
				g.MoveTo(table, rapid.IntRange(-5, 7000).Draw(t, "row"), rapid.IntRange(-5, 40).Draw(t, "column"))
			}
			c.Reset(layout.Size{Width: width, Height: height}, look)
			g.Draw(c.All(), table, widget.Focused)
			mustFill(t, c, width, height)
			mustShowCursor(t, c, &g, table, width, height)
			before := c.Text()
			g.Draw(c.All(), table, widget.Focused)
			if c.Text() != before {
				t.Fatalf("drawn again, the grid differs")
			}
		}
	})
}

// mustShowCursor fails unless exactly the cursor's cell is painted as selected.
func mustShowCursor(t *rapid.T, c *widget.Canvas, g *widget.Grid, table widget.Table, width, height int) {
	row, column := g.Cursor()
	seen := 0
	for y := range height {
		for x := range width {
			paint := c.PaintAt(x, y)
			if paint != paint.Selected() {
				continue
			}
			seen++
			if atRow, atColumn, ok := g.At(table, x, y); !ok || atRow != row || atColumn != column {
				t.Fatalf(
					"selected cell %d,%d is row %d column %d (%v), the cursor is on %d, %d", x, y, atRow, atColumn, ok,
					row, column,
				)
			}
		}
	}
	if seen == 0 {
		t.Fatalf("the cursor at row %d column %d is not seen in %dx%d", row, column, width, height)
	}
}

func TestGridKeepsHeaderAndFirstColumnsWhileItScrolls(t *testing.T) {
	g := widget.Grid{Columns: columns(12, 6), Frozen: 1}
	g.Columns[0] = widget.Column{Title: "name", Width: 7}
	table := squares{rows: 5000}
	g.MoveTo(table, 4321, 8)
	c := canvas(t, 40, 6)
	g.Draw(c.All(), table, widget.Focused)
	picture(t, c, `
 name   ‹C5     C6     C7     C8       ›
 4317.0  4317.5 4317.6 4317.7 4317.8
 4318.0  4318.5 4318.6 4318.7 4318.8
 4319.0  4319.5 4319.6 4319.7 4319.8
 4320.0  4320.5 4320.6 4320.7 4320.8
▸4321.0  4321.5 4321.6 4321.7 4321.8
`)
	g.Move(table, -2, 5)
	c.All().Fill(themes.Text)
	g.Draw(c.All(), table, widget.Focused)
	picture(t, c, `
 name   ‹C8     C9     C10    C11
 4317.0  4317.8 4317.9 4317.… 4317.…
 4318.0  4318.8 4318.9 4318.… 4318.…
▸4319.0  4319.8 4319.9 4319.… 4319.…
 4320.0  4320.8 4320.9 4320.… 4320.…
 4321.0  4321.8 4321.9 4321.… 4321.…
`)
}

func TestGridWithRoomForEverythingShowsNoHintOfMore(t *testing.T) {
	g := widget.Grid{Columns: columns(3, 4), Frozen: 1}
	table := squares{rows: 2}
	g.MoveTo(table, 1, 2)
	c := canvas(t, 15, 4)
	g.Draw(c.All(), table, widget.Blurred)
	picture(t, c, `
 C0   C1   C2
 0.0  0.1  0.2
▸1.0  1.1  1.2

`)
}

func TestPointingAtAGridFindsCellsAndTitles(t *testing.T) {
	g := widget.Grid{Columns: columns(3, 4)}
	table := squares{rows: 2}
	g.Draw(canvas(t, 16, 5).All(), table, widget.Focused)
	tests := []struct {
		x, y, row, column int
		ok                bool
	}{
		{1, 0, widget.HeaderRow, 0, true},
		{6, 1, 0, 1, true},
		{14, 2, 1, 2, true},
		{5, 1, 0, 0, false},
		{6, 3, 0, 0, false},
		{6, -1, 0, 0, false},
		{0, 1, 0, 0, false},
	}
	for _, test := range tests {
		row, column, ok := g.At(table, test.x, test.y)
		if ok != test.ok || ok && (row != test.row || column != test.column) {
			t.Errorf("at %d,%d: row %d column %d %v", test.x, test.y, row, column, ok)
		}
	}
}

func TestEmptyTablesAndEmptyRegionsAreNoTrouble(t *testing.T) {
	for _, rows := range []int{0, 3} {
		for _, count := range []int{0, 2} {
			for _, size := range []layout.Size{{}, {Width: 1, Height: 1}, {Width: 2, Height: 1}, {Width: 20, Height: 4}} {
				g := widget.Grid{Columns: columns(count, 5), Frozen: 4}
				c := canvas(t, size.Width, size.Height)
				g.Move(squares{rows: rows}, 7, 7)
				g.Draw(c.All(), squares{rows: rows}, widget.Focused)
				if row, _ := g.Cursor(); row != max(rows-1, 0) {
					t.Errorf("%d rows: the cursor is on %d", rows, row)
				}
			}
		}
	}
}

func TestGridAsksOnlyForCellsThatAreSeen(t *testing.T) {
	asked := 0
	table := squares{rows: 1_000_000, text: func(int, int) string { asked++; return "x" }}
	g := widget.Grid{Columns: columns(1000, 5), Frozen: 1}
	g.MoveTo(table, 777_777, 555)
	g.Draw(canvas(t, 80, 24).All(), table, widget.Focused)
	if most := 23 * 80 / 6; asked == 0 || asked > most {
		t.Errorf("%d cells were asked for, at most %d can be seen", asked, most)
	}
}

func TestCellWithABarDrawsItInsteadOfText(t *testing.T) {
	g := widget.Grid{Columns: columns(1, 8)}
	c := canvas(t, 10, 2)
	g.Draw(c.All(), bars{}, widget.Focused)
	if got := c.Text(); !strings.Contains(got, "████") || strings.Contains(got, "no") {
		t.Errorf("drawn:\n%s", got)
	}
}

type bars struct{}

func (bars) Rows() int { return 1 }

func (bars) Cell(int, int) widget.Cell { return widget.Cell{Text: "no", Bar: 0.5} }
