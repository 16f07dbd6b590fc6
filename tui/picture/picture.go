// Package picture turns a drawn screen into SVG: an emulated terminal reads the control sequences, and its cells become
// rectangles, paths and text. It knows nothing of what the screen shows.
package picture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"

	"github.com/schedstep/schedstep/tui/layout"
)

// A cell of the picture, in SVG's units, and the line of the letters in it.
const (
	cellWidth  = 8.4
	cellHeight = 18
	baseline   = 13.5
	margin     = 10
	fontSize   = 14
)

// SVG is a screen of a size as a picture. frame is the text that a terminal would get; about describes the picture in
// words. Backgrounds become rectangles, box lines become paths that meet at any size, and the rest is text: words at
// the width of their cells, signs one by one.
func SVG(frame string, size layout.Size, about string) []byte {
	terminal := vt.NewEmulator(size.Width, size.Height)
	_, _ = terminal.WriteString(strings.ReplaceAll(frame, "\n", "\r\n"))
	var out bytes.Buffer
	ground := hex(terminal.CellAt(0, 0).Style.Bg)
	width, height := cellWidth*float64(size.Width)+2*margin, float64(cellHeight*size.Height+2*margin)
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.1f %.1f" role="img" `, width, height)
	fmt.Fprintf(&out,
		`font-family="ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="%d">`+"\n",
		fontSize)
	fmt.Fprintf(&out, "<title>%s</title>\n", escaped(about))
	fmt.Fprintf(&out, `<rect width="%.1f" height="%.1f" rx="8" fill="%s"/>`+"\n", width, height, ground)
	for y := range size.Height {
		line := make([]uv.Cell, size.Width)
		for x := range line {
			line[x] = *terminal.CellAt(x, y)
			if isRest(line[x]) && x > 0 {
				line[x].Style = line[x-1].Style
			}
		}
		paintLine(&out, line, y, ground)
	}
	out.WriteString("</svg>\n")
	return out.Bytes()
}

func paintLine(out *bytes.Buffer, line []uv.Cell, y int, ground string) {
	top := float64(margin + y*cellHeight)
	for x, n := 0, 0; x < len(line); x += n {
		n = run(line[x:], func(a, b uv.Cell) bool { return hex(a.Style.Bg) == hex(b.Style.Bg) })
		if fill := hex(line[x].Style.Bg); fill != ground {
			fmt.Fprintf(out, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s"/>`+"\n",
				left(x), top, cellWidth*float64(n), cellHeight, fill)
		}
	}
	for x, n := 0, 0; x < len(line); x += n {
		n = run(line[x:], sameText)
		cell, ink := line[x], hex(line[x].Style.Fg)
		switch text := textOf(line[x : x+n]); {
		case strings.TrimSpace(text) == "":
		case boxes[cell.Content] != "":
			fmt.Fprintf(out, `<path d="%s" stroke="%s" fill="none"%s/>`+
				"\n", boxPath(cell.Content, x, n, top), ink, weight(cell))
		default:
			fmt.Fprintf(out, `<text x="%.1f" y="%.1f" fill="%s"%s textLength="%.1f" xml:space="preserve">%s</text>`+"\n",
				left(x), top+baseline, ink, manner(cell), cellWidth*float64(n), escaped(text))
		}
	}
}

func left(x int) float64 { return margin + cellWidth*float64(x) }

// run is how many cells at the beginning of a line are like the first.
func run(line []uv.Cell, same func(a, b uv.Cell) bool) int {
	n := 1
	for n < len(line) && same(line[n-1], line[n]) {
		n++
	}
	return n
}

// sameText is whether two neighbours are one piece: letters of one word or line, or one straight line of a box.
func sameText(a, b uv.Cell) bool {
	if hex(a.Style.Fg) != hex(b.Style.Fg) || a.Style.Attrs != b.Style.Attrs {
		return false
	}
	if a.Content == b.Content && (a.Content == "─" || a.Content == "━") {
		return true
	}
	return isPlain(a.Content) && isPlain(b.Content) || isWide(a) && isWide(b)
}

// isWide is whether a cell is one of the two of a wide character, as Chinese has them.
func isWide(c uv.Cell) bool { return c.Width == 2 || isRest(c) }

// isRest is whether a cell is the second one of a wide character. It has neither text nor style of its own.
func isRest(c uv.Cell) bool { return c.Width == 0 && c.Content == "" }

// isPlain is whether every font has a character at the width of a cell.
func isPlain(char string) bool { return len(char) == 1 && char[0] < utf8.RuneSelf }

func textOf(cells []uv.Cell) string {
	var text strings.Builder
	for _, c := range cells {
		text.WriteString(c.Content)
	}
	return text.String()
}

// boxes are the lines of boxes, by where they leave the cell: left, right, up, down; round corners in capitals.
var boxes = map[string]string{
	"─": "lr", "│": "ud", "╭": "RD", "╮": "LD", "╰": "RU", "╯": "LU", "├": "udr", "┤": "udl",
	"━": "lr", "┃": "ud", "┏": "rd", "┓": "ld", "┗": "ru", "┛": "lu",
}

// boxPath is n cells of a line of a box.
func boxPath(char string, x, n int, top float64) string {
	l, r := left(x), left(x+n)
	middle, centre, bottom := top+cellHeight/2, (l+r)/2, top+cellHeight
	ends := map[rune][2]float64{'l': {l, middle}, 'r': {r, middle}, 'u': {centre, top}, 'd': {centre, bottom}}
	ways := boxes[char]
	if lower := strings.ToLower(ways); lower != ways {
		from, to := ends[rune(lower[0])], ends[rune(lower[1])]
		return fmt.Sprintf("M%.1f %.1fQ%.1f %.1f %.1f %.1f", from[0], from[1], centre, middle, to[0], to[1])
	}
	if ways == "lr" {
		return fmt.Sprintf("M%.1f %.1fH%.1f", l, middle, r)
	}
	var path strings.Builder
	for _, way := range ways {
		fmt.Fprintf(&path, "M%.1f %.1fL%.1f %.1f", centre, middle, ends[way][0], ends[way][1])
	}
	return path.String()
}

// weight is how thick a line of a box is.
func weight(c uv.Cell) string {
	if strings.Contains("━┃┏┓┗┛", c.Content) {
		return ` stroke-width="2" stroke-linecap="square"`
	}
	return ""
}

func manner(c uv.Cell) string {
	var said string
	if c.Style.Attrs&uv.AttrBold != 0 {
		said += ` font-weight="bold"`
	}
	if c.Style.Attrs&uv.AttrItalic != 0 {
		said += ` font-style="italic"`
	}
	return said
}

func hex(c color.Color) string {
	if c == nil {
		return ""
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

func escaped(text string) string {
	var out bytes.Buffer
	_ = xml.EscapeText(&out, []byte(text))
	return out.String()
}
