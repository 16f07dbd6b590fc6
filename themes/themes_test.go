package themes_test

import (
	"fmt"
	"image/color"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/charmbracelet/colorprofile"
	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/themes"
)

func load(t *testing.T, name string) themes.Palette {
	t.Helper()
	palette, err := themes.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return palette
}

func TestShippedThemesAreTheDocumentedOnes(t *testing.T) {
	want := []string{
		"catppuccin-latte", "catppuccin-mocha", "dark", "high-contrast", "light", "mono", "okabe-ito-dark", "okabe-ito-light",
	}
	if diff := cmp.Diff(want, themes.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestEveryShippedThemeLoadsAndSaysWhatItIs(t *testing.T) {
	for _, name := range themes.Names() {
		palette := load(t, name)
		if palette.Name != name || palette.About == "" {
			t.Errorf("theme %s: name %q, about %q", name, palette.Name, palette.About)
		}
		if light := strings.HasSuffix(name, "light") ||
			strings.HasSuffix(name, "latte"); light != (palette.Appearance == themes.Light) {
			t.Errorf("theme %s: appearance %v", name, palette.Appearance)
		}
	}
}

func TestEveryShippedThemeHasTheContrastOfWCAG(t *testing.T) {
	for _, name := range themes.Names() {
		for _, weakness := range load(t, name).Weaknesses() {
			t.Errorf("theme %s: %s", name, weakness)
		}
	}
}

func TestPassAndFailDifferInEveryColourDepth(t *testing.T) {
	depths := []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256, colorprofile.ANSI}
	for _, name := range themes.Names() {
		if name == themes.Mono {
			continue
		}
		styles := themes.Derive(load(t, name), themes.Unicode())
		for _, depth := range depths {
			for _, fail := range []themes.Paint{themes.Fail, themes.FailUnresolvable} {
				passInk, ground := styles.Colors(themes.Pass)
				failInk, _ := styles.Colors(fail)
				seen := []string{fmt.Sprint(depth.Convert(passInk)), fmt.Sprint(depth.Convert(failInk)), fmt.Sprint(
					depth.Convert(ground),
				)}
				slices.Sort(seen)
				if len(slices.Compact(seen)) != 3 {
					t.Errorf("theme %s in %s: pass, fail and surface are not three colours: %v", name, depth, seen)
				}
			}
		}
	}
}

func TestMonoSendsAttributesAndNoColour(t *testing.T) {
	styles := themes.Derive(load(t, themes.Mono), themes.Unicode())
	for paint := range 256 {
		begin := styles.Begin(themes.Paint(paint))
		for parameter := range strings.SplitSeq(strings.Trim(begin, "\x1b[m"), ";") {
			if !slices.Contains([]string{"0", "1", "2", "3", "4", "7"}, parameter) {
				t.Fatalf("paint %d begins with %q: parameter %s is not an attribute", paint, begin, parameter)
			}
		}
	}
	if pass, fail := styles.Begin(themes.Pass), styles.Begin(themes.Fail); pass == fail {
		t.Errorf("pass and fail both begin with %q", pass)
	}
	if plain, cursor := styles.Begin(themes.Text), styles.Begin(themes.Text.Selected()); plain == cursor {
		t.Errorf("the cursor looks like plain text: %q", cursor)
	}
}

func TestScoresReadOnTheirShade(t *testing.T) {
	for _, name := range themes.Names() {
		styles := themes.Derive(load(t, name), themes.Unicode())
		for step := range themes.ScoreSteps {
			paint := themes.Score((float64(step) + 0.5) / themes.ScoreSteps)
			ink, ground := styles.Colors(paint)
			if ink == nil {
				continue
			}
			if ratio := contrast(ink, ground); ratio < 4.5 {
				t.Errorf("theme %s: score step %d has contrast %.2f", name, step, ratio)
			}
		}
	}
}

func TestScoreClampsToTheEndsOfTheRamp(t *testing.T) {
	if themes.Score(-3) != themes.Score(0) || themes.Score(7) != themes.Score(1) {
		t.Error("a score outside 0..1 is not drawn as the nearest end")
	}
	if themes.Score(0) == themes.Score(1) {
		t.Error("both ends of the ramp are one paint")
	}
}

func TestOwnThemeOverridesColoursOfTheOneItExtends(t *testing.T) {
	own := fstest.MapFS{
		"mine.yaml": {Data: []byte("extends: dark\ncolors:\n  green: \"#00ff00\"\nroles:\n  verdict.fail: \"#102030\"\n")},
	}
	palette, err := themes.Load("mine", own)
	if err != nil {
		t.Fatal(err)
	}
	styles := themes.Derive(palette, themes.ASCII())
	pass, _ := styles.Colors(themes.Pass)
	fail, _ := styles.Colors(themes.Fail)
	want := []color.Color{color.RGBA{G: 0xff, A: 0xff}, color.RGBA{R: 0x10, G: 0x20, B: 0x30, A: 0xff}}
	if diff := cmp.Diff(want, []color.Color{pass, fail}); diff != "" {
		t.Errorf("pass and fail (-want +got):\n%s", diff)
	}
	if !slices.Contains(themes.Names(own), "mine") {
		t.Errorf("names do not list the theme of the folder: %v", themes.Names(own))
	}
}

func TestBadThemesAreRefusedWithASentence(t *testing.T) {
	tests := map[string]struct{ theme, want string }{
		"not a mapping": {
			"- a\n", "theme file my.yaml: not a YAML mapping of about, appearance, colors, extends, roles: ",
		},
		"unknown field": {
			"rolse: {}\n", `theme file my.yaml: unknown field "rolse" (did you mean "roles"?); the fields are`,
		},
		"repeated field": {"about: a\nabout: b\n", `line 2: key "about" already set in map`},
		"unknown role": {
			"extends: dark\nroles:\n  verdict.pas: red\n",
			`theme file my.yaml: roles: unknown role "verdict.pas" (did you mean "verdict.pass"?)`,
		},
		"unknown colour": {
			"extends: dark\nroles:\n  text: gren\n",
			`theme file my.yaml: roles: text: "gren" is neither a colour of this theme nor an attribute (did you mean "green"?)`,
		},
		"bad colour": {
			"extends: dark\ncolors:\n  red: \"#12\"\n",
			`theme file my.yaml: colors: red: "#12" is not a colour (six hexadecimal digits`,
		},
		"unquoted colour": {
			"extends: dark\ncolors:\n  red: #ff0000\n", `theme file my.yaml: colors: red: has no value (quote colours`,
		},
		"colour is number": {
			"extends: dark\ncolors:\n  red: 12\n", `theme file my.yaml: colors: red: 12 is not text (put it in quotes)`,
		},
		"reserved name": {
			"extends: dark\ncolors:\n  bold: \"#ff0000\"\n",
			`theme file my.yaml: colors: "bold" cannot be the name of a colour`,
		},
		"two colours": {
			"extends: dark\nroles:\n  text: red green\n",
			`theme file my.yaml: roles: text: "red green" names two colours`,
		},
		"missing role": {"roles:\n  surface: none\n", `theme file my.yaml: roles: "text" is missing`},
		"mixed": {
			"extends: mono\nroles:\n  surface: \"#000000\"\n",
			`theme file my.yaml: roles: text has no colour but surface has`,
		},
		"bad appearance": {"appearance: drak\n", `theme file my.yaml: appearance: "drak" is neither dark nor light`},
		"unknown base": {
			"extends: drak\n",
			`theme file my.yaml: extends: no theme "drak" (did you mean "dark"?); there are catppuccin-latte`,
		},
		"own base":     {"extends: my\n", `theme file my.yaml: extends goes in a circle: my extends my`},
		"path as base": {"extends: ../dark\n", `theme file my.yaml: extends: "../dark" is not a theme name`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := themes.Decode("my.yaml", []byte(test.theme))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v\n    want %s", err, test.want)
			}
		})
	}
}

func TestThemesThatExtendEachOtherAreRefused(t *testing.T) {
	folder := fstest.MapFS{
		"a.yaml": {Data: []byte("extends: b\n")},
		"b.yaml": {Data: []byte("extends: a\n")},
	}
	_, err := themes.Load("a", folder)
	want := "theme file b.yaml: extends goes in a circle: a extends b extends a (extend a theme of another name)"
	if err == nil || err.Error() != want {
		t.Errorf("error %v\n    want %s", err, want)
	}
}

func FuzzDecodeNeverPanicsAndWhatItAcceptsCanBeDrawn(f *testing.F) {
	for _, name := range themes.Names() {
		data, err := fs.ReadFile(shippedFolder, name+".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("extends: dark\nroles: {text: \"#ffffff bold\"}"))
	f.Add([]byte("colors: {a: [1]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		palette, err := themes.Decode("fuzz.yaml", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "theme file ") {
				t.Errorf("error does not name the file: %v", err)
			}
			return
		}
		styles := themes.Derive(palette, themes.Unicode())
		for paint := range 256 {
			begin := styles.Begin(themes.Paint(paint))
			if !strings.HasPrefix(begin, "\x1b[0") || strings.Trim(begin, "\x1b[0123456789;m") != "" {
				t.Fatalf("paint %d begins with %q", paint, begin)
			}
		}
	})
}
