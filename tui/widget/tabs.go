package widget

import "github.com/schedstep/schedstep/themes"

// Tabs is a row of titles of which one is current; that one stands in brackets.
type Tabs struct {
	Titles  []string
	Current int
}

// Draw draws the titles on row y of the region. When they do not all fit, those on the left go first, until
// the current one is seen.
func (t Tabs) Draw(r Region, y int) {
	x := -t.offset(r.Width())
	for i, title := range t.Titles {
		paint, before, after := themes.Muted, " ", " "
		if i == t.Current {
			paint, before, after = themes.Title.Strong(), "[", "]"
		}
		x = r.Text(x, y, paint, before)
		x = r.Text(x, y, paint, title)
		x = r.Text(x, y, paint, after)
	}
}

// Width is how many columns the titles take.
func (t Tabs) Width() int {
	width := 0
	for _, title := range t.Titles {
		width += Width(title) + 2
	}
	return width
}

// At is the tab that is drawn in a column of a region of the given width; ok is false where there is none.
func (t Tabs) At(column, width int) (tab int, ok bool) {
	x := -t.offset(width)
	for i, title := range t.Titles {
		next := x + Width(title) + 2
		if column >= max(x, 0) && column < min(next, width) {
			return i, true
		}
		x = next
	}
	return 0, false
}

// offset is the number of columns hidden on the left.
func (t Tabs) offset(width int) int {
	start, end := 0, 0
	for _, title := range t.Titles[:min(max(t.Current+1, 0), len(t.Titles))] {
		start = end
		end += Width(title) + 2
	}
	return min(max(end-width, 0), start)
}
