package text

import (
	"github.com/go-json-experiment/json/jsontext"
)

// Skips are the names of members whose values Compact leaves out, with the byte that such a value begins with: a label
// that is called env has a text, and the env of a container is a list.
type Skips struct {
	opens   map[string]byte
	lengths uint64 // a bit for the length of each name
}

// NewSkips takes the byte that the value of each name begins with: '{', '[' or '"'. A name has less than 64 bytes.
func NewSkips(opens map[string]byte) Skips {
	s := Skips{opens: opens}
	for name := range opens {
		s.lengths |= 1 << len(name)
	}
	return s
}

// of is the byte that the value of a name begins with; false: it is not left out.
func (s Skips) of(name []byte) (byte, bool) {
	if len(name) >= 64 || s.lengths&(1<<len(name)) == 0 {
		return 0, false
	}
	opens, is := s.opens[string(name)]
	return opens, is
}

// Compact appends a JSON text without white space between its tokens, and without the values of skips: null or "" takes
// their place. What is well-formed keeps its meaning, and what is not well-formed stays so: words and numbers never
// grow together, and a value that is left out was well-formed.
func Compact(out, raw []byte, skips Skips) []byte {
	i := 0
	for i < len(raw) {
		switch c := raw[i]; {
		case c == '"':
			end := stringEnd(raw, i)
			if end < 0 {
				return append(out, raw[i:]...)
			}
			out = append(out, raw[i:end]...)
			if opens, is := skips.of(raw[i+1 : end-1]); is {
				out, end = skipped(out, raw, end, opens)
			}
			i = end
			continue
		case isSpace(c):
			i = skipSpace(raw, i)
			if i < len(raw) && len(out) > 0 && isWordByte(raw[i]) && isWordByte(out[len(out)-1]) {
				out = append(out, ' ')
			}
			continue
		}
		out = append(out, raw[i])
		i++
	}
	return out
}

// skipped appends what stands for the value of the key that ends at i, and returns where the value ends. Where there is
// no such value, or no well-formed one, it does nothing.
func skipped(out, raw []byte, i int, opens byte) ([]byte, int) {
	colon := skipSpace(raw, i)
	if colon >= len(raw) || raw[colon] != ':' {
		return out, i
	}
	start := skipSpace(raw, colon+1)
	if start >= len(raw) || raw[start] != opens {
		return out, i
	}
	end := valueEnd(raw, start)
	if end < 0 || !jsontext.Value(raw[start:end]).IsValid(lenient...) {
		return out, i
	}
	if opens == '"' {
		return append(out, `:""`...), end
	}
	return append(out, ":null"...), end
}

// lenient takes for well-formed what encoding/json does.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// isWordByte reports whether a byte outside strings may belong to a word or a number.
func isWordByte(c byte) bool {
	switch c {
	case '{', '}', '[', ']', ',', ':', '"':
		return false
	}
	return true
}
