package widget

import (
	"strings"
	"unicode/utf8"

	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
)

// Canvas is one screen of cells. It is meant to be kept from frame to frame: Reset, draw, Render. It is
// not safe for use by two goroutines.
type Canvas struct {
	width, height int
	cells         []cell
	styles        themes.Styles
	known         [256]knownWidth
	out           []byte
}

// cell is what one column of one row shows. The second column of a wide character is a cell whose char is
// tail.
type cell struct {
	char  rune
	paint themes.Paint
}

const tail = rune(-1)

var blank = cell{char: ' ', paint: themes.Text}

// knownWidth remembers the width of the last character whose code point ends in the byte that is its index.
type knownWidth struct {
	char    rune
	columns int8
}

// NewCanvas is a canvas without size; Reset gives it one.
func NewCanvas() *Canvas { return &Canvas{} }

// Reset empties the canvas and makes it of the given size, to be drawn in the given styles.
func (c *Canvas) Reset(size layout.Size, styles themes.Styles) {
	c.width, c.height, c.styles = max(size.Width, 0), max(size.Height, 0), styles
	need := c.width * c.height
	if cap(c.cells) < need {
		c.cells = make([]cell, need)
	}
	c.cells = c.cells[:need]
	fill(c.cells, blank)
}

func fill(cells []cell, with cell) {
	if len(cells) == 0 {
		return
	}
	cells[0] = with
	for done := 1; done < len(cells); done *= 2 {
		copy(cells[done:], cells[:done])
	}
}

// All is the whole canvas as a region.
func (c *Canvas) All() Region {
	return Region{canvas: c, rect: layout.Rect{Width: c.width, Height: c.height}}
}

// In is the part of the canvas that lies in the rectangle.
func (c *Canvas) In(rect layout.Rect) Region { return c.All().Sub(rect) }

// Render is the canvas as the terminal wants it: lines of exactly the canvas's width, without a newline
// after the last, each ending unpainted.
func (c *Canvas) Render() string {
	out := c.out[:0]
	for y := range c.height {
		if y > 0 {
			out = append(out, '\n')
		}
		out = c.appendLine(out, c.cells[y*c.width:(y+1)*c.width])
	}
	c.out = out
	return string(out)
}

func (c *Canvas) appendLine(out []byte, line []cell) []byte {
	if len(line) == 0 {
		return out
	}
	paint := line[0].paint
	out = append(out, c.styles.Begin(paint)...)
	for i := range line {
		cell := &line[i]
		if cell.char == tail {
			continue
		}
		if cell.paint != paint {
			out = c.styles.Switch(out, paint, cell.paint)
			paint = cell.paint
		}
		if cell.char < utf8.RuneSelf {
			out = append(out, byte(cell.char))
			continue
		}
		out = utf8.AppendRune(out, cell.char)
	}
	return append(out, themes.Reset...)
}

// Text is the canvas without paint, each line ending in a newline.
func (c *Canvas) Text() string {
	var text strings.Builder
	for y := range c.height {
		for _, cell := range c.cells[y*c.width : (y+1)*c.width] {
			if cell.char != tail {
				text.WriteRune(cell.char)
			}
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// set draws a character of the given width on one line, which must have room for it, and blanks what is
// left of a wide character that it covers by half.
func set(line []cell, x int, with cell, width int) {
	if line[x].char == tail && x > 0 {
		line[x-1].char = ' '
	}
	if after := x + width; after < len(line) && line[after].char == tail {
		line[after].char = ' '
	}
	line[x] = with
	if width == 2 {
		line[x+1] = cell{char: tail, paint: with.paint}
	}
}

// columns is the width of a character, remembered.
func (c *Canvas) columns(r rune) int {
	if r >= ' ' && r <= '~' {
		return 1
	}
	known := &c.known[byte(r)]
	if known.char != r {
		*known = knownWidth{char: r, columns: int8(columns(r))}
	}
	return int(known.columns)
}
