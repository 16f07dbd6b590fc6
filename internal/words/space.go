package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// spaced has a space wherever a Latin letter or a digit and a Han character stand side by side, as translations are
// written: what a blank is filled in with may end, or begin, with either.
func spaced(text string) string {
	var b strings.Builder
	from, last := 0, ' '
	for at, r := range text {
		if meets(last, r) {
			b.WriteString(text[from:at])
			b.WriteByte(' ')
			from = at
		}
		last = r
	}
	if from == 0 {
		return text
	}
	b.WriteString(text[from:])
	return b.String()
}

// meets reports whether a space belongs between two characters.
func meets(a, b rune) bool {
	return isLatin(a) && unicode.Is(unicode.Han, b) || unicode.Is(unicode.Han, a) && isLatin(b)
}

func isLatin(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
