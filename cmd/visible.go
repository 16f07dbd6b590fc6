package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
)

// asData is a JSON text on one line in the chosen format (json, yaml, or jsonl as it is), ending with a line break.
// Nothing in it controls a terminal.
func asData(line []byte, format string) ([]byte, error) {
	hides := bytes.IndexFunc(line, isHidden) >= 0
	long := ""
	switch {
	case format == "json", format == "yaml" && hides: // JSON is YAML too, and every text in it can be spelled out
		var b bytes.Buffer
		if err := json.Indent(&b, line, "", "  "); err != nil {
			return nil, err
		}
		line = b.Bytes()
	case format == "yaml":
		text, err := yaml.JSONToYAML(line)
		if err != nil {
			return nil, err
		}
		line = text
	}
	if format == "yaml" {
		long = `\U%08x`
	}
	return append(bytes.TrimRight(visible(line, long), "\n"), '\n'), nil
}

// writeData prints a value as JSON or YAML.
func writeData(out io.Writer, value any, format string) error {
	line, err := json.Marshal(value)
	if err == nil {
		line, err = asData(line, format)
	}
	if err == nil {
		_, err = out.Write(line)
	}
	return err
}

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

// isHidden reports whether a character has no picture. ASCII controls are not among them: within strings JSON escapes
// them already, and between its tokens they are line breaks and tabs.
func isHidden(r rune) bool {
	return r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
