package cmd

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// visible replaces, in a JSON text, every character that controls a terminal or is not seen (delete, the controls above
// ASCII, marks of direction) by its escape; the text means the same. long is the escape of a character of more than 16
// bits; empty: JSON's own, which is two escapes in a row and which YAML does not understand.
func visible(text []byte, long string) []byte {
	if bytes.IndexFunc(text, isHidden) < 0 {
		return text
	}
	var out bytes.Buffer
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case !isHidden(r):
			out.Write(text[:n])
		case r > 0xffff && long != "":
			fmt.Fprintf(&out, long, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
		text = text[n:]
	}
	return out.Bytes()
}

// isHidden says whether a character has no picture. ASCII controls are not among them: within strings JSON escapes them
// already, and between its tokens they are line breaks and tabs.
func isHidden(r rune) bool {
	return r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
