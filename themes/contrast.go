package themes

import (
	"fmt"
	"image/color"
	"math"
)

// The least contrast by WCAG 2.2: 4.5 for text (criterion 1.4.3), 3 for signs that are not read as text
// (criterion 1.4.11).
const (
	textContrast = 4.5
	signContrast = 3.0
)

// Weakness is a pair of roles of one theme that is hard to tell apart.
type Weakness struct {
	Role, Ground string // as written in a theme file
	Ratio, Least float64
}

func (w Weakness) String() string {
	return fmt.Sprintf("%s on %s has contrast %.2f, less than %.1f", w.Role, w.Ground, w.Ratio, w.Least)
}

// Weaknesses lists where the palette misses the contrast that WCAG asks for, in the order of the roles. A
// palette without colours has none.
func (p Palette) Weaknesses() []Weakness {
	var found []Weakness
	for role := Text; role < firstScore; role++ {
		least := signContrast
		switch role {
		case Text, Title:
			least = textContrast
		case Border:
			continue // decoration
		}
		for _, ground := range []Paint{surface, highlight, selection} {
			if !p.inks[role].isColoured() || !p.inks[ground].isColoured() {
				continue
			}
			ratio := contrast(p.inks[role].colour, p.inks[ground].colour)
			if ratio < least {
				found = append(found, Weakness{Role: roleNames[role], Ground: roleNames[ground], Ratio: ratio, Least: least})
			}
		}
	}
	return found
}

// contrast is the WCAG contrast ratio, 1 to 21.
func contrast(a, b color.RGBA) float64 {
	high, low := luminance(a), luminance(b)
	if high < low {
		high, low = low, high
	}
	return (high + 0.05) / (low + 0.05)
}

// luminance is the relative luminance of WCAG, 0 to 1.
func luminance(c color.RGBA) float64 {
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

func linear(channel uint8) float64 {
	v := float64(channel) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// readableOn picks the candidate with the strongest contrast, and black or white when no candidate reaches
// what text needs.
func readableOn(ground color.RGBA, candidates ...color.RGBA) color.RGBA {
	best := strongest(ground, candidates)
	if contrast(best, ground) >= textContrast {
		return best
	}
	return strongest(ground, []color.RGBA{{A: 0xff}, {R: 0xff, G: 0xff, B: 0xff, A: 0xff}})
}

func strongest(ground color.RGBA, candidates []color.RGBA) color.RGBA {
	best := candidates[0]
	for _, candidate := range candidates[1:] {
		if contrast(candidate, ground) > contrast(best, ground) {
			best = candidate
		}
	}
	return best
}
