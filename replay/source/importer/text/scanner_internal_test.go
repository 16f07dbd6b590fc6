package text

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/internal/law"
)

// plainEnd is where the value at the start of a text ends, read byte by byte; -1 if it does not.
func plainEnd(raw string) int {
	depth, quoted, scalar := 0, false, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case quoted:
			if quoted = c != '"'; !quoted && depth == 0 {
				return i + 1
			}
		case scalar:
			if strings.IndexByte(" \n\r\t,}]:", c) >= 0 {
				return i
			}
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth <= 0 {
				return i + 1
			}
		case depth == 0:
			scalar = true
		}
	}
	return -1
}

func TestAValueEndsWhereItEndsByteByByte(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
			"{", "}", "[", "]", ",", ":", `"`, `\`, `\"`, "true", "12", `"key": `, "\n" + strings.Repeat(" ", 20),
			strings.Repeat("long text ", 3),
		}), 1, 20).Draw(t, "pieces")
		raw := strings.TrimSpace(strings.Join(pieces, ""))
		if raw == "" {
			return
		}
		want := plainEnd(raw)
		size := rapid.IntRange(16, 64).Draw(t, "size of the window")
		s := NewScanner(bufio.NewReaderSize(strings.NewReader(raw), size), 1)
		var got []byte
		if err := s.Value(&got); want < 0 && err == nil && raw != string(got) {
			t.Fatalf("%q does not end, and %q was taken for a value", raw, got)
		}
		if want >= 0 && string(got) != raw[:want] {
			t.Fatalf("%q: got %q, want %q", raw, got, raw[:want])
		}
		if s.Line != 1+bytes.Count(got, []byte{'\n'}) {
			t.Fatalf("%q: line %d", raw, s.Line)
		}
	})
}
