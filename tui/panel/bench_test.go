package panel_test

import (
	"testing"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/panel"
	"github.com/schedstep/schedstep/tui/widget"
)

func screen(t testing.TB, width, height int) *widget.Canvas {
	t.Helper()
	c := widget.NewCanvas()
	c.Reset(layout.Size{Width: width, Height: height}, styles(t, themes.Default, themes.Unicode()))
	return c
}

// The budget is 300 µs for 5,000 nodes at 200x60 after the first frame.
func BenchmarkFiltersScrollThroughFiveThousandNodes(b *testing.B) {
	f, p, c := crowd(5000), panel.NewFilters(), screen(b, 200, 60)
	p.Draw(f, c.All(), widget.Focused)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p.Move(f, 1-2*(i/4000%2), 0)
		p.Draw(f, c.All(), widget.Focused)
	}
}

func BenchmarkFiltersShowAnotherMatrixOfFiveThousandNodes(b *testing.B) {
	one, other, p, c := crowd(5000), crowd(5000), panel.NewFilters(), screen(b, 200, 60)
	b.ReportAllocs()
	for b.Loop() {
		p.Draw(one, c.All(), widget.Focused)
		one, other = other, one
	}
}

func BenchmarkFiltersSortByNearestMiss(b *testing.B) {
	f, p, c := crowd(5000), panel.NewFilters(), screen(b, 200, 60)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p.Sort(view.Orders()[i%2*2])
		p.Draw(f, c.All(), widget.Focused)
	}
}

func BenchmarkTimelineOfAHundredThousandMarks(b *testing.B) {
	f, p, c := &session.Frame{}, &panel.Timeline{}, screen(b, 200, 2)
	for i := range 100_000 {
		f.Timeline = append(
			f.Timeline, session.Mark{Step: i, Cycle: int64(i + 1), Pod: "default/web", Outcome: trace.Scheduled},
		)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		f.Position.Step = i % len(f.Timeline)
		p.Draw(f, c.All(), widget.Focused)
	}
}
