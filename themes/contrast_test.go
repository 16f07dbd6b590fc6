package themes

import (
	"fmt"
	"image/color"
)

// signContrast is the least contrast by WCAG 2.2, criterion 1.4.11, of signs that are not read as text.
const signContrast = 3.0

// Weakness is a pair of roles of one theme that have too little contrast.
type Weakness struct {
	Role, Ground string // as written in a theme file
	Ratio, Least float64
}

func (w Weakness) String() string {
	return fmt.Sprintf("%s on %s has contrast %.2f, less than %.1f", w.Role, w.Ground, w.Ratio, w.Least)
}

// Weaknesses lists where the palette misses the contrast that WCAG requires, in the order of the roles. A palette
// without colours has none.
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

// Colors are the colours of a paint; nil is the terminal's own.
func (s Styles) Colors(p Paint) (foreground, background color.Color) {
	if s.pens == nil {
		return nil, nil
	}
	if pen := s.pens[p]; pen.fore.A != 0 {
		foreground = pen.fore
	}
	if pen := s.pens[p]; pen.back.A != 0 {
		background = pen.back
	}
	return foreground, background
}
