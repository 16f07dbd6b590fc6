package widget_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// outline is lines of which those without an indent are headings.
type outline []string

func (o outline) Len() int { return len(o) }

func (o outline) IsHeading(line int) bool { return !strings.HasPrefix(o[line], " ") }

func (o outline) DrawLine(line int, r widget.Region) { r.Text(0, 0, themes.Text, o[line]) }

var queue = outline{"active 2", " web-7", " web-8", "backoff 1", " db-0", "unschedulable 0", "gated 1", " batch-9"}

func TestListSkipsHeadings(t *testing.T) {
	var l widget.List
	var visited []string
	for range 6 {
		at, ok := l.Cursor(queue)
		if !ok {
			t.Fatal("no line to be on")
		}
		visited = append(visited, strings.TrimSpace(queue[at]))
		l.Move(queue, 1)
	}
	if got, want := strings.Join(visited, ","), "web-7,web-8,db-0,batch-9,batch-9,batch-9"; got != want {
		t.Errorf("visited %s, want %s", got, want)
	}
	l.Move(queue, -2)
	if at, _ := l.Cursor(queue); queue[at] != " web-8" {
		t.Errorf("two up is %q", queue[at])
	}
	l.MoveTo(queue, 5)
	if at, _ := l.Cursor(queue); queue[at] != " batch-9" {
		t.Errorf("from a heading to %q", queue[at])
	}
}

func TestListShowsTheHeadingAboveTheCursor(t *testing.T) {
	var l widget.List
	l.MoveTo(queue, 7)
	c := canvas(t, 18, 3)
	l.Draw(c.All(), queue, widget.Focused)
	picture(t, c, `
 unschedulable 0
 gated 1
▸ batch-9
`)
	l.MoveTo(queue, 4)
	l.Draw(c.All(), queue, widget.Focused)
	picture(t, c, `
 backoff 1
▸ db-0
 unschedulable 0
`)
	l.Move(queue, -2)
	l.Draw(c.All(), queue, widget.Focused)
	picture(t, c, `
 active 2
▸ web-7
  web-8
`)
}

func TestCursorOfAListIsAlwaysSeenIfThereIsOne(t *testing.T) {
	look := styles(t, themes.Default, themes.Unicode())
	c := canvas(t, 0, 0)
	law.Check(t, func(t *rapid.T) {
		lines := outline(rapid.SliceOfN(rapid.OneOf(anyText(), rapid.Just(" line")), 0, 60).Draw(t, "lines"))
		for i := range lines {
			if lines[i] == "" {
				lines[i] = "heading"
			}
		}
		var l widget.List
		for range rapid.IntRange(1, 5).Draw(t, "frames") {
			width, height := rapid.IntRange(1, 300).Draw(t, "width"), rapid.IntRange(1, 100).Draw(t, "height")
			l.Move(lines, rapid.IntRange(-30, 30).Draw(t, "down"))
			l.MovePages(lines, rapid.IntRange(-2, 2).Draw(t, "pages"))
			c.Reset(layout.Size{Width: width, Height: height}, look)
			l.Draw(c.All(), lines, widget.Focused)
			mustFill(t, c, width, height)
			cursor, ok := l.Cursor(lines)
			seen := -1
			for y := range height {
				if paint := c.PaintAt(0, y); paint == paint.Selected() {
					seen = y
				}
			}
			if at, drawn := l.At(lines, seen); ok && (!drawn || at != cursor) || !ok && seen >= 0 {
				t.Fatalf("the cursor is on line %d (%v), row %d is selected", cursor, ok, seen)
			}
		}
	})
}

func TestListOfHeadingsOnlyHasNoCursor(t *testing.T) {
	var l widget.List
	for _, lines := range []outline{nil, {"a", "b"}} {
		l.Move(lines, 3)
		if at, ok := l.Cursor(lines); ok {
			t.Errorf("%q: the cursor is on %d", lines, at)
		}
	}
}
