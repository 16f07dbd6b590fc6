package text

import (
	"bytes"
	"strings"
)

// maxKey is the length up to which parsers look for the colon of a key.
const maxKey = 128

// splitKey takes "key: rest" apart.
func splitKey(content []byte) (key, rest []byte, ok bool) {
	colon := keyColon(content)
	if colon <= 0 || colon > maxKey || !isText(content[:colon]) {
		return nil, nil, false
	}
	return content[:colon], bytes.TrimLeft(content[colon+1:], " "), true
}

// keyColon is the place of the first colon that ends a key, or -1.
func keyColon(content []byte) int {
	for i, c := range content {
		if c == ':' && (i+1 == len(content) || content[i+1] == ' ') {
			return i
		}
	}
	return -1
}

func hasKeyColon(content []byte) bool { return keyColon(content) >= 0 }

// isWhole reports a whole number in the one spelling that all versions of YAML and JSON share.
func isWhole(word []byte) bool {
	digits := bytes.TrimPrefix(word, []byte{'-'})
	if len(digits) == 0 || len(digits) > 18 || digits[0] == '0' && len(word) > 1 {
		return false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// isPrintable reports printable ASCII and tabs.
func isPrintable(text []byte) bool {
	for _, c := range text {
		if (c < ' ' || c > '~') && c != '\t' {
			return false
		}
	}
	return true
}

// isClean reports a line of text without anything that ends a plain scalar.
func isClean(text []byte) bool {
	last := len(text) - 1
	return isPrintable(text) && bytes.IndexByte(text, '\t') < 0 && !hasKeyColon(text) &&
		!bytes.Contains(text, []byte(" #")) && text[last] != ' '
}

// isText reports a plain scalar that no version of YAML takes for anything but a text.
func isText(word []byte) bool {
	if !isClean(word) {
		return false
	}
	switch c := word[0]; {
	case isLetter(c):
		return len(word) > len("false") || !isReserved(strings.ToLower(string(word)))
	case c == '_', c == '/', c == '$', c == '(':
		return true
	case c == '-':
		return len(word) > 2 && word[1] == '-' && word[2] != '-' ||
			len(word) > 1 && isLetter(word[1]) && strings.IndexByte("iInN", word[1]) < 0
	case c >= '0' && c <= '9':
		return isAddress(word) || isUID(word) || bytes.ContainsAny(word, "ghijklmnpqrsuvwyGHIJKLMNPQRSUVWY") ||
			c != '0' && bytes.ContainsAny(word, "abcdfABCDF")
	}
	return false
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// isReserved reports the words YAML 1.1 reads as truth values or null.
func isReserved(word string) bool {
	switch word {
	case "y", "yes", "n", "no", "on", "off", "true", "false", "null":
		return true
	}
	return false
}

// isAddress reports digits and at least two points.
func isAddress(word []byte) bool {
	for _, c := range word {
		if c != '.' && (c < '0' || c > '9') {
			return false
		}
	}
	return bytes.Count(word, []byte{'.'}) >= 2
}

// isUID reports the 8-4-4-4-12 form.
func isUID(word []byte) bool {
	if len(word) != 36 {
		return false
	}
	for i, c := range word {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
