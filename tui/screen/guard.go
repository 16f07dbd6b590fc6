package screen

// guard takes out of what a terminal sends the parameters of a sequence that the library's parser has no room for, and
// by which it would panic. No key and no report of a terminal has as many; a pasted text may.
type guard struct {
	state   guardState
	between int // separators of parameters so far
}

// guardState is where in a sequence the guard stands.
type guardState uint8

const (
	outside guardState = iota
	escape
	parameters
)

// mostSeparators is one less than the parameters that the parser has room for.
const mostSeparators = 31

// pass keeps the bytes that are harmless, in place.
func (g *guard) pass(sent []byte) []byte {
	kept := sent[:0]
	for _, c := range sent {
		if !g.drops(c) {
			kept = append(kept, c)
		}
	}
	return kept
}

func (g *guard) drops(c byte) bool {
	switch {
	case c == 0x1b:
		g.state = escape
	case g.state == escape && (c == '[' || c == 'P'), c == 0x9b, c == 0x90: // CSI and DCS, in 7 and in 8 bits
		g.state, g.between = parameters, 0
	case g.state == parameters && (c == ';' || c == ':') && g.between < mostSeparators:
		g.between++
	case g.state == parameters && c >= '0' && c <= '?':
		return g.between == mostSeparators && (c == ';' || c == ':' || c <= '9')
	case g.state != outside:
		g.state = outside
	}
	return false
}
