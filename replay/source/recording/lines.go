package recording

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/schedstep/schedstep/internal/phrase"
)

// lines reads a recording line by line, compressed or not.
type lines struct {
	from    *bufio.Reader
	decoder *zstd.Decoder // nil: uncompressed
	number  int           // of the line read last, from 1
}

// zstdMagic begins every zstd frame that holds data.
var zstdMagic = []byte{0x28, 0xB5, 0x2F, 0xFD}

// newLines finds out by the first bytes whether a stream is compressed.
func newLines(r io.Reader) (*lines, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	head, err := buffered.Peek(len(zstdMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !bytes.Equal(head, zstdMagic) {
		return &lines{from: buffered}, nil
	}
	decoder, err := newDecoder(buffered)
	if err != nil {
		return nil, err
	}
	return &lines{from: bufio.NewReaderSize(decoder, 1<<16), decoder: decoder}, nil
}

func (l *lines) close() {
	if l.decoder != nil {
		l.decoder.Close()
	}
}

// errLongLine is a line that no recording has.
var errLongLine = phrase.Errorf("the line is longer than 64 MiB")

// next is the next line that is not blank, without its end, in memory of its own. A line that the stream ends in comes
// with whole false, and an error other than io.EOF comes with what was read of the line.
func (l *lines) next() (text []byte, whole bool, err error) {
	for {
		l.number++
		text, err = l.read()
		whole = err == nil
		if errors.Is(err, io.EOF) && len(bytes.TrimSpace(text)) > 0 {
			err = nil
		}
		text = bytes.TrimSpace(text)
		if len(text) > 0 || err != nil {
			return text, whole, err
		}
	}
}

func (l *lines) read() ([]byte, error) {
	var text []byte
	for {
		part, err := l.from.ReadSlice('\n')
		text = append(text, part...)
		if len(text) > longestLine {
			return nil, errLongLine
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, err
		}
	}
}
