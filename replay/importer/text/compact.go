package text

// Compact appends a JSON text without white space between its tokens. What is well-formed keeps its meaning, and what
// is not well-formed stays so: words and numbers never grow together.
func Compact(out, raw []byte) []byte {
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			end := stringEnd(raw, i)
			if end < 0 {
				return append(out, raw[i:]...)
			}
			out = append(out, raw[i:end]...)
			i = end
		case isSpace(c):
			i = skipSpace(raw, i)
			if i < len(raw) && len(out) > 0 && isWordByte(raw[i]) && isWordByte(out[len(out)-1]) {
				out = append(out, ' ')
			}
		default:
			out = append(out, c)
			i++
		}
	}
	return out
}

// isWordByte says whether a byte outside strings may belong to a word or a number.
func isWordByte(c byte) bool {
	switch c {
	case '{', '}', '[', ']', ',', ':', '"':
		return false
	}
	return true
}
