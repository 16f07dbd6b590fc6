package widget

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"
)

// regionalA is the first of the 26 code points that pair up into flags.
const (
	regionalA = 0x1F1E6
	regionalZ = 0x1F1FF
)

// unruly are code points that are printable by themselves but change, or are changed by, their neighbours:
// terminals disagree about the width of what results.
var unruly = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x0D4E, Hi: 0x0D4E, Stride: 1}, // Malayalam dot reph
		{Lo: 0x0E33, Hi: 0x0E33, Stride: 1}, // Thai sara am
		{Lo: 0x0EB3, Hi: 0x0EB3, Stride: 1}, // Lao sara am
		{Lo: 0x1100, Hi: 0x11FF, Stride: 1}, // conjoining Hangul
		{Lo: 0xA960, Hi: 0xA97F, Stride: 1},
		{Lo: 0xD7B0, Hi: 0xD7FF, Stride: 1},
		{Lo: 0xFF9E, Hi: 0xFF9F, Stride: 1}, // halfwidth Katakana sound marks
	},
	R32: []unicode.Range32{
		{Lo: 0x111C2, Hi: 0x111C3, Stride: 1}, // consonants written before a cluster, to 0x11F02
		{Lo: 0x1193F, Hi: 0x11941, Stride: 2},
		{Lo: 0x11A84, Hi: 0x11A89, Stride: 1},
		{Lo: 0x11D46, Hi: 0x11D46, Stride: 1},
		{Lo: 0x11F02, Hi: 0x11F02, Stride: 1},
		{Lo: regionalA, Hi: regionalZ, Stride: 1},
		{Lo: 0x1F3FB, Hi: 0x1F3FF, Stride: 1}, // skin tones
	},
}

// Sanitize makes text from elsewhere safe to draw: control sequences and invisible characters are gone,
// line breaks and tabs are spaces, accents are composed or gone, and what terminals do not draw alike is
// U+FFFD. Each code point of the result takes one or two columns, whatever stands beside it. Text that is
// safe already is returned as it is.
func Sanitize(text string) string {
	if isSafe(text) {
		return text
	}
	var safe strings.Builder
	for _, r := range norm.NFC.String(ansi.Strip(spelledOut(text))) {
		if r >= regionalA && r <= regionalZ {
			r += 'A' - regionalA
		}
		switch {
		case columns(r) > 0:
			safe.WriteRune(r)
		case unicode.IsSpace(r):
			safe.WriteByte(' ')
		case unicode.In(r, unicode.M, unicode.Cc, unicode.Cf, unicode.Sk, unicode.Zl, unicode.Zp):
		default:
			safe.WriteRune(utf8.RuneError)
		}
	}
	return safe.String()
}

// spelledOut is valid UTF-8 in which line breaks and tabs are spaces, since control sequences would swallow
// them, and in which control characters above ASCII are the two ASCII ones they stand for, since only those
// are recognised as the beginning of a sequence.
func spelledOut(text string) string {
	var spelled strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			spelled.WriteByte(' ')
		case r >= 0x80 && r <= 0x9F:
			spelled.WriteByte(ansi.ESC)
			spelled.WriteRune(r - 0x40)
		default:
			spelled.WriteRune(r)
		}
	}
	return spelled.String()
}

// Width is the number of columns that text takes when it is drawn.
func Width(text string) int {
	total := 0
	for _, r := range Sanitize(text) {
		total += columns(r)
	}
	return total
}

func isSafe(text string) bool {
	for _, r := range text {
		if r == utf8.RuneError || columns(r) == 0 {
			return false
		}
	}
	return true
}

// columns is the width of a code point, or 0 if it is not safe to draw.
func columns(r rune) int {
	switch {
	case r >= ' ' && r <= '~':
		return 1
	case r < 0xA1 || !unicode.IsPrint(r) || unicode.Is(unicode.M, r) || unicode.Is(unruly, r):
		return 0
	}
	var buffer [utf8.UTFMax]byte
	text := string(buffer[:utf8.EncodeRune(buffer[:], r)])
	width := ansi.StringWidth(text)
	if width != ansi.StringWidthWc(text) || width > 2 {
		return 0
	}
	return width
}
