package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"

	kjson "sigs.k8s.io/json"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Reader reads a recording from the front, or from any event on. It is for one goroutine; between calls it runs none.
type Reader struct {
	name   string
	from   *source
	seeker io.ReadSeeker // nil: from cannot seek
	header Header
	index  *index // nil: cut, uncompressed, or not seekable

	lines   *lines
	next    int       // number of the next event line
	skip    int       // events below it are not handed out
	last    time.Time // of the last entry handed out
	ended   bool      // lines has no more
	indexed bool      // the line of the index was met
	counted int       // events the index counts; -1: unknown
	met     int       // lines of events since the header
	batch   int       // lines to decode together
	ready   []Entry   // decoded and not handed out
	answers []json.RawMessage
	session json.RawMessage // nil: not met
	frame   json.RawMessage // nil: likewise
	tally   tally
}

// NewReader reads the header of a recording; name is what error messages call it. With an io.ReadSeeker that begins
// with the recording, Seek goes anywhere. A recording of a newer version is an error; a damaged one is not, as long as
// its header can be read.
func NewReader(from io.Reader, name string) (*Reader, error) {
	r := &Reader{name: name, from: &source{from: from}}
	if seeker, ok := from.(io.ReadSeeker); ok {
		if err := r.findIndex(seeker); err != nil {
			return nil, phrase.Errorf("recording %s: %w", name, err)
		}
	}
	if err := r.rewind(); err != nil {
		r.Close()
		return nil, phrase.Errorf("recording %s: %w", name, err)
	}
	return r, nil
}

// findIndex looks for an index from the end and goes back to the front. A file that cannot seek, such as a pipe, is
// read forward.
func (r *Reader) findIndex(seeker io.ReadSeeker) error {
	if _, err := seeker.Seek(0, io.SeekCurrent); err != nil {
		return nil
	}
	r.seeker = seeker
	x, err := readIndex(seeker)
	switch {
	case err == nil:
		r.index = x
	case !errors.Is(err, errNoIndex):
		r.tally.add(0, "its index cannot be read, so going to an event reads everything before it")
	}
	_, err = seeker.Seek(0, io.SeekStart)
	return err
}

// rewind begins anew with the header.
func (r *Reader) rewind() error {
	l, err := newLines(r.from)
	if err != nil {
		return err
	}
	r.lines, r.next, r.ended, r.ready, r.batch, r.answers = l, 0, false, nil, smallestBatch, nil
	r.session, r.frame = nil, nil
	r.met = 0
	text, whole, err := l.next()
	if err != nil && len(text) == 0 {
		if errors.Is(err, io.EOF) {
			return phrase.Errorf("it is empty")
		}
		return phrase.Errorf("its header cannot be read: %w", err)
	}
	return r.readHeader(text, whole)
}

func (r *Reader) readHeader(text []byte, whole bool) error {
	var h Header
	strict, err := kjson.UnmarshalStrict(text, &h, kjson.DisallowUnknownFields)
	var is struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	switch {
	case err != nil && !whole && incomplete(text):
		return phrase.Errorf("it is cut in the middle of its header")
	case json.Unmarshal(text, &is) != nil || is.Format != Format:
		return phrase.Errorf("its first line is no header (want {\"format\":%q,\"version\":%d,...})", Format, Version)
	case is.Version > Version:
		return phrase.Errorf(
			"it is of format version %d, and this build reads up to version %d: a newer schedstep can read it",
			is.Version, Version,
		)
	case is.Version < 1:
		return phrase.Errorf("there is no format version %d (want 1 to %d)", is.Version, Version)
	case err != nil:
		return phrase.Errorf("its header: %w", err)
	}
	for _, err := range strict {
		var field kjson.FieldError
		if errors.As(err, &field) {
			r.tally.add(1, phrase.Textf("header field %s is unknown to this build, left out", field.FieldPath()))
		}
	}
	for _, kind := range h.Kinds {
		if blank(kind) == nil {
			r.tally.add(1, phrase.Textf("kind %q is unknown to this build", kind))
		}
	}
	if h.World == "" {
		h.World = Recorded
	}
	r.header, r.last = h, time.Time{}
	return nil
}

// Header is the first line; read only.
func (r *Reader) Header() Header { return r.header }

// Events is how many events the recording has; false when it has no index, which holds that number.
func (r *Reader) Events() (int, bool) {
	if r.index == nil {
		return 0, false
	}
	return r.index.Events, true
}

// Answers are what extenders answered, in order; they are all there once Next has come to the end.
func (r *Reader) Answers() []json.RawMessage { return r.answers }

// Session is the place that Writer.Session was given; nil when the recording is no saved session, or as
// long as Next has not come to the end.
func (r *Reader) Session() []byte { return r.session }

// Keyframe is the keyframe that Writer.Session was given; nil as Session is.
func (r *Reader) Keyframe() []byte { return r.frame }

// Problems are what was left out or found wrong in what was read so far, in the order it was met.
func (r *Reader) Problems() []Problem { return r.tally.list }

// source records why reading failed, to distinguish a file that cannot be read from one whose content is damaged.
type source struct {
	from io.Reader
	err  error
}

// Read reads on.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// Next is the next event that this build can read; io.EOF after the last. Damage ends a recording early and is a
// Problem, no error; any other error is one of reading the file.
func (r *Reader) Next() (Entry, error) {
	for len(r.ready) == 0 {
		if r.ended {
			return Entry{}, io.EOF
		}
		if err := r.fill(); err != nil {
			return Entry{}, phrase.Errorf("recording %s line %d: %w", r.name, r.lines.number, err)
		}
	}
	e := r.ready[0]
	r.ready = r.ready[1:]
	if e.At.Before(r.last) {
		r.tally.add(e.Line, "time goes back; the event counts as at the time of the one before")
		e.At = r.last
	}
	r.last = e.At
	return e, nil
}

// Batches grow, so that seeking to one event decodes few and reading everything keeps all processors busy.
const (
	smallestBatch = 32
	largestBatch  = 4096
	batchBytes    = 32 << 20
)

// fill reads and decodes the next batch of lines.
func (r *Reader) fill() error {
	var rows []row
	var failure error
	size := 0
	for len(rows) < r.batch && size < batchBytes && !r.ended {
		text, whole, err := r.lines.next()
		r.ended = err != nil || !whole
		if err != nil && !errors.Is(err, io.EOF) {
			failure = err
		}
		if len(text) == 0 {
			break
		}
		size += len(text)
		number := r.next
		r.next++
		if number >= r.skip || isIndexLine(text) {
			rows = append(rows, row{number: number, line: r.lines.number, text: text, whole: whole})
		}
	}
	r.batch = min(2*r.batch, largestBatch)
	decodeRows(rows)
	for i := range rows {
		r.take(&rows[i], failure)
	}
	if r.ended {
		return r.finish(failure)
	}
	return nil
}

// isIndexLine reports whether a line is an index as Writer writes it.
func isIndexLine(text []byte) bool { return bytes.HasPrefix(text, []byte(`{"index":`)) }

// take keeps what a row holds, and counts its faults; failure is what ended the lines, if anything but their end did.
func (r *Reader) take(row *row, failure error) {
	switch {
	case row.isCut && !row.whole && failure != nil: // finish reports it
	case row.isCut && !row.whole:
		r.tally.add(row.line, "the line is cut in the middle; everything before it is kept")
	case row.isCut:
		r.tally.add(row.line, "not an event: the line ends in the middle")
	case row.isIndex:
		r.indexed, r.counted = true, row.events
	case row.answer != nil:
		r.answers = append(r.answers, row.answer)
	case row.session != nil:
		r.session = row.session
	case row.keyframe != nil:
		r.frame = row.keyframe
	}
	if !row.isIndex && row.answer == nil && row.session == nil && row.keyframe == nil {
		r.met++
	}
	for _, what := range row.problems {
		r.tally.add(row.line, what)
	}
	if row.ok {
		r.ready = append(r.ready, row.entry)
	}
}

// finish judges how the lines ended. Only an error that is not about the content is returned.
func (r *Reader) finish(failure error) error {
	switch {
	case r.from.err != nil:
		return r.from.err
	case failure != nil:
		r.tally.add(r.lines.number, phrase.Textf(
			"the recording is damaged or cut here (%s); everything before it is kept", failure,
		))
	case r.header.Session && r.session == nil:
		r.tally.add(0, "the saved session is cut: where it stood is missing, and it opens at its start")
	case (r.lines.decoder != nil || r.header.Ended) && !r.indexed:
		r.tally.add(
			0, "the recording ends without its index: it was cut, or is still being written; everything before is kept",
		)
	case r.header.Ended && r.skip == 0 && r.counted >= 0 && r.met != r.counted:
		r.tally.add(r.lines.number, phrase.Textf(
			"the recording had %d events, and %d are in it: lines were taken out or put in", r.counted, r.met,
		))
	}
	return nil
}

// Seek makes Next return the first event with that number or a higher one. It goes back only if what the recording is
// read from can seek. Without an index it reads everything before the event.
func (r *Reader) Seek(number int) error {
	if r.lines == nil {
		return phrase.Errorf("recording %s: it is closed", r.name)
	}
	if number < 0 {
		return phrase.Errorf("recording %s: there is no event %d", r.name, number)
	}
	ahead := len(r.ready) > 0 && r.ready[0].Number <= number || len(r.ready) == 0 && r.next <= number
	switch {
	case r.index != nil:
		if err := r.jump(number); err != nil {
			return phrase.Errorf("recording %s: event %d: %w", r.name, number, err)
		}
	case ahead:
	case r.seeker == nil:
		return phrase.Errorf("recording %s: event %d is behind, and what it is read from cannot go back", r.name, number)
	default:
		if err := r.restart(); err != nil {
			return phrase.Errorf("recording %s: %w", r.name, err)
		}
	}
	r.skip = number
	for len(r.ready) > 0 && r.ready[0].Number < number {
		r.ready = r.ready[1:]
	}
	return nil
}

// restart begins anew from the front of the file.
func (r *Reader) restart() error {
	if _, err := r.seeker.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r.lines.close()
	return r.rewind()
}

// jump goes to the frame of an event.
func (r *Reader) jump(number int) error {
	f, found := r.index.before(number)
	if !found {
		return r.restart()
	}
	if _, err := r.seeker.Seek(f.At, io.SeekStart); err != nil {
		return err
	}
	l, err := newLines(r.from)
	if err != nil {
		return err
	}
	r.lines.close()
	l.number = f.First + 1
	r.lines, r.next, r.ended, r.ready, r.batch, r.last = l, f.First, false, nil, smallestBatch, time.Time{}
	r.answers, r.session, r.frame = nil, nil, nil
	return nil
}

// Close lets go of what reading took. It does not close what was read from.
func (r *Reader) Close() {
	if r.lines != nil {
		r.lines.close()
		r.lines = nil
	}
	r.ended, r.ready = true, nil
}

// ReadAll is every event that can be read, in order.
func (r *Reader) ReadAll() ([]Entry, error) {
	var all []Entry
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
}
