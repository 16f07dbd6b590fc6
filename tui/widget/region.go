package widget

import (
	"unicode/utf8"

	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
)

// Region is a rectangle of a canvas with coordinates of its own, starting at 0, 0. What is drawn beyond its
// edges is not seen. It is a small value: pass it, cut it, throw it away.
type Region struct {
	canvas *Canvas
	rect   layout.Rect // always within the canvas
}

// Width is the number of columns.
func (r Region) Width() int { return r.rect.Width }

// Height is the number of rows.
func (r Region) Height() int { return r.rect.Height }

// IsEmpty reports whether nothing could be seen here.
func (r Region) IsEmpty() bool { return r.rect.IsEmpty() }

// Glyphs are the signs to draw with.
func (r Region) Glyphs() *themes.Glyphs { return &r.canvas.styles.Glyphs }

// Sub is the part of the region that lies in the rectangle, given in the region's coordinates.
func (r Region) Sub(rect layout.Rect) Region {
	rect.X += r.rect.X
	rect.Y += r.rect.Y
	return Region{canvas: r.canvas, rect: rect.Intersect(r.rect)}
}

// Row is one row of the region.
func (r Region) Row(y int) Region {
	return r.Sub(layout.Rect{Y: y, Width: r.rect.Width, Height: 1})
}

// line is the whole line of the canvas under row y of the region, with the bounds of the region in it.
func (r Region) line(y int) (cells []cell, from, to int) {
	if y < 0 || y >= r.rect.Height || r.rect.IsEmpty() {
		return nil, 0, 0
	}
	start := (r.rect.Y + y) * r.canvas.width
	return r.canvas.cells[start : start+r.canvas.width], r.rect.X, r.rect.X + r.rect.Width
}

// Fill empties the region.
func (r Region) Fill(p themes.Paint) {
	for y := range r.rect.Height {
		line, from, to := r.line(y)
		if from >= to {
			return
		}
		set(line, from, cell{char: ' ', paint: p}, 1)
		set(line, to-1, cell{char: ' ', paint: p}, 1)
		fill(line[from:to], cell{char: ' ', paint: p})
	}
}

// Light changes what is drawn in the region to the look of the row the cursor is in.
func (r Region) Light() { r.repaint(themes.Paint.Lit) }

// Select changes what is drawn in the region to the look of what is under the cursor.
func (r Region) Select() { r.repaint(themes.Paint.Selected) }

func (r Region) repaint(change func(themes.Paint) themes.Paint) {
	for y := range r.rect.Height {
		line, from, to := r.line(y)
		for x := from; x < to; x++ {
			line[x].paint = change(line[x].paint)
		}
	}
}

// Glyph draws one of the theme's glyphs.
func (r Region) Glyph(x, y int, p themes.Paint, glyph rune) {
	line, from, to := r.line(y)
	if at := from + x; x >= 0 && at < to {
		set(line, at, cell{char: glyph, paint: p}, 1)
	}
}

// Repeat draws a glyph n times, to the right.
func (r Region) Repeat(x, y, n int, p themes.Paint, glyph rune) {
	for i := range min(n, r.rect.Width-x) {
		r.Glyph(x+i, y, p, glyph)
	}
}

// Text draws sanitised text to the right of x and returns the column after it. What does not fit is cut off.
func (r Region) Text(x, y int, p themes.Paint, text string) int {
	text, width := r.measure(text)
	r.write(x, y, r.rect.Width, p, text)
	return x + width
}

// Fit draws sanitised text in exactly the given number of columns: filled up with spaces, or cut with an
// ellipsis.
func (r Region) Fit(x, y, width int, p themes.Paint, text string, align Align) {
	if width <= 0 {
		return
	}
	text, needed := r.measure(text)
	before, end := 0, x+width
	switch {
	case needed > width:
		end--
	case align == Right:
		before = width - needed
	case align == Center:
		before = (width - needed) / 2
	}
	r.Repeat(x, y, before, p, ' ')
	at := r.write(x+before, y, end, p, text)
	r.Repeat(at, y, end-at, p, ' ')
	if needed > width {
		r.Glyph(end, y, p, r.Glyphs().Ellipsis)
	}
}

// FitName is Fit for a name, which is cut in its middle: names differ mostly at their beginning and their end.
func (r Region) FitName(x, y, width int, p themes.Paint, name string, align Align) {
	safe, needed := r.measure(name)
	if needed <= width || width < leastCut {
		r.Fit(x, y, width, p, name, align)
		return
	}
	end := x + width
	tail, from := (width-1)/2, len(safe)
	for from > 0 {
		char, size := utf8.DecodeLastRuneInString(safe[:from])
		columns := r.canvas.columns(char)
		if columns > tail {
			break
		}
		tail, from = tail-columns, from-size
	}
	last := end - (width-1)/2 + tail
	at := r.write(x, y, last-1, p, safe)
	r.Glyph(at, y, p, r.Glyphs().Ellipsis)
	at = r.write(at+1, y, end, p, safe[from:])
	r.Repeat(at, y, end-at, p, ' ')
}

// leastCut is the width from which a name is cut in its middle.
const leastCut = 5

// measure returns text that is safe to draw, and its width.
func (r Region) measure(text string) (safe string, width int) {
	for _, char := range text {
		columns := r.canvas.columns(char)
		if columns == 0 || char == utf8.RuneError {
			safe = Sanitize(text)
			return safe, r.widthOf(safe)
		}
		width += columns
	}
	return text, width
}

func (r Region) widthOf(safe string) int {
	width := 0
	for _, char := range safe {
		width += r.canvas.columns(char)
	}
	return width
}

// write draws safe text from x up to, not including, end, and returns where it stopped.
func (r Region) write(x, y, end int, p themes.Paint, safe string) int {
	line, from, to := r.line(y)
	end = min(end, to-from)
	for _, char := range safe {
		columns := r.canvas.columns(char)
		if x+columns > end {
			break
		}
		if x >= 0 {
			set(line, from+x, cell{char: char, paint: p}, columns)
		}
		x += columns
	}
	return x
}
