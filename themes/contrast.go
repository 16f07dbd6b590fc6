package themes

import (
	"image/color"
	"math"
)

// textContrast is the least contrast of text by WCAG 2.2, criterion 1.4.3.
const textContrast = 4.5

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
