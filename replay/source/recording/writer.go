package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"
	"k8s.io/apimachinery/pkg/runtime"
	kubejson "k8s.io/apimachinery/pkg/runtime/serializer/json"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Privacy decides what a Writer does with values that may be private.
type Privacy int

// The privacies; the zero value is the safe one.
const (
	Redacted Privacy = iota // Rules are applied
	Verbatim                // objects are written as they are
)

// Packing is how the lines are stored.
type Packing int

// The packings.
const (
	Compressed Packing = iota // zstd frames and an index
	Plain                     // the lines as they are, to be read by people and compared by tools; no index
)

// Options of NewWriter. The zero value is what to use.
type Options struct {
	Privacy Privacy
	Packing Packing
	// FrameEvents is how many events one frame holds at most, and so how many are read over at most to seek;
	// 0: 1024.
	FrameEvents int
}

// frameBytes ends a frame early when its events are large.
const frameBytes = 1 << 20

// Writer writes a recording from the front. It is for one goroutine.
type Writer struct {
	to       io.Writer
	redactor *Redactor // nil: verbatim
	packing  Packing
	encoder  *zstd.Encoder
	objects  runtime.Encoder
	limit    int // events of a frame

	offset int64 // bytes written so far
	index  index
	last   time.Time

	buffer  bytes.Buffer // lines of the frame being filled
	object  bytes.Buffer
	filled  int  // events in buffer
	answers bool // an answer was written
	err     error
}

// NewWriter begins a recording with its header. Format, Version, Redacted and Ended are filled in.
func NewWriter(to io.Writer, h Header, o Options) (*Writer, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, phrase.Errorf("recording: %w", err)
	}
	w := &Writer{
		to: to, encoder: encoder, limit: o.FrameEvents, packing: o.Packing,
		objects: kubejson.NewSerializerWithOptions(kubejson.DefaultMetaFactory, nil, nil, kubejson.SerializerOptions{}),
	}
	if w.limit <= 0 {
		w.limit = 1024
	}
	if o.Privacy == Redacted {
		w.redactor = NewRedactor()
	}
	h.Format, h.Version, h.Redacted = Format, Version, o.Privacy == Redacted
	if h.Redacted {
		h = redactHeader(h)
	}
	h.Ended = o.Packing == Plain
	w.last = h.Start
	line, err := json.Marshal(h)
	if err != nil {
		return nil, phrase.Errorf("recording: header: %w", err)
	}
	w.buffer.Write(line)
	w.buffer.WriteByte('\n')
	return w, w.emit()
}

// redactHeader is a header whose configurations have only what config.KeptMembers lists.
func redactHeader(h Header) Header {
	h.Config = string(config.Kept([]byte(h.Config)))
	h.Schedulers = slices.Clone(h.Schedulers)
	for i := range h.Schedulers {
		h.Schedulers[i].Config = string(config.Kept([]byte(h.Schedulers[i].Config)))
	}
	return h
}

// Write appends an event, redacted if the recording is; the event itself is not changed. Time must not go back. After
// an error nothing more can be written.
func (w *Writer) Write(at time.Time, e cluster.Event) error {
	if w.err != nil {
		return w.err
	}
	object, err := w.encoded(e, &w.object)
	return w.add(at, e, object, err)
}

// encoded is the object of an event as its line has it, in the memory of into. Several goroutines may call it.
func (w *Writer) encoded(e cluster.Event, into *bytes.Buffer) ([]byte, error) {
	if _, known := cluster.KindOf(e.Object); !known {
		return nil, errOfNoKind
	}
	o := e.Object
	if w.redactor != nil {
		o = w.redactor.Redact(o)
	} else {
		o = copyOf(o)
	}
	into.Reset()
	if err := w.objects.Encode(o, into); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(into.Bytes(), []byte("\n")), nil
}

var errOfNoKind = errors.New("no kind of a recording")

// add appends the line of an event whose object is encoded, or could not be.
func (w *Writer) add(at time.Time, e cluster.Event, object []byte, failed error) error {
	if w.err != nil {
		return w.err
	}
	if w.answers {
		return w.fail(phrase.Errorf("recording: event %d (%s) comes after an answer", w.index.Events, e))
	}
	if at.Before(w.last) {
		return w.fail(phrase.Errorf(
			"recording: event %d (%s) at %s is before the one at %s", w.index.Events, e, stamp(at), stamp(w.last),
		))
	}
	if errors.Is(failed, errOfNoKind) {
		return w.fail(phrase.Errorf("recording: event %d: %T is of no kind a recording holds", w.index.Events, e.Object))
	}
	if failed != nil {
		return w.fail(phrase.Errorf("recording: event %d (%s): %w", w.index.Events, e, failed))
	}
	if w.filled == 0 {
		w.index.Frames = append(w.index.Frames, frame{At: w.offset, First: w.index.Events, Time: at.UTC()})
	}
	kind, _ := cluster.KindOf(e.Object)
	fmt.Fprintf(&w.buffer, `{"t":"%s","a":"%s","k":"%s","o":%s}`+"\n", stamp(at), e.Action, kind, object)
	w.last = at
	w.index.Events++
	w.filled++
	if w.filled == w.limit || w.buffer.Len() >= frameBytes {
		return w.Flush()
	}
	return nil
}

// Answer appends an answer of an extender, a JSON value on one line, which is kept as it is. Answers come after all
// events.
func (w *Writer) Answer(text []byte) error {
	if err := w.flushEvents(); err != nil {
		return err
	}
	w.answers = true
	fmt.Fprintf(&w.buffer, `{"answer":%s}`+"\n", text)
	if w.buffer.Len() >= frameBytes {
		return w.Flush()
	}
	return nil
}

// Session appends the place of a session and, before it, the state of the replay near there (nil: none). Both are JSON
// values on one line, which are kept as they are. Session is called once, as the last before Close, and the header
// announces that a session comes.
func (w *Writer) Session(place, keyframe []byte) error {
	if keyframe != nil {
		if err := w.line("keyframe", keyframe); err != nil {
			return err
		}
	}
	return w.line("session", place)
}

// line appends a JSON value as a line of its own, after the events.
func (w *Writer) line(name string, value []byte) error {
	if err := w.flushEvents(); err != nil {
		return err
	}
	w.answers = true
	fmt.Fprintf(&w.buffer, "{%q:%s}\n", name, value)
	return w.Flush()
}

// flushEvents ends the frame of the last events.
func (w *Writer) flushEvents() error {
	if w.answers {
		return w.err
	}
	return w.Flush()
}

// Flush hands on everything written so far, so that a reader of an unfinished recording finds it. It costs compression.
func (w *Writer) Flush() error {
	if w.err != nil || w.buffer.Len() == 0 {
		return w.err
	}
	w.filled = 0
	return w.emit()
}

// Bytes is how many were handed on so far.
func (w *Writer) Bytes() int64 { return w.offset }

// Close ends the recording with its index. It does not close what is written to, and may be called again.
func (w *Writer) Close() error {
	if err := w.Flush(); err != nil {
		if errors.Is(err, errClosed) {
			return nil
		}
		return err
	}
	if w.packing == Plain {
		w.index.Frames = []frame{} // bytes mean little in a file that people edit
	}
	line, err := json.Marshal(w.index)
	if err != nil {
		return w.fail(phrase.Errorf("recording: index: %w", err))
	}
	at := w.offset
	w.buffer.Write(line)
	w.buffer.WriteByte('\n')
	if err := w.emit(); err != nil {
		return err
	}
	if w.packing == Compressed {
		if _, err := w.to.Write(trailer(at)); err != nil {
			return w.fail(err)
		}
	}
	w.err = errClosed
	return nil
}

// errClosed is the answer to writing after the end.
var errClosed = phrase.Errorf("recording: it is closed")

// emit writes the buffered lines as one frame.
func (w *Writer) emit() error {
	packed := w.buffer.Bytes()
	if w.packing == Compressed {
		packed = w.encoder.EncodeAll(packed, nil)
	}
	n, err := w.to.Write(packed)
	w.buffer.Reset()
	w.offset += int64(n)
	if err != nil {
		return w.fail(err)
	}
	return nil
}

func (w *Writer) fail(err error) error {
	w.err = err
	return err
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
