package importer

// squeezed decodes an item from a copy of its text without the white space between the tokens, which is more than half
// of what kubectl prints. It says false when the item has to be read as it is written: something is wrong with it that
// lines and columns tell of, its kind is not known yet, or it is to be kept as text.
func (r *reading) squeezed(b *batch, i int) (findings, bool) {
	it := b.items[i]
	raw := b.text[it.start:it.end]
	slim(raw)
	b.scratch = squeeze(b.scratch[:0], raw)
	d := &decoder{batch: b, place: b.place(it), squeezed: true}
	d.value(b.scratch)
	return d.found, !d.again && !d.wait && len(d.found.configs) == 0
}

// squeeze appends a JSON text without white space between its tokens. What is well-formed keeps its meaning, and what
// is not well-formed stays so: words and numbers never grow together.
func squeeze(out, raw []byte) []byte {
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
