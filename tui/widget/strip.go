package widget

import "github.com/schedstep/schedstep/themes"

// Strip is a row of positions, numbered from 0, pressed into the width there is, with marks on some of them
// and a pointer on one.
type Strip struct {
	Length  int
	Current int
	Marks   []Mark // in any order
}

// Mark is a sign on a position. Where several fall into one column the heaviest is shown, of equals the
// first.
type Mark struct {
	Position int
	Weight   int
	Glyph    rune
	Paint    themes.Paint
}

// Draw draws the strip on row y of the region.
func (s Strip) Draw(r Region, y int) {
	width := r.Width()
	if width == 0 {
		return
	}
	r.Repeat(0, y, width, themes.Border, r.Glyphs().Track)
	if s.Length <= 0 {
		return
	}
	shown := make([]*Mark, width)
	for i := range s.Marks {
		mark := &s.Marks[i]
		if mark.Position < 0 || mark.Position >= s.Length {
			continue
		}
		column := s.ColumnOf(mark.Position, width)
		if shown[column] == nil || mark.Weight > shown[column].Weight {
			shown[column] = mark
		}
	}
	for x, mark := range shown {
		if mark != nil {
			r.Glyph(x, y, mark.Paint, mark.Glyph)
		}
	}
	r.Glyph(s.ColumnOf(s.Current, width), y, themes.Accent.Selected(), r.Glyphs().Running)
}

// ColumnOf is the column of a position in a strip of the given width: the first position is in the first
// column and the last in the last.
func (s Strip) ColumnOf(position, width int) int {
	position = min(max(position, 0), max(s.Length-1, 0))
	if s.Length <= 1 || width <= 1 {
		return 0
	}
	return position * (width - 1) / (s.Length - 1)
}

// PositionAt is the position to go to when a column is pointed at: the first one drawn there, or the next
// one if none is.
func (s Strip) PositionAt(column, width int) int {
	column = min(max(column, 0), max(width-1, 0))
	if s.Length <= 1 || width <= 1 {
		return 0
	}
	return (column*(s.Length-1) + width - 2) / (width - 1)
}
