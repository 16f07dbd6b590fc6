package themes

import (
	"image/color"
	"slices"
	"strconv"

	"charm.land/lipgloss/v2"
)

// Reset is the control sequence that ends all painting.
const Reset = "\x1b[m"

// Styles is a palette made ready for drawing: for every paint, the control sequence that switches to it,
// built once. It is a small immutable value; copy it freely. The zero value draws in the terminal's own
// colours with no glyphs.
type Styles struct {
	Name       string
	Appearance Appearance
	Glyphs     Glyphs

	pens *[paintCount]pen
}

// pen is one paint of one theme.
type pen struct {
	fore, back color.RGBA
	attrs      attrs

	all   string // sets attributes and both colours, whatever was set before
	ink   string // sets the foreground only
	under uint16 // equal for pens that differ at most in the foreground
}

// Derive makes the styles of a palette. All drawing depends on this one function.
func Derive(p Palette, glyphs Glyphs) Styles {
	var pens [paintCount]pen
	shades := ramp(p)
	var unders []string
	for i := range pens {
		made := p.pen(Paint(i), shades)
		under := made.attributes() + colourCode(made.back, 48)
		at := slices.Index(unders, under)
		if at < 0 {
			at = len(unders)
			unders = append(unders, under)
		}
		made.under = uint16(at)
		made.ink = "\x1b[" + colourCode(made.fore, 38)[1:] + "m"
		made.all = "\x1b[0" + made.attributes() + visibleCode(made.fore, 38) + visibleCode(made.back, 48) + "m"
		pens[i] = made
	}
	return Styles{Name: p.Name, Appearance: p.Appearance, Glyphs: glyphs, pens: &pens}
}

// ramp returns the inks of the score steps: a ground for each step in a theme with colours, weights in one
// without.
func ramp(p Palette) [ScoreSteps]ink {
	var shades [ScoreSteps]ink
	low, high := p.inks[scoreLow], p.inks[scoreHigh]
	for i := range shades {
		switch {
		case i < ScoreSteps/3:
			shades[i].attrs = low.attrs
		case i >= ScoreSteps-ScoreSteps/3:
			shades[i].attrs = high.attrs
		}
	}
	if low.isColoured() {
		for i, blended := range lipgloss.Blend1D(ScoreSteps, low.colour, high.colour) {
			r, g, b, _ := blended.RGBA()
			shades[i].colour = color.RGBA{R: uint8(r >> 8), G: uint8(g >> 8), B: uint8(b >> 8), A: 0xff}
		}
	}
	return shades
}

// pen composes a role with what is under it.
func (p Palette) pen(paint Paint, shades [ScoreSteps]ink) pen {
	over := p.over(paint, shades)
	under := p.under(paint)
	if shade, ok := shadeOf(paint, shades); ok {
		under.colour = shade
		over.colour = readableOn(shade, p.inks[Text].colour, p.inks[surface].colour)
	}
	made := pen{fore: over.colour, back: under.colour, attrs: over.attrs | under.attrs}
	if paint&(strong|selected) != 0 {
		made.attrs |= bold
		made.attrs &^= faint
	}
	return made
}

func (p Palette) over(paint Paint, shades [ScoreSteps]ink) ink {
	role := paint & roleMask
	switch {
	case role < firstScore:
		return p.inks[role]
	case paint.isScore():
		return ink{colour: p.inks[Text].colour, attrs: shades[role-firstScore].attrs}
	}
	return p.inks[Text]
}

func (p Palette) under(paint Paint) ink {
	switch {
	case paint&selected != 0:
		return p.inks[selection]
	case paint&lit != 0:
		return p.inks[highlight]
	}
	return p.inks[surface]
}

// shadeOf is the ground of a score. The cursor hides it, the row of the cursor does not.
func shadeOf(paint Paint, shades [ScoreSteps]ink) (color.RGBA, bool) {
	if !paint.isScore() || paint&selected != 0 {
		return color.RGBA{}, false
	}
	shade := shades[paint&roleMask-firstScore]
	return shade.colour, shade.isColoured()
}

// attributes are the parameters of the pen's attributes, each with a leading semicolon.
func (p pen) attributes() string {
	codes := [...]string{";1", ";2", ";3", ";4", ";7"}
	text := ""
	for bit, code := range codes {
		if p.attrs&(1<<bit) != 0 {
			text += code
		}
	}
	return text
}

// colourCode is the parameter, with a leading semicolon, that sets a colour; base is 38 for the foreground
// and 48 for the background, and one more than base means the terminal's own colour.
func colourCode(c color.RGBA, base int) string {
	if c.A == 0 {
		return ";" + strconv.Itoa(base+1)
	}
	text := ";" + strconv.Itoa(base) + ";2"
	for _, channel := range []uint8{c.R, c.G, c.B} {
		text += ";" + strconv.Itoa(int(channel))
	}
	return text
}

// visibleCode is colourCode after a reset, where the terminal's own colour needs no word.
func visibleCode(c color.RGBA, base int) string {
	if c.A == 0 {
		return ""
	}
	return colourCode(c, base)
}

// Begin is the control sequence that switches to a paint from any other. Text written after it is drawn so
// until the next Begin or Reset.
func (s Styles) Begin(p Paint) string {
	if s.pens == nil {
		return Reset
	}
	return s.pens[p].all
}

// Switch appends what changes the terminal from one paint to another: often only the foreground, and
// nothing when both look the same.
func (s Styles) Switch(to []byte, from, into Paint) []byte {
	if s.pens == nil {
		return to
	}
	before, after := &s.pens[from], &s.pens[into]
	switch {
	case before.under != after.under:
		return append(to, after.all...)
	case before.fore != after.fore:
		return append(to, after.ink...)
	}
	return to
}

// Style is a paint as a lipgloss style, for components that want one. Panels draw on a canvas, which is
// a hundred times cheaper.
func (s Styles) Style(p Paint) lipgloss.Style {
	style := lipgloss.NewStyle()
	if s.pens == nil {
		return style
	}
	pen := s.pens[p]
	if pen.fore.A != 0 {
		style = style.Foreground(pen.fore)
	}
	if pen.back.A != 0 {
		style = style.Background(pen.back)
	}
	return style.
		Bold(pen.attrs&bold != 0).
		Faint(pen.attrs&faint != 0).
		Italic(pen.attrs&italic != 0).
		Underline(pen.attrs&underline != 0).
		Reverse(pen.attrs&reverse != 0)
}
