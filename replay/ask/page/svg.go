package page

import (
	"fmt"
	"html"
	"strings"
)

// SVG is a picture that a page shows as it is.
type SVG string

// Shape is a rectangle of a picture, with a text that is shown when the mouse is on it.
type Shape struct {
	X, Y, Width, Height float64
	Kind                Kind
	Label               string // drawn within it; "": none
	Says                string
}

// Kind is what a shape means; the page has a colour for each, by daylight and at night.
type Kind string

// The kinds of shapes.
const (
	Ground Kind = "ground" // what there is room for
	Filled Kind = "filled" // what is used
	Good   Kind = "good"   // fits, placed
	Chosen Kind = "chosen"
	Bad    Kind = "bad"  // does not fit
	Line   Kind = "line" // of a graph
	Words  Kind = "words"
)

// Draw is a picture of shapes. Texts in it are no markup.
func Draw(about string, width, height float64, shapes []Shape) SVG {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %g %g" role="img" xmlns="http://www.w3.org/2000/svg">`, width, height)
	fmt.Fprintf(&b, "<title>%s</title>", escaped(about))
	for _, s := range shapes {
		if s.Kind != Words {
			fmt.Fprintf(&b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f">`,
				s.Kind, s.X, s.Y, s.Width, s.Height)
			if s.Says != "" {
				fmt.Fprintf(&b, "<title>%s</title>", escaped(s.Says))
			}
			b.WriteString("</rect>")
		}
		if s.Label != "" {
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f">%s</text>`, s.X+3, s.Y+11, escaped(s.Label))
		}
	}
	b.WriteString("</svg>")
	return SVG(b.String())
}

func escaped(text string) string { return html.EscapeString(visible(text)) }
