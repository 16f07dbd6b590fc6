package cmd

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// visible is a JSON text in which no character controls a terminal or hides: those that JSON allows as they are
// (delete, the controls above ASCII, marks of direction) are spelled out, and it means the same. long is how characters
// of more than 16 bits are spelled; empty: as JSON does, in two halves, which YAML does not understand.
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

// isHidden reports characters without a picture that are no ASCII control, which JSON spells out anyway and uses itself
// between its tokens.
func isHidden(r rune) bool {
	return r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
