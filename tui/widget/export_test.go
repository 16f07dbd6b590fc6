package widget

import "github.com/schedstep/schedstep/themes"

// PaintAt is the paint of a cell; plain text outside the canvas.
func (c *Canvas) PaintAt(x, y int) themes.Paint {
	if x < 0 || y < 0 || x >= c.width || y >= c.height {
		return themes.Text
	}
	return c.cells[y*c.width+x].paint
}
