package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// splitter cuts a stream of JSON values into the objects in it, so that a list of any length is decoded in parallel and
// never held whole. Values may follow each other with or without line breaks, commas or "---" between them.
type splitter struct {
	in    *bufio.Reader
	line  int
	r     *reading
	file  *file
	whole *batch // objects that are no lists, collected until they are worth a decoder's while
	prose int    // lines of text between values
}

// batchSize is the text handed to a decoding goroutine at once.
const batchSize = 512 << 10

func (r *reading) json(in *bufio.Reader, f *file) {
	s := &splitter{in: in, line: 1, r: r, file: f}
	s.flush()
	defer func() {
		s.flush()
		if s.prose > 0 {
			r.leave(LeftOut{What: "line of text between JSON values", Count: s.prose, Why: "it is no object", First: f.path})
		}
	}()
	for {
		c, err := s.peek()
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			err = s.document(c, &document{file: f, line: s.line})
		}
		if err != nil {
			s.flush()
			r.submit(r.note(s.broken(err)))
			return
		}
	}
}

// flush hands out the whole objects collected so far.
func (s *splitter) flush() {
	if s.whole != nil {
		s.r.submit(s.whole)
	}
	s.whole = s.r.batch(&document{file: s.file}, "")
}

// broken says where the stream stopped making sense.
func (s *splitter) broken(err error) Problem {
	p := Problem{Where: fmt.Sprintf("%s line %d", s.file.path, s.line)}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		p.What = "the file ends in the middle of a value; everything before it is kept"
		p.Right = "was it cut short while copying?"
	case errors.Is(err, errShape):
		p.What = "this is not JSON; everything before it is kept and nothing after it is read"
		p.Right = "a value begins with { or [, its keys are in double quotes and commas stand between its members"
	default:
		p.What = "reading stopped: " + plain(err)
	}
	return p
}

// document reads one value that begins with c.
func (s *splitter) document(c byte, doc *document) error {
	switch c {
	case '{':
		return s.object(doc)
	case '[':
		doc.arrays = true
		return s.elements(doc, "")
	case ',':
		s.skip(1)
		return nil
	case '-':
		if head, _ := s.in.Peek(3); string(head) == "---" {
			s.skip(3)
			return nil
		}
	}
	if c != '"' {
		return s.sentence()
	}
	start, line := len(s.whole.text), s.line
	err := s.value(&s.whole.text)
	if err != nil {
		s.whole.text = s.whole.text[:start]
		return err
	}
	s.whole.add(start, -1, line)
	return nil
}

// object reads the members of a top-level object. Arrays that hold API objects are cut into their elements; what is
// left, the envelope, is an object of its own or says of which kind the elements were.
func (s *splitter) object(doc *document) error {
	envelope := s.r.batch(doc, "")
	line := s.line
	envelope.text = append(envelope.text, '{')
	s.skip(1)
	err := s.members(doc, envelope)
	envelope.text = append(envelope.text, '}')
	if err != nil {
		return err
	}
	if len(doc.lists) > 0 {
		envelope.add(0, -1, line)
		s.r.submit(envelope)
		return nil
	}
	start := len(s.whole.text)
	s.whole.text = append(s.whole.text, envelope.text...)
	s.whole.add(start, -1, line)
	if len(s.whole.text) >= batchSize {
		s.flush()
	}
	return nil
}

func (s *splitter) members(doc *document, envelope *batch) error {
	for first := true; ; first = false {
		c, err := s.peekInto(&envelope.text)
		if err != nil {
			return err
		}
		if c == '}' {
			s.skip(1)
			return nil
		}
		if !first {
			if c != ',' {
				return errShape
			}
			s.skip(1)
			if c, err = s.peekInto(&envelope.text); err != nil {
				return err
			}
			envelope.text = append(envelope.text, ',')
		}
		if c != '"' {
			return errShape
		}
		if err := s.member(doc, envelope); err != nil {
			return err
		}
	}
}

func (s *splitter) member(doc *document, envelope *batch) error {
	start := len(envelope.text)
	if err := s.value(&envelope.text); err != nil {
		return err
	}
	key := string(envelope.text[start+1 : len(envelope.text)-1])
	c, err := s.peekInto(&envelope.text)
	if err != nil {
		return err
	}
	if c != ':' {
		return errShape
	}
	s.skip(1)
	envelope.text = append(envelope.text, ':')
	if c, err = s.peekInto(&envelope.text); err != nil {
		return err
	}
	if c == '[' && isListKey(key) {
		envelope.text = append(envelope.text, "[]"...)
		return s.elements(doc, key)
	}
	start = len(envelope.text)
	if err := s.value(&envelope.text); err != nil {
		return err
	}
	doc.learn(key, envelope.text[start:])
	return nil
}

// elements hands out the elements of an array in batches.
func (s *splitter) elements(doc *document, key string) error {
	if len(s.whole.items) > 0 {
		s.flush()
	}
	doc.lists = append(doc.lists, key)
	s.skip(1)
	b := s.r.batch(doc, key)
	defer func() { s.r.submit(b) }()
	for index := 0; ; index++ {
		c, err := s.peek()
		if err != nil {
			return err
		}
		if c == ',' && index > 0 {
			s.skip(1)
			if c, err = s.peek(); err != nil {
				return err
			}
		}
		if c == ']' {
			s.skip(1)
			return nil
		}
		if len(b.text) >= batchSize {
			s.r.submit(b)
			b = s.r.batch(doc, key)
		}
		start, line := len(b.text), s.line
		if err := s.value(&b.text); err != nil {
			b.text = b.text[:start]
			return err
		}
		b.add(start, index+1, line)
	}
}

// peek skips white space and a byte order mark, and shows the next byte.
func (s *splitter) peek() (byte, error) {
	for {
		if _, err := s.in.Peek(1); err != nil {
			return 0, err
		}
		window, _ := s.in.Peek(s.in.Buffered())
		i := skipSpace(window, 0)
		s.skip(i)
		if i < len(window) {
			return window[i], nil
		}
	}
}

// peekInto is peek, and keeps the line breaks it skips: lines of an object are counted in its text.
func (s *splitter) peekInto(text *[]byte) (byte, error) {
	line := s.line
	c, err := s.peek()
	*text = append(*text, strings.Repeat("\n", s.line-line)...)
	return c, err
}

// skip passes n buffered bytes and counts their lines.
func (s *splitter) skip(n int) {
	window, _ := s.in.Peek(n)
	s.line += bytes.Count(window, []byte{'\n'})
	_, _ = s.in.Discard(n)
}

// value appends the text of the next value. It stands on the value's first byte.
func (s *splitter) value(text *[]byte) error {
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
		s.skip(n)
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
		return errShape
	}
	return nil
}
