package widget

import (
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
)

// Box is a frame with a title set into its upper line and a note into its lower one. A focused box has
// another outline, not only another colour.
type Box struct {
	Title string
	Note  string // lower right: where we are in what is shown, or what keys do
	Focus Focus
}

// Draw empties the region, outlines it and returns what is inside. Where there is no room for an outline,
// everything is inside.
func (b Box) Draw(r Region) Region {
	r.Fill(themes.Text)
	width, height := r.Width(), r.Height()
	if width < 3 || height < 3 {
		return r
	}
	outline, line, title := r.Glyphs().Box, themes.Border, themes.Title
	if b.Focus == Focused {
		outline, line, title = r.Glyphs().BoxFocus, themes.BorderFocus, themes.Title.Strong()
	}
	for y := 1; y < height-1; y++ {
		r.Glyph(0, y, line, outline.Vertical)
		r.Glyph(width-1, y, line, outline.Vertical)
	}
	r.Repeat(1, 0, width-2, line, outline.Horizontal)
	r.Repeat(1, height-1, width-2, line, outline.Horizontal)
	r.Glyph(0, 0, line, outline.TopLeft)
	r.Glyph(width-1, 0, line, outline.TopRight)
	r.Glyph(0, height-1, line, outline.BottomLeft)
	r.Glyph(width-1, height-1, line, outline.BottomRight)
	inset(r, 0, Left, title, line, b.Title, outline)
	inset(r, height-1, Right, themes.Muted, line, b.Note, outline)
	return r.Sub(layout.Rect{X: 1, Y: 1, Width: width - 2, Height: height - 2})
}

// inset writes text into a horizontal line of a box, one column away from the corner.
func inset(r Region, y int, align Align, p, line themes.Paint, text string, outline themes.Outline) {
	text, needed := r.measure(text)
	room := min(needed, r.Width()-4)
	if room < 1 {
		return
	}
	x := 1
	if align == Right {
		x = r.Width() - 3 - room
	}
	r.Glyph(x, y, line, outline.TitleLeft)
	r.Fit(x+1, y, room, p, text, Left)
	r.Glyph(x+1+room, y, line, outline.TitleRight)
}
