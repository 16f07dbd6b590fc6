package text

import (
	"encoding/binary"
	"math/bits"

	"github.com/schedstep/schedstep/internal/phrase"
)

// ErrShape is returned by the walks below for text that is not the JSON they expect. They look only as closely as they
// must to find where values end; the decoder checks the rest.
var ErrShape = phrase.Errorf("not well-formed JSON")

// Members calls visit for every key of the object in raw, with the value's place in raw, until visit returns false.
// The key is as written, between its quotes.
func Members(raw []byte, visit func(key []byte, start, end int) bool) error {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return ErrShape
	}
	for i = skipSpace(raw, i+1); i < len(raw) && raw[i] != '}'; {
		if raw[i] != '"' {
			return ErrShape
		}
		end := stringEnd(raw, i)
		if end < 0 {
			return ErrShape
		}
		key := raw[i+1 : end-1]
		i = skipSpace(raw, end)
		if i >= len(raw) || raw[i] != ':' {
			return ErrShape
		}
		start := skipSpace(raw, i+1)
		end = valueEnd(raw, start)
		if end < 0 {
			return ErrShape
		}
		if !visit(key, start, end) {
			return nil
		}
		if i = nextElement(raw, end, '}'); i < 0 {
			return ErrShape
		}
	}
	if i >= len(raw) {
		return ErrShape
	}
	return nil
}

// Elements calls visit for every element of the array in raw, until visit returns false.
func Elements(raw []byte, visit func(index, start, end int) bool) error {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return ErrShape
	}
	i = skipSpace(raw, i+1)
	for index := 0; i < len(raw) && raw[i] != ']'; index++ {
		end := valueEnd(raw, i)
		if end < 0 {
			return ErrShape
		}
		if !visit(index, i, end) {
			return nil
		}
		if i = nextElement(raw, end, ']'); i < 0 {
			return ErrShape
		}
	}
	if i >= len(raw) {
		return ErrShape
	}
	return nil
}

// Member returns the value of one key, or nil.
func Member(raw []byte, key string) []byte {
	var value []byte
	_ = Members(raw, func(k []byte, start, end int) bool {
		if string(k) == key {
			value = raw[start:end]
			return false
		}
		return true
	})
	return value
}

// nextElement steps over a comma, or stands on the closing bracket.
func nextElement(raw []byte, i int, closing byte) int {
	i = skipSpace(raw, i)
	if i < len(raw) && raw[i] == ',' {
		return skipSpace(raw, i+1)
	}
	if i < len(raw) && raw[i] == closing {
		return i
	}
	return -1
}

func skipSpace(raw []byte, i int) int {
	for i < len(raw) && isSpace(raw[i]) {
		i = spacesEnd(raw, i+1)
	}
	return i
}

// spacesEnd is a place at or after i with nothing but spaces between, eight of them at once.
func spacesEnd(raw []byte, i int) int {
	for i+8 <= len(raw) {
		others := binary.LittleEndian.Uint64(raw[i:]) ^ eightSpaces
		if others != 0 {
			return i + bits.TrailingZeros64(others)/8
		}
		i += 8
	}
	return i
}

// eightSpaces are the bytes of indented text, compared at once: more than half of what kubectl prints.
const eightSpaces = 0x2020202020202020

// Bits of ends: where a byte may end something.
const (
	inText = 1 << iota
	inScalar
	inBrackets
)

// ends holds for each byte where it may end something.
var ends = func() (table [256]byte) {
	for places, all := range map[byte]string{
		inText: `\`, inText | inBrackets: `"`, inBrackets: "{[", inScalar | inBrackets: "}]", inScalar: ",: \n\r\t",
	} {
		for i := range len(all) {
			table[all[i]] = places
		}
	}
	return table
}()

// next is the first byte from i on that may end something at a place, or the end.
func next(raw []byte, i int, place byte) int {
	for i < len(raw) && ends[raw[i]]&place == 0 {
		if i++; place == inBrackets && i < len(raw) && raw[i] == ' ' {
			i = spacesEnd(raw, i+1)
		}
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// stringEnd is the place after the closing quote of the string at i, or -1.
func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		for i+8 <= len(raw) {
			eight := binary.LittleEndian.Uint64(raw[i:])
			found := zeroBytes(eight^eightQuotes) | zeroBytes(eight^eightBackslashes)
			if found != 0 {
				i += bits.TrailingZeros64(found) / 8
				break
			}
			i += 8
		}
		if i == len(raw) {
			break
		}
		switch raw[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return -1
}

const (
	eightQuotes      = 0x2222222222222222
	eightBackslashes = 0x5c5c5c5c5c5c5c5c
)

// zeroBytes has the highest bit of the lowest byte of x that is zero, and none below it; 0: no byte is zero.
func zeroBytes(x uint64) uint64 { return (x - 0x0101010101010101) &^ x & 0x8080808080808080 }

// valueEnd is the place after the value at i, or -1.
func valueEnd(raw []byte, i int) int {
	if i >= len(raw) {
		return -1
	}
	switch raw[i] {
	case '"':
		return stringEnd(raw, i)
	case '{', '[':
		return bracketEnd(raw, i)
	}
	end := i
	for end < len(raw) && !isSpace(raw[end]) && raw[end] != ',' && raw[end] != '}' && raw[end] != ']' {
		end++
	}
	if end == i {
		return -1
	}
	return end
}

// bracketEnd counts brackets of both sorts together: the decoder distinguishes them.
func bracketEnd(raw []byte, i int) int {
	depth := 0
	for i = next(raw, i, inBrackets); i < len(raw); i = next(raw, i, inBrackets) {
		switch raw[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			if i = stringEnd(raw, i); i < 0 {
				return -1
			}
			continue
		}
		i++
	}
	return -1
}
