package text

import "bytes"

// Span is a stretch of a text.
type Span struct{ Start, End int }

// Block finds where the YAML document ends that begins at a place: at a marker, where a value in brackets begins, or
// where the keys of another document begin. words are the lines in it that are no data.
func (s *Stream) Block(start int) (end int, words []Span) {
	first := s.Indented(start)
	b := &blockEnds{base: start - first}
	for at := first; at < len(s.Text); {
		end := s.lineEnd(at)
		switch b.line(s.Text[at:end], s.Text[at:min(at+ValueWindow, len(s.Text))]) {
		case goesOn:
		case isWords:
			if at == 0 || s.Text[at-1] == '\n' || s.Text[at-1] == '\r' { // else: the end of a text that has such breaks in it
				words = append(words, Span{at, end})
			}
		case endsBefore:
			return at, words
		}
		at = end
	}
	return len(s.Text), words
}

// Indented is the beginning of the line of a place with nothing but its indentation before it, and else the place.
func (s *Stream) Indented(at int) int {
	before := bytes.TrimRight(s.Text[:at], " ")
	if n := len(before); n == 0 || before[n-1] == '\n' || before[n-1] == '\r' {
		return n
	}
	return at
}

// blockEnds reads a document line by line, and remembers what its root has held.
type blockEnds struct {
	base   int // indentation of the root
	begun  bool
	opaque bool // the root is something only a full parser follows
	isList bool
	seen   map[string]bool
}

// lineMeans is what a line means to the document before it.
type lineMeans int

const (
	goesOn lineMeans = iota
	isWords
	endsBefore
)

// line looks at one line; window begins with it and may be longer.
func (b *blockEnds) line(line, window []byte) lineMeans {
	if b.begun && b.base == 0 && line[0] == ' ' {
		return goesOn
	}
	depth, blank := indentation(line)
	switch {
	case blank:
		return goesOn
	case isMarker(line, "---"), isMarker(line, "..."), depth < b.base:
		return endsBefore
	case depth > b.base:
		return goesOn
	}
	content := bytes.TrimSpace(line[depth:])
	key, isKey := rootKey(content)
	if !b.begun {
		b.begin(content, key, isKey)
		return goesOn
	}
	return b.root(content, window[depth:], key, isKey)
}

func (b *blockEnds) begin(content []byte, key string, isKey bool) {
	b.begun, b.isList, b.opaque = true, isDash(content), !isKey && !isDash(content)
	b.seen = map[string]bool{key: true}
}

// root looks at a line that is not indented more than the first.
func (b *blockEnds) root(content, window []byte, key string, isKey bool) lineMeans {
	switch {
	case b.opaque, isDash(content), content[0] == '}', content[0] == ']', bytes.HasPrefix(content, []byte("{{")):
		return goesOn
	case bytes.HasPrefix(content, []byte(LogStart)):
		return endsBefore
	case isKey && (b.isList || b.restarts(key)):
		return endsBefore
	case isKey:
		b.seen[key] = true
		return goesOn
	}
	if _, is := ValueSort(window); is {
		return endsBefore
	}
	return isWords
}

// restarts reports whether a key begins another document: one that identifies an object, and was there before. A
// document with nothing but items restarts with them.
func (b *blockEnds) restarts(key string) bool {
	if !b.seen[key] {
		return false
	}
	switch key {
	case "apiVersion", "kind":
		return b.seen["apiVersion"] && b.seen["kind"] && len(b.seen) > 2
	case "items":
		return !b.seen["apiVersion"] && !b.seen["kind"]
	}
	return false
}
