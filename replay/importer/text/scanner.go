package text

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// Scanner walks a stream of JSON values and counts its lines. It looks only as closely as it must to find where a value
// ends; the decoder checks the rest.
type Scanner struct {
	Line int // of the next byte, counted from 1
	in   *bufio.Reader
}

// NewScanner begins at the first line.
func NewScanner(in *bufio.Reader) *Scanner { return &Scanner{Line: 1, in: in} }

// Follows says whether a word is what comes next.
func (s *Scanner) Follows(word string) bool {
	next, _ := s.in.Peek(len(word))
	return string(next) == word
}

// TextLine passes a line that holds no value and returns its first n bytes. The end of the stream ends a line too.
func (s *Scanner) TextLine(n int) (string, error) {
	line, err := s.in.ReadSlice('\n')
	start := string(line[:min(len(line), n)])
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = s.in.ReadSlice('\n')
	}
	s.Line++
	if errors.Is(err, io.EOF) && start != "" {
		err = nil
	}
	return start, err
}

// Peek skips white space and a byte order mark, and shows the next byte.
func (s *Scanner) Peek() (byte, error) {
	for {
		if _, err := s.in.Peek(1); err != nil {
			return 0, err
		}
		window, _ := s.in.Peek(s.in.Buffered())
		i := skipSpace(window, 0)
		s.Skip(i)
		if i < len(window) {
			return window[i], nil
		}
	}
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
	_, _ = s.in.Discard(n)
}

// Value appends the text of the next value. It stands on the value's first byte.
func (s *Scanner) Value(text *[]byte) error {
	var end ending
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

// find returns how much of the window belongs to the value, and whether the value ends there.
func (e *ending) find(window []byte) (n int, done bool) {
	for i := 0; i < len(window); i++ {
		c := window[i]
		switch {
		case e.escaped:
			e.escaped = false
		case e.quoted:
			if c == '\\' {
				e.escaped = true
			} else if c == '"' {
				e.quoted = false
				if e.depth == 0 {
					return i + 1, true
				}
			}
		case e.scalar:
			if isSpace(c) || c == ',' || c == '}' || c == ']' || c == ':' {
				return i, true
			}
		case c == '"':
			e.quoted = true
		case c == '{' || c == '[':
			e.depth++
		case c == '}' || c == ']':
			if e.depth--; e.depth <= 0 {
				return i + 1, true
			}
		case e.depth == 0:
			e.scalar = true
		}
	}
	return len(window), false
}

// check refuses a closing bracket that closes nothing.
func (e *ending) check() error {
	if e.depth < 0 {
		return ErrShape
	}
	return nil
}
