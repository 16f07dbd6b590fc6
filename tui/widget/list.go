package widget

import "github.com/schedstep/schedstep/themes"

// Lines are the lines that a List shows. A list reads only those that are visible. A heading is a line that the cursor
// skips.
type Lines interface {
	Len() int
	IsHeading(line int) bool
	DrawLine(line int, r Region)
}

// List is lines seen through a window, with a cursor on one of those that are no headings. Each line has a
// gutter of one column in front, for the pointer.
type List struct {
	cursor int
	top    int
	page   int
}

// Cursor is the line that the cursor is on; ok is false where there is no line for the cursor.
func (l *List) Cursor(lines Lines) (line int, ok bool) {
	l.settle(lines)
	return l.cursor, l.cursor < lines.Len() && !lines.IsHeading(l.cursor)
}

// MoveTo puts the cursor on a line. If that is a heading, or does not exist, it takes the next line that has no
// heading, or the last one before.
func (l *List) MoveTo(lines Lines, line int) {
	l.cursor = line
	l.settle(lines)
}

// Move moves the cursor down by so many lines, without counting headings, and stops at the last one. A negative number
// moves it up.
func (l *List) Move(lines Lines, by int) {
	l.settle(lines)
	step := 1
	if by < 0 {
		step, by = -1, -by
	}
	for at := l.cursor + step; by > 0 && at >= 0 && at < lines.Len(); at += step {
		if lines.IsHeading(at) {
			continue
		}
		l.cursor = at
		by--
	}
}

// MovePages moves the cursor down by whole windows; a negative number moves it up.
func (l *List) MovePages(lines Lines, pages int) { l.Move(lines, pages*max(l.page-1, 1)) }

// Press moves the cursor for a key, and reports whether the key is one that moves it.
func (l *List) Press(lines Lines, key string) bool {
	switch key {
	case "up":
		l.Move(lines, -1)
	case "down":
		l.Move(lines, 1)
	case "pgup":
		l.MovePages(lines, -1)
	case "pgdown":
		l.MovePages(lines, 1)
	default:
		return false
	}
	return true
}

// At is the line that was drawn in row y of the region last drawn in; ok is false where there is none.
func (l *List) At(lines Lines, y int) (line int, ok bool) {
	line = l.top + y
	return line, y >= 0 && y < l.page && line < lines.Len()
}

// Draw draws the window into the region. It scrolls as little as possible: so far that the cursor is visible, with the
// heading directly above it. Drawing twice gives the same picture.
func (l *List) Draw(r Region, lines Lines, focus Focus) {
	r.Fill(themes.Text)
	l.settle(lines)
	l.page = r.Height()
	l.top = scroll(l.top, l.cursor, l.page, lines.Len())
	if l.top == l.cursor && l.top > 0 && l.page > 1 && lines.IsHeading(l.top-1) {
		l.top--
	}
	for y := range min(l.page, lines.Len()-l.top) {
		line := l.top + y
		row := r.Row(y)
		_, text := row.rect.Left(min(gutter, max(row.Width()-1, 0)))
		lines.DrawLine(line, Region{canvas: r.canvas, rect: text})
		if line != l.cursor || lines.IsHeading(line) {
			continue
		}
		if row.Width() > gutter {
			row.Glyph(0, 0, themes.Accent, row.Glyphs().Pointer)
		}
		if focus == Focused {
			row.Select()
			continue
		}
		row.Light()
	}
}

// settle keeps the cursor on a line that exists and is no heading, if there is one.
func (l *List) settle(lines Lines) {
	l.cursor = min(max(l.cursor, 0), max(lines.Len()-1, 0))
	for after := l.cursor; after < lines.Len(); after++ {
		if !lines.IsHeading(after) {
			l.cursor = after
			return
		}
	}
	for before := l.cursor - 1; before >= 0; before-- {
		if !lines.IsHeading(before) {
			l.cursor = before
			return
		}
	}
}
