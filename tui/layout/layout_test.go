package layout_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/tui/layout"
)

// draw pictures a screen: boxes with names, and lines with names where there is one row. What is drawn
// later hides what is below it, as on the real screen.
func draw(s layout.Screen) string {
	rows := make([][]rune, s.Size.Height)
	for y := range rows {
		rows[y] = []rune(strings.Repeat("?", s.Size.Width))
	}
	for _, part := range named(s) {
		for y := part.rect.Y; y < part.rect.Y+part.rect.Height; y++ {
			for x := part.rect.X; x < part.rect.X+part.rect.Width; x++ {
				rows[y][x] = outline(part.rect, x, y)
			}
		}
		for i, r := range part.name {
			if at := part.rect.X + 1 + i; part.rect.Contains(at, part.rect.Y) {
				rows[part.rect.Y][at] = r
			}
		}
	}
	var text strings.Builder
	for _, row := range rows {
		text.WriteString(string(row) + "\n")
	}
	return text.String()
}

func outline(r layout.Rect, x, y int) rune {
	left, right := x == r.X, x == r.X+r.Width-1
	switch top, bottom := y == r.Y, y == r.Y+r.Height-1; {
	case r.Height == 1:
		return '═'
	case top && left:
		return '╭'
	case top && right:
		return '╮'
	case bottom && left:
		return '╰'
	case bottom && right:
		return '╯'
	case top || bottom:
		return '─'
	case left || right:
		return '│'
	}
	return ' '
}

type part struct {
	name string
	rect layout.Rect
}

func named(s layout.Screen) []part {
	all := []part{
		{"header", s.Header},
		{"tabs", s.Tabs},
		{"queue", s.Queue},
		{"main", s.Main},
		{"timeline", s.Timeline},
		{"footer", s.Footer},
		{"notice", s.Notice},
		{"why", s.Why},
		{"lesson", s.Lesson},
		{"task", s.Task},
	}
	var shown []part
	for _, p := range all {
		if !p.rect.IsEmpty() {
			shown = append(shown, p)
		}
	}
	return shown
}

func anyScreen(t *rapid.T) layout.Screen {
	size := layout.Size{Width: rapid.IntRange(1, 300).Draw(t, "width"), Height: rapid.IntRange(1, 100).Draw(t, "height")}
	mode := layout.Mode{
		Lesson:  rapid.Bool().Draw(t, "lesson"),
		Focus:   rapid.SampledFrom(layout.Panes()).Draw(t, "focus"),
		Zoomed:  rapid.Bool().Draw(t, "zoomed"),
		WhyOpen: rapid.Bool().Draw(t, "why open"), MainRows: rapid.IntRange(0, 60).Draw(t, "rows of main"),
	}
	if mode.Lesson && rapid.Bool().Draw(t, "lesson has the focus") {
		mode.Focus = layout.Lesson
	}
	return layout.Arrange(size, mode)
}

func TestRectanglesCoverTheScreenOnceAndOnlyWhyFloats(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		s := anyScreen(t)
		covered := make([]int, s.Size.Width*s.Size.Height)
		for _, part := range named(s) {
			if part.name == "why" && s.WhyFloats {
				if under := part.rect.Intersect(s.Header); !under.IsEmpty() {
					t.Fatalf("why hides the header: %+v", under)
				}
				continue
			}
			for y := part.rect.Y; y < part.rect.Y+part.rect.Height; y++ {
				for x := part.rect.X; x < part.rect.X+part.rect.Width; x++ {
					covered[y*s.Size.Width+x]++
				}
			}
		}
		for at, times := range covered {
			if times != 1 {
				t.Fatalf("cell %d,%d is covered %d times", at%s.Size.Width, at/s.Size.Width, times)
			}
		}
	})
}

func TestFocusedPaneIsShownWheneverPanesAre(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		size := layout.Size{
			Width: rapid.IntRange(60, 300).Draw(t, "width"), Height: rapid.IntRange(15, 100).Draw(t, "height"),
		}
		focus := rapid.SampledFrom(append(layout.Panes(), layout.Lesson)).Draw(t, "focus")
		lesson := focus == layout.Lesson || rapid.Bool().Draw(t, "lesson")
		s := layout.Arrange(size, layout.Mode{Focus: focus, Zoomed: rapid.Bool().Draw(t, "zoomed"), Lesson: lesson})
		pane := s.Pane(focus)
		if pane.Width < 20 || pane.Height < 3 {
			t.Fatalf("pane %d at %dx%d is %+v", focus, size.Width, size.Height, pane)
		}
		if at, ok := s.PaneAt(pane.X, pane.Y); !ok || at != focus {
			t.Fatalf("the corner of pane %d shows pane %d (%v)", focus, at, ok)
		}
	})
}

func TestPopupsStayOnTheScreen(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		s := anyScreen(t)
		width, height := rapid.IntRange(-5, 400).Draw(t, "popup width"), rapid.IntRange(-5, 400).Draw(t, "popup height")
		screen := layout.Rect{Width: s.Size.Width, Height: s.Size.Height}
		for name, rect := range map[string]layout.Rect{"popup": s.Popup(width, height), "drawer": s.Drawer(height)} {
			if !rect.IsEmpty() && rect.Intersect(screen) != rect {
				t.Fatalf("%s %+v leaves the screen %+v", name, rect, screen)
			}
			if width > 0 && height > 0 && rect.IsEmpty() {
				t.Fatalf("%s is empty on %+v", name, s.Size)
			}
		}
	})
}

func TestSizesDecideTheKind(t *testing.T) {
	tests := map[layout.Size]layout.Kind{
		{Width: 160, Height: 40}: layout.Wide,
		{Width: 159, Height: 40}: layout.Medium,
		{Width: 160, Height: 39}: layout.Medium,
		{Width: 100, Height: 30}: layout.Medium,
		{Width: 99, Height: 30}:  layout.Narrow,
		{Width: 300, Height: 24}: layout.Narrow,
		{Width: 80, Height: 24}:  layout.Narrow,
		{Width: 60, Height: 15}:  layout.Narrow,
		{Width: 59, Height: 15}:  layout.Tiny,
		{Width: 80, Height: 14}:  layout.Tiny,
		{Width: 1, Height: 1}:    layout.Tiny,
		{Width: 0, Height: 0}:    layout.Tiny,
	}
	for size, want := range tests {
		if got := layout.KindOf(size); got != want {
			t.Errorf("%dx%d is kind %d, want %d", size.Width, size.Height, got, want)
		}
	}
}

func TestNoScreenAtAllHasNoRectangles(t *testing.T) {
	for _, size := range []layout.Size{{}, {Width: -1, Height: -1}, {Width: 10}, {Height: 10}} {
		s := layout.Arrange(size, layout.Mode{})
		if parts := named(s); len(parts) != 0 {
			t.Errorf("%+v has %v", size, parts)
		}
		if popup := s.Popup(10, 10); !popup.IsEmpty() {
			t.Errorf("%+v has a popup %+v", size, popup)
		}
	}
}

func TestPicturesOfTheLayout(t *testing.T) {
	for _, picture := range []struct {
		name string
		size layout.Size
		mode layout.Mode
	}{
		{"three_panes", layout.Size{Width: 160, Height: 40}, layout.Mode{Focus: layout.Main}},
		{"two_panes", layout.Size{Width: 100, Height: 30}, layout.Mode{Focus: layout.Main}},
		{"why_over_two_panes", layout.Size{Width: 100, Height: 30}, layout.Mode{Focus: layout.Main, WhyOpen: true}},
		{"zoomed_queue", layout.Size{Width: 100, Height: 30}, layout.Mode{Focus: layout.Queue, Zoomed: true}},
		{"one_pane", layout.Size{Width: 80, Height: 24}, layout.Mode{Focus: layout.Main}},
		{"one_pane_the_timeline", layout.Size{Width: 80, Height: 24}, layout.Mode{Focus: layout.Timeline}},
		{"smallest_with_panes", layout.Size{Width: 60, Height: 15}, layout.Mode{Focus: layout.Why}},
		{"too_small", layout.Size{Width: 59, Height: 14}, layout.Mode{Focus: layout.Why}},
		{"one_row", layout.Size{Width: 20, Height: 1}, layout.Mode{}},
	} {
		name := fmt.Sprintf("%s_%dx%d", picture.name, picture.size.Width, picture.size.Height)
		t.Run(name, func(t *testing.T) {
			golden.Is(t, filepath.Join("testdata", name+".txt"), draw(layout.Arrange(picture.size, picture.mode)))
		})
	}
}
