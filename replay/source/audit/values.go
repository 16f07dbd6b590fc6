package audit

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zstd"
)

// longest is how long a line or a value may be.
const longest = 256 << 20

var (
	gzipMagic = []byte{0x1F, 0x8B}
	zstdMagic = []byte{0x28, 0xB5, 0x2F, 0xFD}
)

// Unpacked is what a file holds, unpacked when its first bytes are those of gzip or zstd.
func Unpacked(in io.Reader) (io.Reader, error) {
	buffered := bufio.NewReaderSize(in, 64<<10)
	head, err := buffered.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		return gzip.NewReader(buffered)
	case bytes.HasPrefix(head, zstdMagic):
		d, err := zstd.NewReader(
			buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(longest), zstd.WithDecoderLowmem(true),
		)
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}
	return buffered, nil
}

// values hands on each JSON value of a stream, compressed or not: one a line, with or without something before it, or
// the elements of one array, or values printed over several lines. What is cut or damaged is counted. An error of the
// decompression ends the stream as a cut does.
func values(ctx context.Context, in io.Reader, c *Counts, visit func([]byte) error) error {
	unpacked, err := Unpacked(in)
	if err != nil {
		c.Broken++
		return ctx.Err()
	}
	from := bufio.NewReaderSize(unpacked, 1<<20)
	if arrayAhead(from) || printedAhead(from) {
		return stream(ctx, from, c, visit)
	}
	return lines(ctx, from, c, visit)
}

// lines hands on what each line holds from its first brace on.
func lines(ctx context.Context, from *bufio.Reader, c *Counts, visit func([]byte) error) error {
	var long []byte
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, cut, err := lineOf(from, &long)
		c.Bytes += int64(len(line))
		switch at := bytes.IndexByte(line, '{'); {
		case cut:
			c.Broken++
		case at >= 0 && err == nil || at >= 0 && whole(line[at:]):
			failed := visit(bytes.TrimSpace(line[at:]))
			if clear(line); failed != nil { // nothing of it stays in the buffer
				return failed
			}
		case len(bytes.TrimSpace(line)) > 0:
			c.Broken++
		}
		if errors.Is(err, io.EOF) {
			return ctx.Err()
		}
		if err != nil {
			c.Broken++
			return ctx.Err()
		}
	}
}

// whole reports whether a last line without an end is a whole value.
func whole(line []byte) bool { return jsontext.Value(line).IsValid(lenient) }

// lineOf is the next line, in memory that the next call uses again; cut: it was too long and is not there.
func lineOf(from *bufio.Reader, long *[]byte) (line []byte, cut bool, err error) {
	line, err = from.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, false, err
	}
	all := append((*long)[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = from.ReadSlice('\n')
		if len(all)+len(line) > longest {
			cut = true
			continue
		}
		all = append(all, line...)
	}
	*long = all
	return all, cut, err
}

// arrayAhead reports whether a stream begins with an array.
func arrayAhead(from *bufio.Reader) bool {
	head, _ := from.Peek(64)
	head = bytes.TrimLeft(head, "\ufeff \t\r\n")
	return len(head) > 0 && head[0] == '['
}

// printedAhead reports whether the first line is only the beginning of a value.
func printedAhead(from *bufio.Reader) bool {
	head, _ := from.Peek(64 << 10)
	head = bytes.TrimLeft(head, "\ufeff \t\r\n")
	line, _, found := bytes.Cut(head, []byte{'\n'})
	return found && len(line) > 0 && line[0] == '{' && !whole(line) && len(bytes.TrimSpace(line)) < 200
}

// stream hands on the elements of an array, or values behind each other.
func stream(ctx context.Context, from *bufio.Reader, c *Counts, visit func([]byte) error) error {
	d := jsontext.NewDecoder(from, lenient)
	if d.PeekKind() == '[' {
		_, _ = d.ReadToken()
	}
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if d.PeekKind() == ']' {
			if _, err := d.ReadToken(); err != nil {
				c.Broken++
				return ctx.Err()
			}
			continue
		}
		raw, err := d.ReadValue()
		if errors.Is(err, io.EOF) {
			return ctx.Err()
		}
		if err != nil {
			c.Broken++ // a decoder does not find its way back
			return ctx.Err()
		}
		c.Bytes += int64(len(raw))
		if err := visit(raw); err != nil {
			return err
		}
	}
}
