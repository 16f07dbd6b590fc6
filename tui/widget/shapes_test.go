package widget_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

func TestBarIsExactToAnEighthOfAColumn(t *testing.T) {
	c := canvas(t, 4, 6)
	for y, part := range []float64{0, 1.0 / 32, 0.5, 0.99, 7, math.NaN()} {
		widget.DrawBar(c.All(), 0, y, 4, part, themes.Text)
	}
	picture(t, c, `

▏
██
████
████

`)
}

func TestProgressGivesFiguresAndDropsTheBarWhereThereIsNoRoom(t *testing.T) {
	c := canvas(t, 24, 1)
	widget.DrawProgress(c.All(), 0, themes.Accent, 250, 1000)
	picture(t, c, "██▊         250/1000 25%\n")
	narrow := canvas(t, 10, 1)
	widget.DrawProgress(narrow.All(), 0, themes.Accent, 250, 1000)
	picture(t, narrow, "250/1000\n")
}

func TestStripShowsTheHeaviestMarkOfAColumn(t *testing.T) {
	c := canvas(t, 11, 2)
	strip := widget.Strip{Length: 101, Current: 50, Marks: []widget.Mark{
		{Position: 0, Glyph: 'a'},
		{Position: 3, Weight: 2, Glyph: 'b'},
		{Position: 4, Weight: 2, Glyph: 'c'},
		{Position: 52, Weight: 9, Glyph: 'd'},
		{Position: 100, Glyph: 'e'},
		{Position: 101, Weight: 9, Glyph: 'f'},
		{Position: -1, Weight: 9, Glyph: 'g'},
	}}
	strip.Draw(c.All(), 0)
	picture(t, c, `
b────▶────e

`)
}

func TestPointingAtAStripFindsWhatIsDrawnThere(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		strip := widget.Strip{Length: rapid.IntRange(0, 5000).Draw(t, "length")}
		width := rapid.IntRange(1, 300).Draw(t, "width")
		column := rapid.IntRange(0, width-1).Draw(t, "column")
		position := strip.PositionAt(column, width)
		if position < 0 || position > max(strip.Length-1, 0) {
			t.Fatalf("column %d is position %d", column, position)
		}
		back := strip.ColumnOf(position, width)
		if strip.Length >= width && width > 1 && back != column {
			t.Fatalf("column %d is position %d, which is drawn in column %d", column, position, back)
		}
		if position > 0 && strip.ColumnOf(position-1, width) > back {
			t.Fatalf("positions are not in order at %d", position)
		}
		if last := strip.ColumnOf(strip.Length-1, width); strip.Length > 1 && last != width-1 {
			t.Fatalf("the last position is in column %d of %d", last, width)
		}
	})
}

func TestTabsShowTheCurrentOneAndCanBePointedAt(t *testing.T) {
	tabs := widget.Tabs{Titles: []string{"Filter", "Score", "节点", "Facts"}, Current: 0}
	c := canvas(t, 32, 1)
	tabs.Draw(c.All(), 0)
	picture(t, c, "[Filter] Score  节点  Facts\n")

	tabs.Current = 2
	narrow := canvas(t, 12, 1)
	tabs.Draw(narrow.All(), 0)
	picture(t, narrow, "Score [节点]\n")

	law.Check(t, func(t *rapid.T) {
		tabs.Current = rapid.IntRange(0, 3).Draw(t, "current")
		width := rapid.IntRange(1, 40).Draw(t, "width")
		found := false
		for column := range width {
			if tab, ok := tabs.At(column, width); ok && tab == tabs.Current {
				found = true
			}
		}
		if !found {
			t.Fatalf("tab %d is not in %d columns", tabs.Current, width)
		}
	})
}

func text(lines []widget.Paragraph) []string {
	var texts []string
	for _, line := range lines {
		var joined strings.Builder
		for _, span := range line {
			joined.WriteString(span.Text)
		}
		texts = append(texts, joined.String())
	}
	return texts
}

func TestWrapBreaksBetweenWordsAndKeepsLineBreaks(t *testing.T) {
	tests := []struct {
		text  string
		width int
		want  []string
	}{
		{"Insufficient cpu: wants 2, free 500m", 14, []string{"Insufficient", "cpu: wants 2,", "free 500m"}},
		{"cpu: wants 2", 12, []string{"cpu: wants 2"}},
		{"a\n\nb", 5, []string{"a", "", "b"}},
		{"abcdefghij kl", 4, []string{"abcd", "efgh", "ij", "kl"}},
		{"  wants   2", 11, []string{"  wants   2"}},
		{"  wants   2", 8, []string{"  wants", "2"}},
		{"节点 节点节点", 5, []string{"节点", "节点", "节点"}},
		{"运行 db 的调度周期", 12, []string{"运行 db 的调", "度周期"}},
		{"先过滤，再打分。", 6, []string{"先过", "滤，再", "打分。"}},
		{"按键（左）和“右”", 6, []string{"按键", "（左）", "和“右”"}},
		{"a 节点 n1，好", 9, []string{"a 节点", "n1，好"}},
		{"节", 1, []string{"\ufffd"}},
		{"a \x1b[31mb\x1b[m", 9, []string{"a b"}},
		{"", 9, []string{""}},
		{"a", 0, nil},
	}
	for _, test := range tests {
		got := text(widget.Wrap(widget.Plain(themes.Text, test.text), test.width))
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("Wrap(%q, %d) (-want +got):\n%s", test.text, test.width, diff)
		}
	}
}

func TestWrapBreaksChineseBetweenCharactersAndNotAtMarks(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  []string
	}{
		{"调度器放置", 4, []string{"调度", "器放", "置"}},
		{"调度器放置", 5, []string{"调度", "器放", "置"}},           // never half a character
		{"一个 Pod 没有节点", 12, []string{"一个 Pod 没", "有节点"}},  // not only at spaces
		{"节点已满，再等", 8, []string{"节点已", "满，再等"}},           // a mark does not begin a line
		{"缓存（cache）里", 6, []string{"缓存", "（cach", "e）里"}}, // nor does one that opens end it
		{"节点nodename满", 9, []string{"节点", "nodename", "满"}},
	} {
		if diff := cmp.Diff(test.want, text(widget.Wrap(widget.Plain(themes.Text, test.text), test.width))); diff != "" {
			t.Errorf("Wrap(%q, %d) (-want +got):\n%s", test.text, test.width, diff)
		}
	}
}

func TestWrapKeepsThePaintOfEveryWord(t *testing.T) {
	p := widget.Paragraph{{"wants ", themes.Text}, {"2 cpus", themes.Fail}, {", free 500m", themes.Text}}
	want := []widget.Paragraph{
		{{"wants ", themes.Text}, {"2", themes.Fail}},
		{{"cpus", themes.Fail}, {", free", themes.Text}},
		{{"500m", themes.Text}},
	}
	if diff := cmp.Diff(want, widget.Wrap(p, 11)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWrappedLinesFitAndLoseNoWord(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		words, width := anyText().Draw(t, "text"), rapid.IntRange(2, 40).Draw(t, "width")
		lines := text(widget.Wrap(widget.Plain(themes.Text, words), width))
		for _, line := range lines {
			if widget.Width(line) > width {
				t.Fatalf("line %q is %d columns wide, more than %d", line, widget.Width(line), width)
			}
		}
		var want strings.Builder
		for paragraph := range strings.SplitSeq(words, "\n") {
			want.WriteString(strings.ReplaceAll(widget.Sanitize(paragraph), " ", ""))
		}
		if got := strings.ReplaceAll(strings.Join(lines, ""), " ", ""); got != want.String() {
			t.Fatalf("lines hold %q, the text %q", got, want.String())
		}
	})
}

func TestPagerStopsAtBothEnds(t *testing.T) {
	story := []widget.Paragraph{
		widget.Plain(themes.Text, "one two three four"),
		widget.Plain(themes.Muted, "five"),
		widget.Plain(themes.Text, "six seven"),
	}
	var g widget.Pager
	c := canvas(t, 9, 3)
	g.Draw(c.All(), story)
	picture(t, c, "one two\nthree\nfour\n")
	g.Scroll(99)
	g.Draw(c.All(), story)
	picture(t, c, "four\nfive\nsix seven\n")
	if first, end, total := g.Seen(); first != 2 || end != 5 || total != 5 {
		t.Errorf("seen %d to %d of %d", first, end, total)
	}
	g.ScrollPages(-1)
	g.Draw(c.All(), story)
	picture(t, c, "one two\nthree\nfour\n")
	g.Scroll(2)
	g.Rewind()
	g.Draw(c.All(), story[1:])
	picture(t, c, "five\nsix seven\n\n")
}

func TestInputShowsItsCursorWhereverItIs(t *testing.T) {
	look := styles(t, themes.Default, themes.Unicode())
	c := canvas(t, 0, 0)
	law.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 60).Draw(t, "width")
		c.Reset(layout.Size{Width: width, Height: 1}, look)
		column := widget.Input{
			Prompt: anyText().Draw(t, "prompt"), Value: anyText().Draw(t, "value"),
			Cursor: rapid.IntRange(-1, 40).Draw(t, "cursor"), Ghost: anyText().Draw(t, "ghost"),
		}.Draw(c.All(), 0)
		mustFill(t, c, width, 1)
		if paint := c.PaintAt(column, 0); column < 0 || column >= width || paint != paint.Selected() {
			t.Fatalf("the cursor is in column %d of %d, paint %d", column, width, paint)
		}
	})
}

func TestInputScrollsWithItsCursor(t *testing.T) {
	c := canvas(t, 12, 2)
	widget.Input{Prompt: ":", Value: "goto web", Cursor: 8, Ghost: "-7"}.Draw(c.All(), 0)
	at := widget.Input{Prompt: ":", Value: "goto web-7 and on", Cursor: 99}.Draw(c.All(), 1)
	picture(t, c, ":goto web-7\n:b-7 and on\n")
	if at != 11 {
		t.Errorf("the cursor is in column %d", at)
	}
}
