package widget

import (
	"strings"
	"unicode/utf8"

	"github.com/schedstep/schedstep/themes"
)

// Span is text in one paint.
type Span struct {
	Text  string
	Paint themes.Paint
}

// Paragraph is text in several paints that is wrapped as one. A line break in it begins a new line.
type Paragraph []Span

// Plain is a paragraph in one paint.
func Plain(p themes.Paint, text string) Paragraph { return Paragraph{{Text: text, Paint: p}} }

// String is the text alone.
func (p Paragraph) String() string {
	var text strings.Builder
	for _, span := range p {
		text.WriteString(span.Text)
	}
	return text.String()
}

// inked is a character of a paragraph on its way into a line.
type inked struct {
	char  rune
	paint themes.Paint
	width int
}

// Wrap breaks a paragraph into lines of at most the given width, between words where it can. Spaces where
// it breaks are dropped, all others kept; the text is sanitised.
func Wrap(p Paragraph, width int) []Paragraph {
	if width <= 0 {
		return nil
	}
	var lines []Paragraph
	var line []inked
	for _, span := range p {
		for i, part := range strings.Split(span.Text, "\n") {
			if i > 0 {
				lines = appendWrapped(lines, line, width)
				line = line[:0]
			}
			for _, char := range Sanitize(part) {
				line = append(line, fitting(char, span.Paint, width))
			}
		}
	}
	return appendWrapped(lines, line, width)
}

// fitting is a character, or a substitute if it is too wide for any line.
func fitting(char rune, p themes.Paint, width int) inked {
	columns := columns(char)
	if columns > width {
		return inked{char: utf8.RuneError, paint: p, width: 1}
	}
	return inked{char: char, paint: p, width: columns}
}

func appendWrapped(lines []Paragraph, text []inked, width int) []Paragraph {
	for {
		end, next := breakAt(text, width)
		lines = append(lines, spans(text[:end]))
		if next >= len(text) {
			return lines
		}
		text = text[next:]
	}
}

// breakAt finds where the first line of the text ends and where the next begins: at the last space after a
// word that leaves the line within the width, or beside a character of two columns, or else in the middle of a word.
func breakAt(text []inked, width int) (end, next int) {
	used, inWord := 0, false
	end = -1
	for i, c := range text {
		switch {
		case c.char == ' ' && inWord:
			end, inWord = i, false
		case c.char != ' ':
			inWord = true
			if i > 0 && mayPart(text[i-1], c) {
				end = i
			}
		}
		if used += c.width; used <= width {
			continue
		}
		if end < 0 {
			return i, i
		}
		next = end
		for next < len(text) && text[next].char == ' ' {
			next++
		}
		return end, next
	}
	return len(text), len(text)
}

// mayPart reports whether a line may end between two characters without a space, as it may in Chinese: a mark that
// closes does not begin a line, and one that opens does not end it.
func mayPart(before, after inked) bool {
	return before.char != ' ' && (before.width == 2 || after.width == 2) &&
		!strings.ContainsRune("，。、：；！？）》」』】”’…,.:;!?)]}%", after.char) &&
		!strings.ContainsRune("（《「『【“‘([{", before.char)
}

func spans(line []inked) Paragraph {
	var p Paragraph
	var text strings.Builder
	for i, c := range line {
		text.WriteRune(c.char)
		if i+1 == len(line) || line[i+1].paint != c.paint {
			p = append(p, Span{Text: text.String(), Paint: c.paint})
			text.Reset()
		}
	}
	return p
}

// DrawLine draws a paragraph on one line, cut at the edge, and returns the column after it.
func DrawLine(r Region, x, y int, p Paragraph) int {
	for _, span := range p {
		x = r.Text(x, y, span.Paint, span.Text)
	}
	return x
}

// DrawParagraph draws wrapped text from row y on and returns the row after it, which may lie below the
// region.
func DrawParagraph(r Region, y int, p Paragraph) int {
	for _, line := range Wrap(p, r.Width()) {
		DrawLine(r, 0, y, line)
		y++
	}
	return y
}

// Pager is wrapped paragraphs seen through a window.
type Pager struct {
	top, page, total int
}

// Scroll moves the window some lines down, as far as the text last drawn goes; less than zero is up.
func (g *Pager) Scroll(lines int) { g.top = min(max(g.top+lines, 0), max(g.total-g.page, 0)) }

// ScrollPages moves the window by its own height; less than zero is up.
func (g *Pager) ScrollPages(pages int) { g.Scroll(pages * max(g.page-1, 1)) }

// Rewind moves the window to the top, as a new text deserves.
func (g *Pager) Rewind() { g.top = 0 }

// Seen returns which lines were seen in the last frame, from first up to end, and how many there are.
func (g *Pager) Seen() (first, end, total int) {
	return g.top, min(g.top+g.page, g.total), g.total
}

// Draw draws the window into the region.
func (g *Pager) Draw(r Region, text []Paragraph) {
	r.Fill(themes.Text)
	var lines []Paragraph
	for _, p := range text {
		lines = append(lines, Wrap(p, r.Width())...)
	}
	g.page, g.total = r.Height(), len(lines)
	g.Scroll(0)
	for y, line := range lines[g.top:min(g.top+g.page, g.total)] {
		DrawLine(r, 0, y, line)
	}
}
