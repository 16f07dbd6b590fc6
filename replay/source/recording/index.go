package recording

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/schedstep/schedstep/internal/phrase"
)

// index is the last line of a recording that was ended properly.
type index struct {
	Frames []frame `json:"index"`
	Events int     `json:"events"`
}

// frame is where a run of events begins, as a zstd frame of its own.
type frame struct {
	At    int64     `json:"at"` // byte of the file
	First int       `json:"n"`  // number of its first event
	Time  time.Time `json:"t"`  // of its first event
}

// The trailer is a frame that zstd skips: its magic, the length of its content, and as content the offset of the index
// and a mark by which the trailer is known from frames of other programs.
const (
	skippable     = 0x184D2A50
	trailerMark   = "schdstep"
	trailerLength = 4 + 4 + 8 + len(trailerMark)
)

func trailer(indexAt int64) []byte {
	b := binary.LittleEndian.AppendUint32(nil, skippable)
	b = binary.LittleEndian.AppendUint32(b, uint32(8+len(trailerMark)))
	b = binary.LittleEndian.AppendUint64(b, uint64(indexAt))
	return append(b, trailerMark...)
}

// indexAt reads a trailer; false for any other bytes.
func indexAt(b []byte) (int64, bool) {
	if len(b) != trailerLength || binary.LittleEndian.Uint32(b) != skippable || string(b[16:]) != trailerMark {
		return 0, false
	}
	at := binary.LittleEndian.Uint64(b[8:])
	return int64(at), at < 1<<62
}

// errNoIndex is a recording that was cut, or that is still being written.
var errNoIndex = phrase.Errorf("no index")

// readIndex finds the index from the end of a file.
func readIndex(r io.ReadSeeker) (*index, error) {
	end, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if end < int64(trailerLength) {
		return nil, errNoIndex
	}
	if _, err := r.Seek(end-int64(trailerLength), io.SeekStart); err != nil {
		return nil, err
	}
	last := make([]byte, trailerLength)
	if _, err := io.ReadFull(r, last); err != nil {
		return nil, err
	}
	at, ok := indexAt(last)
	if !ok || at >= end {
		return nil, errNoIndex
	}
	if _, err := r.Seek(at, io.SeekStart); err != nil {
		return nil, err
	}
	decoder, err := newDecoder(io.LimitReader(r, end-at))
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	text, err := io.ReadAll(io.LimitReader(decoder, longestLine))
	if err != nil {
		return nil, phrase.Errorf("index: %w", err)
	}
	x := new(index)
	if err := json.Unmarshal(text, x); err != nil {
		return nil, phrase.Errorf("index: %w", err)
	}
	return x, x.check(at)
}

// check refuses an index that does not lead forward through the file.
func (x *index) check(end int64) error {
	at, first := int64(0), 0
	for i, f := range x.Frames {
		if f.At <= at || f.At >= end || f.First < first || (i == 0 && f.First != 0) {
			return phrase.Errorf("index: frame %d is out of order", i)
		}
		at, first = f.At, f.First
	}
	if x.Events < first {
		return phrase.Errorf("index: fewer events than its frames have")
	}
	return nil
}

// before is the last frame that begins at or before an event.
func (x *index) before(number int) (frame, bool) {
	var found frame
	for _, f := range x.Frames {
		if f.First > number {
			break
		}
		found = f
	}
	return found, found.At > 0
}

// newDecoder reads zstd in the calling goroutine, with a bound on what a hostile file can make it hold.
func newDecoder(r io.Reader) (*zstd.Decoder, error) {
	return zstd.NewReader(
		r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(largestWindow), zstd.WithDecoderLowmem(true),
	)
}

const (
	largestWindow = 128 << 20
	longestLine   = 64 << 20 // bytes; an object of an API server has at most 1.5 MiB or so
)
