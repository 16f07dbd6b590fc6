package text

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Scanner walks a stream of JSON values and counts its lines. It looks only as closely as it must to find where a value
// ends; the decoder checks the rest.
type Scanner struct {
	Line   int // of the next byte, counted from 1
	Offset int // of the next byte
	in     *bufio.Reader
}

// NewScanner begins at a line.
func NewScanner(in *bufio.Reader, line int) *Scanner { return &Scanner{Line: line, in: in} }

// Follows reports whether a word is what comes next.
func (s *Scanner) Follows(word string) bool { return string(s.Window(len(word))) == word }

// Window shows the next n bytes, or fewer at the end of the stream.
func (s *Scanner) Window(n int) []byte {
	next, _ := s.in.Peek(n)
	return next
}

// Rest is all that has not been passed yet.
func (s *Scanner) Rest() ([]byte, error) { return io.ReadAll(s.in) }

// Words passes text that begins no value, to the end of its line or to where an object begins in it, and returns its
// first n bytes.
func (s *Scanner) Words(n int) (start string, err error) {
	for first := true; ; first = false {
		if _, err := s.in.Peek(1); err != nil {
			return start, ignoreEOF(err)
		}
		window := s.Window(max(s.in.Buffered(), ValueWindow))
		end := lineEnd(window, 0)
		whole := window[end-1] == '\n'
		if i := objectStart(window[:min(end+ValueWindow, len(window))]); i >= 0 && i < end && (i > 0 || !first) {
			end, whole = i, true
		}
		if first {
			start = string(window[:min(end, n)])
		}
		s.Skip(end)
		if whole {
			return start, nil
		}
	}
}

// lineWith passes the rest of the line, whatever is in it, and reports whether a word is in it.
func (s *Scanner) lineWith(word string) (found bool, err error) {
	for {
		if _, err := s.in.Peek(1); err != nil {
			return found, err
		}
		window := s.Window(max(s.in.Buffered(), ValueWindow))
		end := lineEnd(window, 0)
		found = found || bytes.Contains(window[:end], []byte(word))
		if window[end-1] == '\n' || end < len(word) {
			s.Skip(end)
			return found, nil
		}
		s.Skip(end - len(word) + 1) // the word may lie across two windows
	}
}

// SkipLog passes a container's log to behind the line that ends it; false when there is none.
func (s *Scanner) SkipLog() (ended bool, err error) {
	for {
		if ended, err = s.lineWith(LogEnd); ended || err != nil {
			return ended, ignoreEOF(err)
		}
	}
}

// SkipBroken passes the rest of the line, and the lines after it that do not look like the beginning of a document. It
// stays where an API object begins.
func (s *Scanner) SkipBroken() error {
	if objectStart(s.Window(ValueWindow)) == 0 {
		return nil
	}
	for {
		if _, err := s.lineWith("\n"); err != nil {
			return ignoreEOF(err)
		}
		window := s.Window(ValueWindow)
		if _, is := ValueSort(window); is || isMarker(window, "---") || BeginsYAML(window, false) {
			return nil
		}
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Peek skips white space of any sort and byte order marks, and shows the next byte.
func (s *Scanner) Peek() (byte, error) {
	for {
		if _, err := s.in.Peek(1); err != nil {
			return 0, err
		}
		window, _ := s.in.Peek(s.in.Buffered())
		i := skipSpace(window, 0)
		s.Skip(i)
		if i == len(window) {
			continue
		}
		c := window[i]
		if c < utf8.RuneSelf {
			return c, nil
		}
		n := wideSpace(s.Window(utf8.UTFMax))
		if n == 0 {
			return c, nil
		}
		s.Skip(n)
	}
}

// wideSpace is how long the white space is, beyond ASCII, that a text begins with.
func wideSpace(text []byte) int {
	if r, n := utf8.DecodeRune(text); unicode.IsSpace(r) || r == '\ufeff' {
		return n
	}
	return 0
}

// PeekInto is Peek, and keeps the line breaks it skips: lines of an object are counted in its text.
func (s *Scanner) PeekInto(text *[]byte) (byte, error) {
	line := s.Line
	c, err := s.Peek()
	*text = append(*text, strings.Repeat("\n", s.Line-line)...)
	return c, err
}

// Skip passes n buffered bytes and counts their lines.
func (s *Scanner) Skip(n int) {
	window, _ := s.in.Peek(n)
	s.Line += bytes.Count(window, []byte{'\n'})
	s.Offset += n
	_, _ = s.in.Discard(n)
}

// longestValue is the most that is kept of one value that is no list: what an API server holds in one object is a
// hundred times smaller.
const longestValue = 256 << 20

// errLong is a value that has no end in sight.
var errLong = phrase.Errorf("a value is longer than 256 MiB, which no API object is")

// Value appends the text of the next value. It stands on the value's first byte.
func (s *Scanner) Value(text *[]byte) error {
	var end ending
	start := len(*text)
	for {
		if _, err := s.in.Peek(1); err != nil {
			if end.scalar && errors.Is(err, io.EOF) {
				return nil
			}
			return noEOF(err)
		}
		window, _ := s.in.Peek(s.in.Buffered())
		n, done := end.find(window)
		*text = append(*text, window[:n]...)
		if len(*text)-start > longestValue {
			return errLong
		}
		s.Skip(n)
		if done {
			return end.check()
		}
	}
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// ending finds where a value ends, across windows.
type ending struct {
	depth           int
	quoted, escaped bool
	scalar          bool
}

// find returns how much of the window belongs to the value, and whether the value ends there. It reads every byte of
// every dump: inside texts and brackets it looks only for the bytes that can end something.
func (e *ending) find(window []byte) (n int, done bool) {
	for i := 0; i < len(window); i++ {
		switch {
		case e.escaped:
			e.escaped = false
			continue
		case e.quoted:
			i = next(window, i, inText)
		case e.scalar:
			i = next(window, i, inScalar)
		case e.depth > 0:
			i = next(window, i, inBrackets)
		}
		if i == len(window) {
			break
		}
		if n, done := e.take(window[i]); done {
			return i + n, true
		}
	}
	return len(window), false
}

// take is called with a byte that may end something. When the value ends, n is 1 if the byte belongs to it, else 0.
func (e *ending) take(c byte) (n int, done bool) {
	switch {
	case e.quoted && c == '\\':
		e.escaped = true
	case e.quoted:
		e.quoted = c != '"'
		return 1, !e.quoted && e.depth == 0
	case e.scalar:
		return 0, ends[c]&inScalar != 0
	case c == '"':
		e.quoted = true
	case c == '{' || c == '[':
		e.depth++
	case c == '}' || c == ']':
		e.depth--
		return 1, e.depth <= 0
	case e.depth == 0:
		e.scalar = true
	}
	return 0, false
}

// check refuses a closing bracket that closes nothing.
func (e *ending) check() error {
	if e.depth < 0 {
		return ErrShape
	}
	return nil
}
