package layout

// Rect is a rectangle of cells; X grows to the right and Y downwards from the top left of the screen. A
// rectangle without width or height is empty: nothing is drawn there.
type Rect struct{ X, Y, Width, Height int }

// IsEmpty reports whether the rectangle has no cell.
func (r Rect) IsEmpty() bool { return r.Width <= 0 || r.Height <= 0 }

// Contains reports whether the cell lies inside.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < r.X+r.Width && y >= r.Y && y < r.Y+r.Height
}

// Intersect is what two rectangles have in common; empty if they have nothing.
func (r Rect) Intersect(o Rect) Rect {
	x, y := max(r.X, o.X), max(r.Y, o.Y)
	both := Rect{X: x, Y: y, Width: min(r.X+r.Width, o.X+o.Width) - x, Height: min(r.Y+r.Height, o.Y+o.Height) - y}
	if both.IsEmpty() {
		return Rect{}
	}
	return both
}

// Inset is the rectangle without a margin of n cells on every side, possibly empty.
func (r Rect) Inset(n int) Rect {
	return Rect{X: r.X + n, Y: r.Y + n, Width: max(r.Width-2*n, 0), Height: max(r.Height-2*n, 0)}
}

// Top is the uppermost n rows, or as many as there are; the second rectangle is what remains below.
func (r Rect) Top(n int) (top, below Rect) {
	n = min(max(n, 0), max(r.Height, 0))
	top, below = r, r
	top.Height = n
	below.Y += n
	below.Height -= n
	return top, below
}

// bottomRows is the lowest n rows, or as many as there are; the second rectangle is what remains above.
func (r Rect) bottomRows(n int) (bottom, above Rect) {
	above, bottom = r.Top(r.Height - n)
	return bottom, above
}

// Left is the leftmost n columns, or as many as there are; the second rectangle is what remains to the
// right.
func (r Rect) Left(n int) (left, rest Rect) {
	n = min(max(n, 0), max(r.Width, 0))
	left, rest = r, r
	left.Width = n
	rest.X += n
	rest.Width -= n
	return left, rest
}
