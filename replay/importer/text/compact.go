package text

import "encoding/json"

// Skips are the names of members whose values Compact leaves out, with the byte that such a value begins with: a label
// that is called env has a text, and the env of a container is a list.
type Skips map[string]byte

// Compact appends a JSON text without white space between its tokens, and without the values of skips: null or "" takes
// their place. What is well-formed keeps its meaning, and what is not well-formed stays so: words and numbers never
// grow together, and a value that is left out was well-formed.
func Compact(out, raw []byte, skips Skips) []byte {
	out, _ = compact(out, raw, 0, skips, len(raw))
	return out
}

// compact goes on from i, and ends where values have ended: at most that many. It returns where it ends.
func compact(out, raw []byte, i int, skips Skips, values int) ([]byte, int) {
	depth := 0
	for i < len(raw) && values > 0 {
		switch c := raw[i]; {
		case c == '"':
			end := stringEnd(raw, i)
			if end < 0 {
				return append(out, raw[i:]...), len(raw)
			}
			out = append(out, raw[i:end]...)
			if opens, is := skips[string(raw[i+1:end-1])]; is {
				out, end = skipped(out, raw, end, opens)
			}
			if i = end; depth == 0 {
				values--
			}
			continue
		case isSpace(c):
			i = skipSpace(raw, i)
			if i < len(raw) && len(out) > 0 && isWordByte(raw[i]) && isWordByte(out[len(out)-1]) {
				out = append(out, ' ')
			}
			continue
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				values--
			}
		}
		out = append(out, raw[i])
		i++
	}
	return out, i
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
	begun := len(out)
	out, end := compact(out, raw, start, nil, 1)
	if well := json.Valid(out[begun:]); !well {
		return out[:begun], i
	}
	if opens == '"' {
		return append(out[:begun], `:""`...), end
	}
	return append(out[:begun], ":null"...), end
}

// isWordByte says whether a byte outside strings may belong to a word or a number.
func isWordByte(c byte) bool {
	switch c {
	case '{', '}', '[', ']', ',', ':', '"':
		return false
	}
	return true
}
