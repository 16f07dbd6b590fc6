package text

import (
	"bytes"
	"strings"
)

// Sort is what a part of a stream is.
type Sort int

// The sorts of parts.
const (
	Block Sort = iota // a YAML document in block style, or what only a full parser can read
	Flow              // one value in YAML's flow style, as KYAML is written
	JSON              // JSON values
	Log               // a container's log in the output of kubectl cluster-info dump
	Words             // a line that is no data: a warning, a prompt, an error
)

// Stream is text in which each part may be something else: YAML documents with and without "---" between them,
// KYAML, JSON, and the lines that tools print around their data.
type Stream struct {
	Text []byte
	odd  bool // some line ends otherwise than with a line feed
}

// NewStream takes the text over.
func NewStream(text []byte) *Stream { return &Stream{Text: text, odd: hasOddBreaks(text)} }

// Next finds the next part that holds something, at or after a place. Comments, directives and blank lines are
// skipped. marked is the place behind the last document marker that was skipped, or -1. At the end start is the length
// of the text.
func (s *Stream) Next(at int) (start int, sort Sort, marked int) {
	marked = -1
	for at < len(s.Text) {
		end := s.lineEnd(at)
		line := s.Text[at:end]
		switch depth, blank := indentation(line); {
		case isMarker(line, "---"):
			at += len("---")
			marked = at
		case isMarker(line, "..."), blank, isDirective(line):
			at = end
		default:
			return at + depth, s.sortAt(at+depth, end), marked
		}
	}
	return len(s.Text), Words, marked
}

// isDirective reports "%YAML 1.2" and "%TAG ...".
func isDirective(line []byte) bool {
	return bytes.HasPrefix(line, []byte("%YAML ")) || bytes.HasPrefix(line, []byte("%TAG "))
}

// sortAt finds what begins at a place, whose line ends at end.
func (s *Stream) sortAt(at, end int) Sort {
	content := bytes.TrimSpace(s.Text[at:end])
	if sort, is := ValueSort(s.Text[at:min(at+ValueWindow, len(s.Text))]); is {
		return sort
	}
	_, isKey := rootKey(content)
	switch {
	case isKey, isDash(content), content[0] == '&', content[0] == '!', bytes.HasPrefix(content, []byte("? ")),
		bytes.HasPrefix(content, []byte("{{")):
		return Block
	case content[0] == '"':
		return JSON
	case bytes.HasPrefix(content, []byte(LogStart)):
		return Log
	}
	return Words
}

// The lines around each log in what kubectl cluster-info dump prints.
const (
	LogStart = "==== START logs"
	LogEnd   = "==== END logs"
)

// Line is the end of the line at a place. If an object begins in the line, it ends there.
func (s *Stream) Line(at int) int {
	end := s.lineEnd(at)
	if i := objectStart(s.Text[at:min(end+ValueWindow, len(s.Text))]); i > 0 && at+i < end {
		return at + i
	}
	return end
}

// LogEnd is the end of the log that begins at a place; false when nothing ends it.
func (s *Stream) LogEnd(at int) (int, bool) {
	n := bytes.Index(s.Text[at:], []byte(LogEnd))
	if n < 0 {
		return len(s.Text), false
	}
	return s.lineEnd(at + n), true
}

// Section is the end of what stands between the marker before a place and the one after it.
func (s *Stream) Section(at int) int {
	for at < len(s.Text) {
		end := s.lineEnd(at)
		if line := s.Text[at:end]; isMarker(line, "---") || isMarker(line, "...") {
			return at
		}
		at = end
	}
	return len(s.Text)
}

// lineEnd is the place after the line break that ends the line at a place. YAML knows more breaks than one.
func (s *Stream) lineEnd(at int) int {
	if !s.odd {
		return lineEnd(s.Text, at)
	}
	for i := at; i < len(s.Text); i++ {
		if n := breakLength(s.Text[i:]); n > 0 {
			return i + n
		}
	}
	return len(s.Text)
}

// breakLength is how long the line break is that a text begins with; 0 if it begins with none.
func breakLength(text []byte) int {
	switch {
	case text[0] == '\n':
		return 1
	case text[0] == '\r' && len(text) > 1 && text[1] == '\n':
		return len("\r\n")
	case text[0] == '\r':
		return 1
	case text[0] != 0xc2 && text[0] != 0xe2:
		return 0
	}
	for _, odd := range oddBreaks {
		if bytes.HasPrefix(text, odd) {
			return len(odd)
		}
	}
	return 0
}

// oddBreaks are what YAML 1.1 takes for line breaks besides carriage return and line feed: NEL, LS and PS.
var oddBreaks = [][]byte{[]byte("\u0085"), []byte("\u2028"), []byte("\u2029")}

// hasOddBreaks reports whether some line ends otherwise than with a line feed.
func hasOddBreaks(text []byte) bool {
	for _, odd := range oddBreaks {
		if bytes.Contains(text, odd) {
			return true
		}
	}
	for at := 0; ; at++ {
		n := bytes.IndexByte(text[at:], '\r')
		if n < 0 {
			return false
		}
		if at += n; at+1 == len(text) || text[at+1] != '\n' {
			return true
		}
	}
}

// rootKey is the key of a line at the root of a document. A line with white space in its key is a sentence, and so is
// one that begins like a message.
func rootKey(content []byte) (key string, ok bool) {
	if q := content[0]; q == '"' || q == '\'' {
		n := bytes.IndexByte(content[1:], q)
		if n < 0 || n+2 >= len(content) || content[n+2] != ':' {
			return "", false
		}
		return string(content[1 : n+1]), true
	}
	for i, c := range content {
		switch {
		case c == ' ' || c == '\t' || c == '{' || c == '[':
			return "", false
		case c == ':' && (i+1 == len(content) || content[i+1] == ' ' || content[i+1] == '\t'):
			key = string(content[:i])
			return key, i > 0 && !(isMessageWord(key) && bytes.IndexByte(bytes.TrimSpace(content[i+1:]), ' ') > 0)
		}
	}
	return "", false
}

// isMessageWord reports the words with which kubectl and its plugins begin a message.
func isMessageWord(key string) bool {
	switch strings.ToLower(key) {
	case "warning", "error", "note", "info", "debug", "fatal", "hint":
		return true
	}
	return false
}

// BeginsYAML reports whether a text begins with a line that a manifest in block style or in flow style begins with.
// Behind a document marker, that may be any key.
func BeginsYAML(window []byte, marked bool) bool {
	if sort, is := ValueSort(window); is {
		return sort == Flow
	}
	line := bytes.TrimSpace(window[:lineEnd(window, 0)])
	if isDash(line) {
		line = bytes.TrimSpace(line[1:])
	}
	if len(line) == 0 || line[0] == '"' {
		return false
	}
	key, isKey := rootKey(line)
	switch key {
	case "apiVersion", "kind", "items", "metadata":
		return isKey
	}
	return isKey && marked
}
