package widget

import (
	"math"
	"strconv"

	"github.com/schedstep/schedstep/themes"
)

// DrawBar draws a horizontal bar that fills the given part, 0 to 1, of the width, to an eighth of a column.
func DrawBar(r Region, x, y, width int, part float64, p themes.Paint) {
	r.Repeat(x, y, width, p, ' ')
	eighths := int(math.Round(unit(part) * float64(width) * 8))
	parts := r.Glyphs().Parts
	whole := eighths / 8
	r.Repeat(x, y, whole, p, parts[7])
	if rest := eighths % 8; rest > 0 {
		r.Glyph(x+whole, y, p, parts[rest-1])
	}
}

// DrawProgress draws how much of something is done: a bar with the figures behind it.
func DrawProgress(r Region, y int, p themes.Paint, done, total int) {
	figures := strconv.Itoa(done) + "/" + strconv.Itoa(total)
	part := 0.0
	if total > 0 {
		part = float64(done) / float64(total)
	}
	percent := strconv.Itoa(int(unit(part)*100)) + "%"
	width := r.Width() - len(figures) - len(percent) - 2
	if width < 4 {
		r.Fit(0, y, r.Width(), p, figures, Left)
		return
	}
	DrawBar(r, 0, y, width, part, p)
	x := r.Text(width+1, y, themes.Text, figures)
	r.Text(x+1, y, themes.Muted, percent)
}

// unit is the value cut to 0..1; not-a-number counts as 0.
func unit(value float64) float64 {
	if !(value > 0) {
		return 0
	}
	return min(value, 1)
}
