package themes_test

import (
	"image/color"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedstep/schedstep/themes"
)

var shippedFolder = os.DirFS(".")

// contrast is the WCAG ratio computed anew from 16-bit channels.
func contrast(a, b color.Color) float64 {
	luminance := func(c color.Color) float64 {
		r, g, b, _ := c.RGBA()
		sum := 0.0
		for i, channel := range []uint32{r, g, b} {
			v := float64(channel) / 0xffff
			if v <= 0.04045 {
				v /= 12.92
			} else {
				v = math.Pow((v+0.055)/1.055, 2.4)
			}
			sum += v * []float64{0.2126, 0.7152, 0.0722}[i]
		}
		return sum
	}
	high, low := luminance(a), luminance(b)
	return (max(high, low) + 0.05) / (min(high, low) + 0.05)
}

func TestSwitchLeavesTheTerminalAsBeginDoes(t *testing.T) {
	paints := []themes.Paint{
		themes.Text, themes.Muted, themes.Pass, themes.Fail, themes.Fail.Lit(), themes.Pass.Lit(), themes.Text.Selected(),
		themes.Muted.Selected(), themes.Score(0), themes.Score(1), themes.Score(0.5).Selected(),
		themes.Score(0.5).Lit(), themes.Title.Strong(),
	}
	for _, name := range themes.Names() {
		styles := themes.Derive(load(t, name), themes.Unicode())
		for _, from := range paints {
			for _, into := range paints {
				got := pen(styles.Begin(from) + string(styles.Switch(nil, from, into)))
				if want := pen(styles.Begin(into)); got != want {
					t.Errorf("theme %s: switching from %d to %d gives %+v, beginning with it %+v", name, from, into, got, want)
				}
			}
		}
	}
}

// look is what a terminal remembers of the SGR sequences it was sent.
type look struct{ attributes, foreground, background string }

func pen(sequences string) look {
	var l look
	for sequence := range strings.SplitSeq(sequences, "\x1b[") {
		parameters := strings.Split(strings.TrimSuffix(sequence, "m"), ";")
		for i := 0; i < len(parameters); i++ {
			switch p := parameters[i]; p {
			case "":
			case "0":
				l = look{}
			case "38":
				l.foreground = strings.Join(parameters[i+1:i+5], ";")
				i += 4
			case "48":
				l.background = strings.Join(parameters[i+1:i+5], ";")
				i += 4
			case "39":
				l.foreground = ""
			case "49":
				l.background = ""
			default:
				l.attributes += p + ";"
			}
		}
	}
	return l
}

func TestSwitchBetweenPaintsOnOneGroundSendsOnlyTheForeground(t *testing.T) {
	styles := themes.Derive(load(t, themes.Default), themes.Unicode())
	if got, want := string(styles.Switch(nil, themes.Text, themes.Pass)), "\x1b[38;2;86;180;233m"; got != want {
		t.Errorf("switch %q, want %q", got, want)
	}
	if got := string(styles.Switch(nil, themes.NotAsked, themes.NotSampled)); got != "" {
		t.Errorf("switch between paints that look the same sends %q", got)
	}
}

func TestZeroStylesDrawPlainText(t *testing.T) {
	var styles themes.Styles
	if got := string(styles.Switch(nil, themes.Text, themes.Fail)); got != "" {
		t.Errorf("switch %q", got)
	}
	if got := styles.Begin(themes.Fail); got != themes.Reset {
		t.Errorf("begin %q", got)
	}
	if got := styles.Style(themes.Fail).Render("x"); got != "x" {
		t.Errorf("style renders %q", got)
	}
}

func TestStyleLooksLikeBegin(t *testing.T) {
	for _, name := range themes.Names() {
		styles := themes.Derive(load(t, name), themes.Unicode())
		for _, paint := range []themes.Paint{
			themes.Pass, themes.Fail, themes.Text.Selected(), themes.Score(1), themes.Muted.Lit(),
		} {
			rendered, _, _ := strings.Cut(styles.Style(paint).Render("x"), "x")
			if got, want := pen(rendered), pen(styles.Begin(paint)); got != want {
				t.Errorf("theme %s paint %d: lipgloss %+v, begin %+v", name, paint, got, want)
			}
		}
	}
}

func TestGlyphsAreOneColumnWideByEveryMeasure(t *testing.T) {
	for name, glyphs := range map[string]themes.Glyphs{"unicode": themes.Unicode(), "ascii": themes.ASCII()} {
		count := 0
		walk(reflect.ValueOf(glyphs), func(r rune) {
			count++
			if by, wc := ansi.StringWidth(string(r)), ansi.StringWidthWc(string(r)); by != 1 || wc != 1 {
				t.Errorf("%s: %q is %d columns by grapheme, %d by code point", name, r, by, wc)
			}
			if name == "ascii" && (r < ' ' || r > '~') {
				t.Errorf("ascii: %q is not ASCII", r)
			}
		})
		if count < 40 {
			t.Errorf("%s: only %d glyphs seen", name, count)
		}
	}
}

func walk(value reflect.Value, visit func(rune)) {
	switch value.Kind() {
	case reflect.Int32:
		visit(rune(value.Int()))
	case reflect.Struct:
		for i := range value.NumField() {
			walk(value.Field(i), visit)
		}
	case reflect.Array:
		for i := range value.Len() {
			walk(value.Index(i), visit)
		}
	}
}

func TestVerdictsDifferWithoutColour(t *testing.T) {
	for name, g := range map[string]themes.Glyphs{"unicode": themes.Unicode(), "ascii": themes.ASCII()} {
		seen := map[rune]bool{}
		for _, glyph := range []rune{g.Pass, g.Fail, g.FailUnresolvable, g.NotAsked, g.NotSampled, g.Error} {
			if seen[glyph] {
				t.Errorf("%s: %q means two verdicts", name, glyph)
			}
			seen[glyph] = true
		}
		if g.Box == g.BoxFocus {
			t.Errorf("%s: focus shows by colour alone", name)
		}
	}
}

func BenchmarkDerive(b *testing.B) {
	palette, err := themes.Load(themes.Default)
	if err != nil {
		b.Fatal(err)
	}
	glyphs := themes.Unicode()
	b.ReportAllocs()
	for b.Loop() {
		themes.Derive(palette, glyphs)
	}
}
