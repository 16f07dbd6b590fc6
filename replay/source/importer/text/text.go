// Package text reads the text of API objects, JSON and YAML, without decoding it: where values end, what stands under a
// key, where a list can be cut into its items. It knows no kind and no field, and it makes no objects.
//
// These parsers are our own for speed. The full YAML parser takes about fifteen times as long for what kubectl prints,
// and a decoder of whole documents would hold a list of a hundred thousand pods in memory before its first pod is read
// and could not share the work between processors. What they are not sure of they leave to the full parsers, and the
// tests beside them hold both to the same meaning.
package text

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Unquote is the text of a JSON string, and the JSON of anything else.
func Unquote(raw []byte) string {
	if inner, plain := plainText(raw); plain {
		return string(inner)
	}
	var value string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &value) == nil {
		return value
	}
	return string(raw)
}

// plainText is what stands in the quotes of a JSON string; false where it is not written as it is meant.
func plainText(raw []byte) ([]byte, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return nil, false
	}
	inner := raw[1 : len(raw)-1]
	for _, c := range inner {
		if c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return nil, false
		}
	}
	return inner, true
}

// Shorten cuts a text to n runes, the last of which is then an ellipsis.
func Shorten(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n-1]) + "…"
}

// LineOf is the line of an offset, counted from first.
func LineOf(text []byte, offset, first int) int {
	return first + bytes.Count(text[:min(offset, len(text))], []byte{'\n'})
}

func isMarker(line []byte, marker string) bool {
	return len(line) >= 3 && string(line[:3]) == marker &&
		(len(line) == 3 || isSpace(line[3]) || breakLength(line[3:]) > 0)
}

// lineEnd is the place after the line feed that ends the line at i.
func lineEnd(text []byte, i int) int {
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(text)
}
