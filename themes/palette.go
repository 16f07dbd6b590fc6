package themes

import (
	"fmt"
	"image/color"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/internal/spelling"
)

// Appearance is the kind of terminal background that a theme is meant for.
type Appearance uint8

// The two appearances. A theme that sets none is dark.
const (
	Dark Appearance = iota
	Light
)

// Palette is a theme as its author wrote it, with names resolved: one ink for every role. The zero value
// draws everything in the terminal's own colours.
type Palette struct {
	Name       string
	About      string // one line, from the file
	Appearance Appearance

	inks [roleCount]ink
}

// ink is how one role is drawn. A colour whose alpha is zero is the terminal's own.
type ink struct {
	colour color.RGBA
	attrs  attrs
}

func (i ink) isColoured() bool { return i.colour.A != 0 }

type attrs uint8

const (
	bold attrs = 1 << iota
	faint
	italic
	underline
	reverse
)

var attributeNames = []string{"bold", "faint", "italic", "underline", "reverse"}

// Roles beyond those that have a paint of their own: what cells lie on, and the ends of the score ramp.
const (
	scoreLow = firstScore + iota
	scoreHigh
	surface
	highlight
	selection
	roleCount
)

// roleNames are the keys under "roles" of a theme file, by role.
var roleNames = [roleCount]string{
	Text:               "text",
	Muted:              "muted",
	Accent:             "accent",
	Title:              "title",
	Border:             "border",
	BorderFocus:        "border.focus",
	Pass:               "verdict.pass",
	Fail:               "verdict.fail",
	FailUnresolvable:   "verdict.failUnresolvable",
	NotAsked:           "verdict.notAsked",
	NotSampled:         "verdict.notSampled",
	Error:              "verdict.error",
	Warn:               "warn",
	QueueActive:        "queue.active",
	QueueBackoff:       "queue.backoff",
	QueueUnschedulable: "queue.unschedulable",
	QueueGated:         "queue.gated",
	QueueInFlight:      "queue.inFlight",
	scoreLow:           "score.low",
	scoreHigh:          "score.high",
	surface:            "surface",
	highlight:          "highlight",
	selection:          "selection",
}

func roleNamed(name string) (Paint, bool) {
	for role, known := range roleNames {
		if known == name {
			return Paint(role), true
		}
	}
	return 0, false
}

// resolve lays the sheets of a chain over each other, the first on top: a sheet's colours also change what
// the roles of the sheets below it mean.
func resolve(name string, chain []sheet) (Palette, error) {
	p := Palette{Name: name, About: chain[0].about, Appearance: chain[0].appearance}
	colours := map[string]color.RGBA{}
	roles := map[string]string{}
	origin := map[string]string{}
	for i := len(chain) - 1; i >= 0; i-- {
		for key, value := range chain[i].colours {
			colours[key] = value
		}
		for key, value := range chain[i].roles {
			roles[key] = value
			origin[key] = chain[i].file
		}
	}
	for role, key := range roleNames {
		text, ok := roles[key]
		if !ok {
			return Palette{}, fmt.Errorf(
				"theme file %s: roles: %q is missing (give every role, or extend a theme that does: extends: %s)",
				chain[0].file, key, Default,
			)
		}
		read, err := parseInk(text, colours)
		if err != nil {
			return Palette{}, fmt.Errorf("theme file %s: roles: %s: %w", origin[key], key, err)
		}
		p.inks[role] = read
	}
	if err := p.consistent(); err != nil {
		return Palette{}, fmt.Errorf("theme file %s: roles: %w", chain[0].file, err)
	}
	return p, nil
}

// consistent refuses palettes that would mix our colours with the terminal's unknown ones.
func (p Palette) consistent() error {
	coloured := p.inks[surface].isColoured()
	for _, role := range []Paint{Text, scoreLow, scoreHigh} {
		if p.inks[role].isColoured() == coloured {
			continue
		}
		if coloured {
			return fmt.Errorf("%s has no colour but surface has (give both a colour, or neither)", roleNames[role])
		}
		return fmt.Errorf("%s has a colour but surface has none (give both a colour, or neither)", roleNames[role])
	}
	return nil
}

// parseInk reads a role's value: one colour (a name under "colors", #rrggbb, or none) and attributes, in
// any order.
func parseInk(text string, colours map[string]color.RGBA) (ink, error) {
	var read ink
	chosen := ""
	for word := range strings.FieldsSeq(text) {
		if attr, ok := attributeNamed(word); ok {
			read.attrs |= attr
			continue
		}
		found, err := parseColour(word, colours)
		if err != nil {
			return ink{}, err
		}
		if chosen != "" {
			return ink{}, fmt.Errorf("%q names two colours, %s and %s (one is enough)", text, chosen, word)
		}
		chosen = word
		read.colour = found
	}
	return read, nil
}

func attributeNamed(word string) (attrs, bool) {
	for bit, name := range attributeNames {
		if name == word {
			return 1 << bit, true
		}
	}
	return 0, false
}

func parseColour(word string, colours map[string]color.RGBA) (color.RGBA, error) {
	if word == "none" {
		return color.RGBA{}, nil
	}
	if strings.HasPrefix(word, "#") {
		return parseHex(word)
	}
	if found, ok := colours[word]; ok {
		return found, nil
	}
	known := append(sortedKeys(colours), attributeNames...)
	return color.RGBA{}, fmt.Errorf("%q is neither a colour of this theme nor an attribute%s; write a name under "+
		"colors, \"#rrggbb\", none, or %s",
		word, spelling.Hint(word, known), strings.Join(attributeNames, ", "))
}

func parseHex(word string) (color.RGBA, error) {
	value, err := strconv.ParseUint(strings.TrimPrefix(word, "#"), 16, 32)
	if err != nil || len(word) != len("#rrggbb") {
		return color.RGBA{}, fmt.Errorf("%q is not a colour (six hexadecimal digits, like \"#56B4E9\")", word)
	}
	return color.RGBA{R: uint8(value >> 16), G: uint8(value >> 8), B: uint8(value), A: 0xff}, nil
}
