package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// splitter cuts a stream of JSON values into the objects in it, so that a list of any length is decoded in parallel and
// never held whole. Values may follow each other with or without line breaks, commas, "---" or lines of text between
// them.
type splitter struct {
	in     *text.Scanner
	r      *reading
	file   *file
	whole  *batch // objects that are no lists, collected until they are worth a decoder's while
	marked bool   // a document marker came last
	broken []byte // the value in which the stream ended
	again  bool   // in reads a part of the stream again
}

// batchSize is the text handed to a decoding goroutine at once.
const batchSize = 512 << 10

// stop is why a splitter stopped.
type stop int

const (
	ended stop = iota
	yamlBegins
)

func (r *reading) json(in *bufio.Reader, f *file) {
	s := r.splitter(f, in, 1)
	if s.run() == ended {
		return
	}
	left := in
	if s.again {
		rest, _ := s.in.Rest() // from memory: it cannot fail
		left = bufio.NewReader(bytes.NewReader(rest))
	}
	r.yamlStream(left, f, s.in.Line)
}

func (s *splitter) run() stop {
	defer s.flush()
	for {
		c, err := s.in.Peek()
		if errors.Is(err, io.EOF) {
			return ended
		}
		if err == nil && s.yaml() {
			return yamlBegins
		}
		line, from := s.in.Line, s.in.Offset
		if err == nil {
			err = s.document(c, &document{file: s.file, line: line})
		}
		if s.in.Offset == from && err != nil {
			s.in.Skip(1)
		}
		if err != nil && !s.resume(err, line) {
			return ended
		}
	}
}

// yaml reports whether the stream goes on with YAML.
func (s *splitter) yaml() bool {
	return s.r.o.Format == Detect && text.BeginsYAML(s.in.Window(text.ValueWindow), s.marked)
}

// resume reports a value that makes no sense, and finds the next one: behind it, or in it where brackets that were
// never closed have taken what follows for their inside.
func (s *splitter) resume(err error, began int) bool {
	s.flush()
	defer func() { s.broken = nil }()
	p, line := s.problem(err), s.in.Line
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		at := text.RootStart(s.broken)
		if at >= 0 {
			line -= bytes.Count(s.broken[at:], []byte{'\n'})
			p.Where = fmt.Sprintf("%s line %d", s.file.path, line)
			p.What = phrase.Textf("the value that began at line %d is cut here; what follows it is read", began)
			rest := bytes.NewReader(bytes.Clone(s.broken[at:]))
			s.in, s.again = text.NewScanner(bufio.NewReaderSize(rest, sniffSize), line), true
		}
		s.r.submit(s.r.note(p))
		return at >= 0
	case errors.Is(err, text.ErrShape):
		failure := s.in.SkipBroken()
		if _, more := s.in.Peek(); more == nil {
			p.What = phrase.Textf("this is not JSON; the value that begins at line %d is left out", began)
			if last := s.in.Line - 1; last > line {
				p.What = phrase.Textf("this is not JSON; lines %d to %d are left out", line, last)
			}
		}
		s.r.submit(s.r.note(p))
		if failure != nil {
			s.r.submit(s.r.note(s.problem(failure)))
		}
		return failure == nil
	}
	s.r.submit(s.r.note(p))
	return false
}

// flush hands out the whole objects collected so far.
func (s *splitter) flush() {
	if s.whole != nil {
		s.r.submit(s.whole)
	}
	s.whole = s.r.batch(&document{file: s.file}, "")
}

// problem reports where the stream stopped making sense.
func (s *splitter) problem(err error) Problem {
	p := s.file.soften(Problem{Where: fmt.Sprintf("%s line %d", s.file.path, s.in.Line)})
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		p.What = "the file ends in the middle of a value; everything before it is kept"
		p.Right = "was it cut short while copying?"
	case errors.Is(err, text.ErrShape):
		p.What = "this is not JSON; everything before it is kept and nothing after it is read"
		p.Right = "a value begins with { or [, its keys are in double quotes and commas stand between its members"
	default:
		p.What = phrase.Textf("reading stopped: %s", plain(err))
	}
	return p
}

// document reads one value that begins with c, or passes what is none.
func (s *splitter) document(c byte, doc *document) error {
	if c == '-' && s.in.Follows("---") {
		s.in.Skip(len("---"))
		s.marked = true
		return nil
	}
	s.marked = false
	switch c {
	case ',':
		s.in.Skip(1)
		return nil
	case '{':
		return s.object(doc)
	case '"':
		return s.string()
	case '[':
		if _, is := text.ValueSort(s.in.Window(text.ValueWindow)); is {
			doc.arrays = true
			return s.elements(doc, "")
		}
	}
	return s.words()
}

func (s *splitter) string() error {
	start, line := len(s.whole.text), s.in.Line
	if err := s.in.Value(&s.whole.text); err != nil {
		s.broken = bytes.Clone(s.whole.text[start:])
		s.whole.text = s.whole.text[:start]
		return err
	}
	s.whole.add(start, -1, line)
	return nil
}

// words passes a line that is no value, and with it the log it may announce.
func (s *splitter) words() error {
	line := s.in.Line
	if s.in.Follows(text.LogStart) {
		s.r.formats[dumpFormat] = true
		s.r.logs(s.file)
		closed, err := s.in.SkipLog()
		if !closed {
			s.r.submit(s.r.note(endlessLog(s.file, line)))
		}
		return err
	}
	said, err := s.in.Words(text.ValueWindow)
	if !strings.HasPrefix(said, "#") && strings.TrimSpace(said) != "..." {
		s.r.words(s.file, line, []byte(said))
	}
	return err
}

// object reads the members of a top-level object. Arrays that hold API objects are cut into their elements; what is
// left, the envelope, is an object of its own or has the kind of the elements.
func (s *splitter) object(doc *document) error {
	envelope := s.r.batch(doc, "")
	line := s.in.Line
	envelope.text = append(envelope.text, '{')
	s.in.Skip(1)
	err := s.members(doc, envelope)
	if err != nil {
		if s.broken == nil {
			s.broken = envelope.text
		}
		return err
	}
	envelope.text = append(envelope.text, '}')
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
			s.broken = bytes.Clone(b.text[start:])
			b.text = b.text[:start]
			return err
		}
		b.add(start, index+1, line)
	}
}
