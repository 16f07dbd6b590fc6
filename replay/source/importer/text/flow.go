package text

import "bytes"

// ValueWindow is how many bytes it takes to find what a bracket begins.
const ValueWindow = 512

// ValueSort recognises a value in brackets by its first bytes: JSON quotes its keys, YAML's flow style need not. Other
// text may begin with a bracket too, as "[user@host ~]$" and "{{ .Values.name }}" do; ok is false for it.
func ValueSort(window []byte) (sort Sort, ok bool) {
	if len(window) == 0 || window[0] != '{' && window[0] != '[' {
		return Words, false
	}
	rest := bytes.TrimLeft(window[1:], " \t\r\n")
	switch {
	case len(rest) == 0, rest[0] == '"', rest[0] == '}', rest[0] == ']':
		return JSON, true
	case window[0] == '{' && rest[0] == '{':
		return Words, false
	case window[0] == '{' && (rest[0] == '#' || isFlowKey(rest)):
		return Flow, true
	case window[0] == '{', rest[0] == '[':
		return JSON, true
	case rest[0] == '{':
		return ValueSort(rest)
	}
	return Words, false
}

// isFlowKey reports "word:" or "'word':" at the beginning of a mapping.
func isFlowKey(text []byte) bool {
	text = bytes.TrimLeft(text, "'?& ")
	for i, c := range text {
		switch {
		case isLetter(c), c >= '0' && c <= '9', c == '.', c == '_', c == '-', c == '/', c == '$', c == '\'':
		default:
			return c == ':' && i > 0
		}
	}
	return false
}

// FlowEnd is the place after the value in flow style that begins at a place; false when its brackets are never closed
// before the section ends.
func (s *Stream) FlowEnd(start int) (int, bool) {
	limit := s.Section(s.lineEnd(start))
	f := flowEnds{text: s.Text[:limit]}
	for i := start; i < limit; {
		next, done := f.step(i)
		if done {
			return next, true
		}
		i = next
	}
	return limit, false
}

// flowEnds follows a value in flow style to its end.
type flowEnds struct {
	text  []byte
	depth int
	word  bool // a word without quotes has begun: quotes in it are letters
}

// step passes what stands at i; done: the value ends there.
func (f *flowEnds) step(i int) (next int, done bool) {
	switch c := f.text[i]; c {
	case '{', '[':
		f.depth++
		f.word = false
	case '}', ']':
		f.depth--
		f.word = false
		return i + 1, f.depth <= 0
	case ',', ':':
		f.word = false
	case ' ', '\t', '\r', '\n':
	case '#':
		if i > 0 && isSpace(f.text[i-1]) {
			return lineEnd(f.text, i), false
		}
	case '"':
		if !f.word {
			return endOr(stringEnd(f.text, i), len(f.text)), false
		}
	case '\'':
		if !f.word {
			return singleEnd(f.text, i), false
		}
	default:
		f.word = true
	}
	return i + 1, false
}

func endOr(end, otherwise int) int {
	if end < 0 {
		return otherwise
	}
	return end
}

// singleEnd is the place after a text in single quotes; two of them in a row stand for one.
func singleEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		if text[i] != '\'' {
			continue
		}
		if i+1 == len(text) || text[i+1] != '\'' {
			return i + 1
		}
		i++
	}
	return len(text)
}

// objectKeys are the keys with which an API object, a list of them, or an export of a simulator begins.
var objectKeys = []string{"apiVersion", "kind", "items", "metadata", "pods", "nodes"}

// objectStart is the place where a JSON object begins whose first key is one of an API object, or -1.
func objectStart(text []byte) int {
	for at := 0; ; at++ {
		n := bytes.IndexByte(text[at:], '{')
		if n < 0 {
			return -1
		}
		at += n
		rest := bytes.TrimLeft(text[at+1:min(at+ValueWindow, len(text))], " \t\r\n")
		for _, key := range objectKeys {
			if len(rest) > len(key)+1 && rest[0] == '"' && string(rest[1:len(key)+1]) == key && rest[len(key)+1] == '"' {
				return at
			}
		}
	}
}

// RootStart is the place where an object begins in text that was taken for the inside of another, or -1: one that
// begins its line, or is printed with the indentation of a root.
func RootStart(text []byte) int {
	for at := 1; at < len(text); at++ {
		n := objectStart(text[at:])
		if n < 0 {
			return -1
		}
		at += n
		inside := bytes.TrimLeft(text[at+1:], "\r")
		if text[at-1] == '\n' || bytes.HasPrefix(inside, []byte("\n    \"")) || bytes.HasPrefix(inside, []byte("\n  \"")) {
			return at
		}
	}
	return -1
}
