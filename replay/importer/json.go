package importer

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/schedstep/schedstep/replay/importer/text"
)

// splitter cuts a stream of JSON values into the objects in it, so that a list of any length is decoded in parallel and
// never held whole. Values may follow each other with or without line breaks, commas or "---" between them.
type splitter struct {
	in      *text.Scanner
	r       *reading
	file    *file
	whole   *batch // objects that are no lists, collected until they are worth a decoder's while
	between int    // lines of text between values
}

// batchSize is the text handed to a decoding goroutine at once.
const batchSize = 512 << 10

func (r *reading) json(in *bufio.Reader, f *file) {
	s := &splitter{in: text.NewScanner(in), r: r, file: f}
	s.flush()
	defer func() {
		s.flush()
		if s.between > 0 {
			r.leave(LeftOut{What: "line of text between JSON values", Count: s.between, Why: "it is no object", First: f.path})
		}
	}()
	for {
		c, err := s.in.Peek()
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			err = s.document(c, &document{file: f, line: s.in.Line})
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
	p := Problem{Where: fmt.Sprintf("%s line %d", s.file.path, s.in.Line)}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		p.What = "the file ends in the middle of a value; everything before it is kept"
		p.Right = "was it cut short while copying?"
	case errors.Is(err, text.ErrShape):
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
		s.in.Skip(1)
		return nil
	case '-':
		if s.in.Follows("---") {
			s.in.Skip(len("---"))
			return nil
		}
	}
	if c != '"' {
		return s.textBetween()
	}
	start, line := len(s.whole.text), s.in.Line
	err := s.in.Value(&s.whole.text)
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
	line := s.in.Line
	envelope.text = append(envelope.text, '{')
	s.in.Skip(1)
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
		c, err := s.in.PeekInto(&envelope.text)
		if err != nil {
			return err
		}
		if c == '}' {
			s.in.Skip(1)
			return nil
		}
		if !first {
			if c != ',' {
				return text.ErrShape
			}
			s.in.Skip(1)
			if c, err = s.in.PeekInto(&envelope.text); err != nil {
				return err
			}
			envelope.text = append(envelope.text, ',')
		}
		if c != '"' {
			return text.ErrShape
		}
		if err := s.member(doc, envelope); err != nil {
			return err
		}
	}
}

func (s *splitter) member(doc *document, envelope *batch) error {
	start := len(envelope.text)
	if err := s.in.Value(&envelope.text); err != nil {
		return err
	}
	key := string(envelope.text[start+1 : len(envelope.text)-1])
	c, err := s.in.PeekInto(&envelope.text)
	if err != nil {
		return err
	}
	if c != ':' {
		return text.ErrShape
	}
	s.in.Skip(1)
	envelope.text = append(envelope.text, ':')
	if c, err = s.in.PeekInto(&envelope.text); err != nil {
		return err
	}
	if c == '[' && isListKey(key) {
		envelope.text = append(envelope.text, "[]"...)
		return s.elements(doc, key)
	}
	start = len(envelope.text)
	if err := s.in.Value(&envelope.text); err != nil {
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
	s.in.Skip(1)
	b := s.r.batch(doc, key)
	defer func() { s.r.submit(b) }()
	for index := 0; ; index++ {
		c, err := s.in.Peek()
		if err != nil {
			return err
		}
		if c == ',' && index > 0 {
			s.in.Skip(1)
			if c, err = s.in.Peek(); err != nil {
				return err
			}
		}
		if c == ']' {
			s.in.Skip(1)
			return nil
		}
		if len(b.text) >= batchSize {
			s.r.submit(b)
			b = s.r.batch(doc, key)
		}
		start, line := len(b.text), s.in.Line
		if err := s.in.Value(&b.text); err != nil {
			b.text = b.text[:start]
			return err
		}
		b.add(start, index+1, line)
	}
}
