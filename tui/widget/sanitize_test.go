package widget_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedstep/schedstep/tui/widget"
)

func TestControlSequencesAndInvisibleCharactersAreRemoved(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"plain":             {"web-7", "web-7"},
		"colour":            {"\x1b[31mred\x1b[0m", "red"},
		"title":             {"a\x1b]0;owned\x07b", "ab"},
		"eight-bit control": {"a\u009b31mb", "ab"},
		"cursor":            {"a\x1b[2J\x1b[Hb", "ab"},
		"line break":        {"a\nb\tc\r\nd", "a b c  d"},
		"other controls":    {"a\x00\x08\x7fb", "ab"},
		"accent composed":   {"cafe\u0301", "café"},
		"accent dropped":    {"x\u0335", "x"},
		"zero width joiner": {"👩\u200d💻", "👩💻"},
		"variation":         {"⚠\ufe0f", "⚠"},
		"right to left":     {"a\u202egnp.exe", "agnp.exe"},
		"flag":              {"🇩🇪", "DE"},
		"skin":              {"👍🏽", "👍"},
		"private use":       {"a\ue0a0b", "a\ufffdb"},
		"not UTF-8":         {"a\xffb", "a\ufffdb"},
		"no-break space":    {"a\u00a0b", "a b"},
		"Han":               {"节点", "节点"},
		"Hangul":            {"노드", "노드"},
		"Hangul in parts":   {"\u1102\u1169", "노"},
	}
	for name, test := range tests {
		if got := widget.Sanitize(test.text); got != test.want {
			t.Errorf("%s: Sanitize(%q) = %q, want %q", name, test.text, got, test.want)
		}
	}
}

// TestEveryCodePointKeepsItsWidthBesideOthers goes through all of Unicode: what Sanitize lets through must
// be as wide beside neighbours as it is alone, by both ways terminals measure.
func TestEveryCodePointKeepsItsWidthBesideOthers(t *testing.T) {
	neighbours := []string{"a", "节", "👍", "한", "क", "\u0e01"}
	kept := 0
	for r := range unicode.MaxRune + 1 {
		safe := widget.Sanitize(string(r))
		if safe != string(r) {
			continue
		}
		kept++
		alone := widget.Width(safe)
		if alone < 1 || alone > 2 {
			t.Errorf("%U is kept with %d columns", r, alone)
		}
		if double := safe + safe; ansi.StringWidth(double) != 2*alone || ansi.StringWidthWc(double) != 2*alone {
			t.Errorf("%U twice is %d or %d columns, not %d", r, ansi.StringWidth(double), ansi.StringWidthWc(double), 2*alone)
		}
		for _, neighbour := range neighbours {
			text := neighbour + safe + neighbour
			want := alone + 2*widget.Width(neighbour)
			if byCluster, byRune := ansi.StringWidth(text), ansi.StringWidthWc(text); byCluster != want || byRune != want {
				t.Errorf("%U (%q) in %q is %d or %d columns, not %d", r, r, text, byCluster, byRune, want)
			}
		}
	}
	if kept < 100_000 {
		t.Errorf("only %d code points are kept", kept)
	}
}

func FuzzSanitizedTextIsHarmless(f *testing.F) {
	for _, seed := range []string{
		"web-7", "\x1b[31mx", "\x1b]8;;http://x\x1b\\y", "e\u0301\u200d🇩🇪👍🏽", "\xff\xfe", "\u1100\u1161\u11a8",
		"\x1bP0;1|17/ab\x1b\\",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		safe := widget.Sanitize(text)
		if again := widget.Sanitize(safe); !strings.Contains(safe, string(utf8.RuneError)) && again != safe {
			t.Errorf("Sanitize(%q) = %q, and that again %q", text, safe, again)
		}
		for _, r := range safe {
			if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.M) {
				t.Errorf("Sanitize(%q) = %q has %U", text, safe, r)
			}
		}
		width := widget.Width(text)
		if ansi.StringWidth(safe) != width || ansi.StringWidthWc(safe) != width {
			t.Errorf("%q is %d columns, by the terminal %d or %d", safe, width, ansi.StringWidth(safe), ansi.StringWidthWc(safe))
		}
	})
}
