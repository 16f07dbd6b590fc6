package sweep

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Log is the file that results are added to as runs end, in any order. A result is a line of JSON in a frame of zstd,
// behind a frame that zstd skips and that holds its length, so that the results before a cut are found again:
//
//	| skipped: length | line of JSON | skipped: length | line of JSON | ...
//
// zstd -dc prints the lines. Of a run that is there twice the first result counts.
type Log struct {
	file *os.File
	path string
	pack *zstd.Encoder
	at   map[int]span // of results, by the number of the run
	end  int64
}

// span is where a frame is, and the status of its run.
type span struct {
	from, length int64
	status       Status
}

const (
	skipped    = 0x184D2A50 // the magic number of a frame that zstd skips
	headLength = 12         // magic number, length of what follows, and that: the length of the next frame
	longest    = 1 << 30    // bytes of a frame
)

// OpenLog opens the log of a sweep, or makes one. It refuses one that is open to be written already. What a process
// that was killed has left at its end is cut off.
func OpenLog(path string) (*Log, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if !disk.Hold(file) {
		return nil, errors.Join(phrase.Errorf("another sweep is writing to it"), file.Close())
	}
	l, err := readLog(file, path)
	if err == nil {
		err = errors.Join(file.Truncate(l.end), seek(file, l.end))
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	l.pack, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	return l, err
}

// logOf opens the log of a sweep to read it.
func logOf(path string) (*Log, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	l, err := readLog(file, path)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

func seek(file *os.File, to int64) error {
	_, err := file.Seek(to, io.SeekStart)
	return err
}

// readLog finds the results that are whole.
func readLog(file *os.File, path string) (*Log, error) {
	l := &Log{file: file, path: path, at: map[int]span{}}
	reader, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(longest))
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	in := bufio.NewReaderSize(file, 1<<20)
	for head := make([]byte, headLength); ; {
		if _, err := io.ReadFull(in, head); err != nil {
			return l, whole(err)
		}
		length := int64(binary.LittleEndian.Uint32(head[8:]))
		if binary.LittleEndian.Uint32(head) != skipped || binary.LittleEndian.Uint32(head[4:]) != 4 || length > longest {
			return l, nil
		}
		frame := make([]byte, length)
		if _, err := io.ReadFull(in, frame); err != nil {
			return l, whole(err)
		}
		r, err := decode(reader, frame)
		if err != nil {
			return l, nil
		}
		if _, there := l.at[int(r.Row.Run)]; !there {
			l.at[int(r.Row.Run)] = span{l.end + headLength, length, r.Row.Status}
		}
		l.end += headLength + length
	}
}

// whole is the error of a reader that came to the end, which is none.
func whole(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

func decode(reader *zstd.Decoder, frame []byte) (*Result, error) {
	line, err := reader.DecodeAll(frame, nil)
	if err != nil {
		return nil, err
	}
	var r Result
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, err
	}
	for i := range r.Resources {
		r.Resources[i].Run = r.Row.Run
	}
	for i := range r.Pods {
		r.Pods[i].Run = r.Row.Run
	}
	return &r, nil
}

// Has reports whether the result of a run is there.
func (l *Log) Has(run int) bool {
	_, there := l.at[run]
	return there
}

// Len is how many results there are.
func (l *Log) Len() int { return len(l.at) }

// Statuses counts the results by their status.
func (l *Log) Statuses() map[Status]int {
	all := map[Status]int{}
	for _, s := range l.at {
		all[s.status]++
	}
	return all
}

// Add adds a result.
func (l *Log) Add(r *Result) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	frame := l.pack.EncodeAll(append(line, '\n'), nil)
	if len(frame) > longest {
		return phrase.Errorf("run %d has more pods that end otherwise than a result can hold", r.Row.Run)
	}
	return l.append(int(r.Row.Run), frame, r.Row.Status)
}

// append adds a frame, all of it or nothing.
func (l *Log) append(run int, frame []byte, status Status) error {
	head := make([]byte, headLength, headLength+len(frame))
	binary.LittleEndian.PutUint32(head, skipped)
	binary.LittleEndian.PutUint32(head[4:], 4)
	binary.LittleEndian.PutUint32(head[8:], uint32(len(frame)))
	if _, err := l.file.Write(append(head, frame...)); err != nil {
		return errors.Join(err, l.file.Truncate(l.end), seek(l.file, l.end))
	}
	l.at[run] = span{l.end + headLength, int64(len(frame)), status}
	l.end += headLength + int64(len(frame))
	return nil
}

// frame is a result as it is in the file.
func (l *Log) frame(run int) ([]byte, error) {
	s := l.at[run]
	frame := make([]byte, s.length)
	if _, err := l.file.ReadAt(frame, s.from); err != nil {
		return nil, phrase.Errorf("%s: %w", l.path, err)
	}
	return frame, nil
}

// Close closes the file.
func (l *Log) Close() error { return l.file.Close() }
