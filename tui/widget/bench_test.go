package widget_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// matrix is a table like the one a person looks at most: many nodes, a verdict for each plugin.
type matrix struct {
	glyphs [3]string
	names  []string
	asked  int // how many cells were requested
}

func newMatrix(g themes.Glyphs) *matrix {
	m := &matrix{glyphs: [3]string{string(g.Pass), string(g.Fail), string(g.NotAsked)}}
	for row := range 5000 {
		m.names = append(m.names, "node-"+strconv.Itoa(row))
	}
	return m
}

func (m *matrix) Rows() int { return len(m.names) }

func (m *matrix) Cell(row, column int) widget.Cell {
	m.asked++
	if column == 0 {
		return widget.Cell{Text: m.names[row], Paint: themes.Text}
	}
	at := (row*7 + column*5) % 3
	return widget.Cell{Text: m.glyphs[at], Paint: [...]themes.Paint{themes.Pass, themes.Fail, themes.NotAsked}[at]}
}

// counted is an outline that counts the lines that are drawn.
type counted struct {
	outline
	asked int
}

func (c *counted) DrawLine(line int, r widget.Region) {
	c.asked++
	c.outline.DrawLine(line, r)
}

// screenful draws a whole screen as the application does: boxes, list, grid, words, strip, and a popup.
type screenful struct {
	canvas *widget.Canvas
	grid   widget.Grid
	list   widget.List
	matrix *matrix
	lines  counted
	marks  []widget.Mark
	styles themes.Styles
}

func newScreenful(t testing.TB) *screenful {
	s := &screenful{canvas: widget.NewCanvas(), styles: styles(t, themes.Default, themes.Unicode())}
	s.matrix = newMatrix(s.styles.Glyphs)
	s.grid = widget.Grid{Columns: columns(23, 6), Frozen: 1}
	for column := range s.grid.Columns[1:] {
		s.grid.Columns[column+1].Align = widget.Center
	}
	for i := range 5000 {
		s.lines.outline = append(s.lines.outline, fmt.Sprintf(" default/web-%d  p0  try 2  2.5s", i))
	}
	for i := range 2000 {
		s.marks = append(
			s.marks, widget.Mark{Position: i * 5, Weight: i % 3, Glyph: s.styles.Glyphs.Event, Paint: themes.Warn},
		)
	}
	return s
}

func (s *screenful) draw(size layout.Size, step int) string {
	s.canvas.Reset(size, s.styles)
	screen := layout.Arrange(size, layout.Mode{Focus: layout.Main})
	s.canvas.In(screen.Header).Text(
		0, 0, themes.Title, " schedstep │ replay web-rollout │ paused at Filter │ cycle 41 of 128",
	)
	if !screen.Queue.IsEmpty() {
		s.list.Draw(widget.Box{Title: "Queue"}.Draw(s.canvas.In(screen.Queue)), &s.lines, widget.Blurred)
	}
	s.grid.MoveTo(s.matrix, step*37%5000, step%23)
	s.grid.Draw(
		widget.Box{Title: "default/web-7", Focus: widget.Focused}.Draw(s.canvas.In(screen.Main)), s.matrix,
		widget.Focused,
	)
	if !screen.Why.IsEmpty() {
		widget.DrawParagraph(widget.Box{Title: "Why"}.Draw(s.canvas.In(screen.Why)), 0, widget.Plain(themes.Text,
			"Insufficient cpu: wants 2, free 500m (capacity 4 − used 3500m). Largest users: db-2 2, cache-0 1. kube-scheduler would have stopped at TaintToleration."))
	}
	widget.Strip{Length: 10_000, Current: step, Marks: s.marks}.Draw(
		widget.Box{Title: "Timeline"}.Draw(s.canvas.In(screen.Timeline)), 0,
	)
	s.canvas.In(screen.Footer).Text(0, 0, themes.Muted, "space run/pause  n next cycle  s step  b back  c continue")
	popup := widget.Box{Title: "Help", Focus: widget.Focused}.Draw(s.canvas.In(screen.Popup(60, 12)))
	widget.DrawParagraph(popup, 0, widget.Plain(themes.Text, "Keys do what the line at the bottom says."))
	return s.canvas.Render()
}

func BenchmarkScreen(b *testing.B) {
	for _, size := range []layout.Size{{Width: 80, Height: 24}, {Width: 200, Height: 60}} {
		b.Run(fmt.Sprintf("%dx%d", size.Width, size.Height), func(b *testing.B) {
			s := newScreenful(b)
			b.ReportAllocs()
			step := 0
			for b.Loop() {
				step++
				s.draw(size, step)
			}
		})
	}
}

func BenchmarkGrid(b *testing.B) {
	for _, size := range []layout.Size{{Width: 80, Height: 24}, {Width: 200, Height: 60}} {
		b.Run(fmt.Sprintf("%dx%d", size.Width, size.Height), func(b *testing.B) {
			s := newScreenful(b)
			s.canvas.Reset(size, s.styles)
			b.ReportAllocs()
			step := 0
			for b.Loop() {
				step++
				s.grid.MoveTo(s.matrix, step*37%5000, step%23)
				s.grid.Draw(s.canvas.All(), s.matrix, widget.Focused)
			}
		})
	}
}

func BenchmarkRender(b *testing.B) {
	s := newScreenful(b)
	s.draw(layout.Size{Width: 200, Height: 60}, 1)
	b.ReportAllocs()
	for b.Loop() {
		s.canvas.Render()
	}
}

func BenchmarkSanitize(b *testing.B) {
	for name, text := range map[string]string{
		"ascii": "default/web-7d9f-x2x4z", "han": "节点节点节点节点", "hostile": "a\x1b[31mb\u0301c\u200d",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				widget.Sanitize(text)
			}
		})
	}
}

// TestAScreenAsksForNoMoreThanItShows counts the cells that a frame reads of a table of 5000 nodes and of a list of
// 5000 pods: each cell once at most, and one line for each row of the screen. BenchmarkScreen measures the time.
func TestAScreenAsksForNoMoreThanItShows(t *testing.T) {
	for _, size := range []layout.Size{{Width: 80, Height: 24}, {Width: 200, Height: 60}} {
		s := newScreenful(t)
		for step := range 50 {
			s.matrix.asked, s.lines.asked = 0, 0
			s.draw(size, step)
			if most := size.Height * len(s.grid.Columns); s.matrix.asked == 0 || s.matrix.asked > most {
				t.Fatalf("%v, step %d: %d cells were asked for, want 1 to %d", size, step, s.matrix.asked, most)
			}
			if s.lines.asked > size.Height {
				t.Fatalf("%v, step %d: %d lines were asked for, want at most %d", size, step, s.lines.asked, size.Height)
			}
		}
	}
}

func TestGridIsDrawnWithoutAllocating(t *testing.T) {
	s := newScreenful(t)
	s.canvas.Reset(layout.Size{Width: 200, Height: 60}, s.styles)
	s.grid.Draw(s.canvas.All(), s.matrix, widget.Focused)
	allocations := testing.AllocsPerRun(20, func() {
		s.grid.Move(s.matrix, 1, 1)
		s.grid.Draw(s.canvas.All(), s.matrix, widget.Focused)
	})
	if allocations > 2 {
		t.Errorf("%v allocations in a frame", allocations)
	}
}
