package widget_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

func styles(t testing.TB, theme string, glyphs themes.Glyphs) themes.Styles {
	t.Helper()
	palette, err := themes.Load(theme)
	if err != nil {
		t.Fatal(err)
	}
	return themes.Derive(palette, glyphs)
}

func canvas(t testing.TB, width, height int) *widget.Canvas {
	t.Helper()
	c := widget.NewCanvas()
	c.Reset(layout.Size{Width: width, Height: height}, styles(t, themes.Default, themes.Unicode()))
	return c
}

// picture compares what a canvas shows; trailing spaces do not count.
func picture(t *testing.T, c *widget.Canvas, want string) {
	t.Helper()
	var got strings.Builder
	for line := range strings.Lines(c.Text()) {
		got.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got.String()); diff != "" {
		t.Errorf("(-want +got)\n%s\nas drawn:\n%s", diff, got.String())
	}
}

// mustFill fails unless the canvas is rendered as height lines of exactly width columns.
func mustFill(t *rapid.T, c *widget.Canvas, width, height int) {
	lines := strings.Split(c.Render(), "\n")
	if len(lines) != height {
		t.Fatalf("%d lines, want %d", len(lines), height)
	}
	for y, line := range lines {
		if byCluster, byRune := ansi.StringWidth(line), ansi.StringWidthWc(line); byCluster != width || byRune != width {
			t.Fatalf("line %d is %d or %d columns, want %d: %q", y, byCluster, byRune, width, line)
		}
	}
}

func anyRect(t *rapid.T) layout.Rect {
	n := rapid.IntRange(-10, 60)
	return layout.Rect{X: n.Draw(t, "x"), Y: n.Draw(t, "y"), Width: n.Draw(t, "width"), Height: n.Draw(t, "height")}
}

func anyText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("ab 节点👍é\u0301\u200d🇩\x1b[31m\n✔…한"))))
}

func TestWhateverIsDrawnEveryLineIsAsWideAsTheCanvas(t *testing.T) {
	shared := canvas(t, 0, 0)
	look := styles(t, themes.Default, themes.Unicode())
	law.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(1, 50).Draw(t, "columns"), rapid.IntRange(1, 30).Draw(t, "rows")
		shared.Reset(layout.Size{Width: width, Height: height}, look)
		for range rapid.IntRange(1, 12).Draw(t, "strokes") {
			r := shared.In(anyRect(t))
			if rapid.Bool().Draw(t, "nested") {
				r = r.Sub(anyRect(t))
			}
			x, y, p := rapid.IntRange(-5, 50).Draw(t, "at x"), rapid.IntRange(-2, 30).Draw(t, "at y"), themes.Paint(
				rapid.Byte().Draw(t, "paint"),
			)
			text := anyText().Draw(t, "text")
			switch rapid.IntRange(0, 9).Draw(t, "stroke") {
			case 0:
				r.Fill(p)
			case 1:
				r.Fit(x, y, rapid.IntRange(-1, 60).Draw(t, "fit"), p, text, widget.Align(rapid.IntRange(0, 2).Draw(t, "align")))
			case 2:
				r.Glyph(x, y, p, '✔')
			case 3:
				widget.Box{Title: text, Note: text, Focus: widget.Focused}.Draw(r)
			case 4:
				widget.DrawParagraph(r, y, widget.Plain(p, text))
			case 5:
				widget.Tabs{Titles: []string{text, "b", text}, Current: 2}.Draw(r, y)
			case 6:
				widget.DrawProgress(r, y, p, x, 30)
			case 7:
				widget.Strip{Length: 40, Current: x, Marks: []widget.Mark{{Position: y, Glyph: '◆'}}}.Draw(r, y)
			case 8:
				r.Select()
			default:
				r.Text(x, y, p, text)
			}
		}
		mustFill(t, shared, width, height)
	})
}

func TestDrawingOutsideARegionChangesNothing(t *testing.T) {
	c := canvas(t, 20, 4)
	r := c.In(layout.Rect{X: 5, Y: 1, Width: 6, Height: 2})
	for y := -1; y < 4; y++ {
		r.Text(-3, y, themes.Text, "abcdefghijklmnop")
	}
	r.Glyph(-1, 0, themes.Text, '!')
	r.Glyph(6, 0, themes.Text, '!')
	r.Repeat(4, 1, 9, themes.Text, '#')
	picture(t, c, `

     defghi
     defg##

`)
}

func TestHalfCoveredWideCharactersAreBlanked(t *testing.T) {
	c := canvas(t, 12, 3)
	for y := range 3 {
		c.All().Text(0, y, themes.Text, "节点节点节点")
	}
	c.In(layout.Rect{X: 3, Y: 0, Width: 2, Height: 1}).Fill(themes.Text)
	c.All().Glyph(0, 1, themes.Text, 'x')
	c.All().Text(5, 2, themes.Text, "한")
	picture(t, c, `
节    点节点
x 点节点节点
节点 한 节点
`)
}

func TestFitCutsWithAnEllipsisAndAligns(t *testing.T) {
	tests := []struct {
		text  string
		width int
		align widget.Align
		want  string
	}{
		{"node", 6, widget.Left, "node  |"},
		{"node", 6, widget.Right, "  node|"},
		{"node", 6, widget.Center, " node |"},
		{"node", 4, widget.Right, "node|"},
		{"node-1", 4, widget.Right, "nod…|"},
		{"node-1", 1, widget.Left, "…|"},
		{"节点节点", 6, widget.Left, "节点 …|"},
		{"节点节点", 7, widget.Left, "节点节…|"},
		{"\x1b[31mred", 4, widget.Left, "red |"},
		{"node", 0, widget.Left, "|"},
	}
	for _, test := range tests {
		c := canvas(t, 10, 1)
		c.All().Fit(0, 0, test.width, themes.Text, test.text, test.align)
		c.All().Text(test.width, 0, themes.Text, "|")
		if got := strings.TrimRight(c.Text(), " \n"); got != test.want {
			t.Errorf("Fit(%q, %d, %d) draws %q, want %q", test.text, test.width, test.align, got, test.want)
		}
	}
}

func TestNamesAreCutInTheirMiddle(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"gke-pool-x1zq", 13, "gke-pool-x1zq|"},
		{"gke-pool-x1zq", 10, "gke-p…x1zq|"},
		{"gke-pool-x1zq", 5, "gk…zq|"},
		{"gke-pool-x1zq", 4, "gke…|"},
		{"节点节点节点", 9, "节点…节点|"},
		{"节点节点节点", 8, "节点…点 |"},
		{"\x1b[31mred-and-long", 7, "red…ong|"},
	} {
		c := canvas(t, 16, 1)
		c.All().FitName(0, 0, test.width, themes.Text, test.text, widget.Left)
		c.All().Text(test.width, 0, themes.Text, "|")
		if got := strings.TrimRight(c.Text(), " \n"); got != test.want {
			t.Errorf("FitName(%q, %d) draws %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

func TestRenderSwitchesPaintOnlyWhereItChanges(t *testing.T) {
	c := widget.NewCanvas()
	mono := styles(t, themes.Mono, themes.ASCII())
	c.Reset(layout.Size{Width: 6, Height: 2}, mono)
	c.All().Text(0, 0, themes.Text, "ab")
	c.All().Text(2, 0, themes.Fail, "cd")
	c.All().Text(4, 0, themes.Pass, "ef")
	want := "\x1b[0mab\x1b[0;1mcd\x1b[0mef\x1b[m\n\x1b[0m      \x1b[m"
	if got := c.Render(); got != want {
		t.Errorf("rendered %q\n    want %q", got, want)
	}
}

func TestResetForgetsWhatWasDrawn(t *testing.T) {
	c := canvas(t, 30, 3)
	c.All().Fill(themes.Fail)
	c.All().Text(0, 0, themes.Fail, "something long")
	look := styles(t, themes.Default, themes.Unicode())
	for _, size := range []layout.Size{{Width: 4, Height: 2}, {Width: 40, Height: 5}, {}, {Width: -1, Height: 3}} {
		c.Reset(size, look)
		if strings.Trim(c.Text(), " \n") != "" || c.PaintAt(0, 0) != themes.Text {
			t.Errorf("%+v still shows %q", size, c.Text())
		}
	}
}

func TestBoxesLieOverEachOther(t *testing.T) {
	c := canvas(t, 34, 8)
	under := widget.Box{Title: "Queue", Note: "1 of 9"}.Draw(c.In(layout.Rect{Width: 34, Height: 8}))
	for y := range under.Height() {
		under.Text(0, y, themes.Text, strings.Repeat("节", 20))
	}
	over := widget.Box{Title: "Why: a title that is longer than the box", Note: "esc", Focus: widget.Focused}.Draw(
		c.In(layout.Rect{X: 10, Y: 2, Width: 19, Height: 4}),
	)
	over.Text(0, 0, themes.Text, "Insufficient cpu")
	picture(t, c, `
╭ Queue ─────────────────────────╮
│节节节节节节节节节节节节节节节节│
│节节节节 ┏ Why: a title t… ┓节节│
│节节节节 ┃Insufficient cpu ┃节节│
│节节节节 ┃                 ┃节节│
│节节节节 ┗━━━━━━━━━━━━ esc ┛节节│
│节节节节节节节节节节节节节节节节│
╰──────────────────────── 1 of 9 ╯
`)
}

func TestASCIIGlyphsDrawASCIIOnly(t *testing.T) {
	c := widget.NewCanvas()
	c.Reset(layout.Size{Width: 24, Height: 6}, styles(t, themes.Mono, themes.ASCII()))
	in := widget.Box{Title: "Main", Note: "2/9", Focus: widget.Focused}.Draw(c.All())
	widget.DrawBar(in, 0, 0, 10, 0.56, themes.Text)
	widget.Strip{Length: 100, Current: 50}.Draw(in, 2)
	in.Fit(0, 3, 8, themes.Text, "a-long-name", widget.Left)
	picture(t, c, `
#[Main]================#
######-                #
#                      #
#---------->-----------#
#a-long-~              #
#=================[2/9]#
`)
}

func TestPaintAtAndTextOfACanvasWithoutCells(t *testing.T) {
	c := widget.NewCanvas()
	if got := fmt.Sprintf("%q %q %d", c.Text(), c.Render(), c.PaintAt(0, 0)); got != `"" "" 0` {
		t.Error(got)
	}
}
