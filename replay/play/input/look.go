package input

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/demo"
	"github.com/schedstep/schedstep/replay/source/importer"
)

// reading is one call of Read: what it has opened, and the paths that hold API objects.
type reading struct {
	Options
	ctx     context.Context
	paths   []string
	streams map[string]io.Reader // what was opened once and cannot be opened again, by path
	opened  []io.Closer
	hints   []phrase.Text // sentences about what was left out and could be named
}

func (r *reading) close() {
	for _, c := range r.opened {
		_ = c.Close()
	}
}

// looked is a path that was looked into.
type looked struct {
	shape shape
	name  string // as sentences call it
	from  io.Reader
}

// look finds what a path is from its first bytes. A pipe or a device gives its bytes once: the bytes that were looked
// at stay in the stream.
func (r *reading) look(path string) (looked, error) {
	switch {
	case path == "":
		return looked{}, phrase.Errorf("an empty file name (is a variable of the shell not set?)")
	case r.streams[path] != nil:
		return looked{}, phrase.Errorf("%s is named twice, and can be read once", called([]string{path}))
	case path == "-" && r.Stdin == nil:
		return looked{}, phrase.Errorf("standard input: nothing is connected to it")
	case path == "-":
		return r.stream(path, "standard input", r.Stdin)
	case strings.HasPrefix(path, demoPrefix):
		return r.demo(path)
	}
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return looked{shape: objects}, nil // folders and globs, and what the importer will complain about
	}
	f, err := os.Open(path)
	if err != nil {
		return looked{}, phrase.Errorf("%s cannot be read: %w", path, err)
	}
	r.opened = append(r.opened, f)
	if !info.Mode().IsRegular() {
		return r.stream(path, path, f)
	}
	head := make([]byte, headOfAFile)
	n, _ := io.ReadFull(f, head)
	from := looked{shape: r.shapeOf(head[:n]), name: path, from: interruptible(r.ctx, f)}
	if _, err := f.Seek(int64(len(markOf(head[:n]))), io.SeekStart); err != nil {
		return looked{}, phrase.Errorf("%s cannot be read: %w", path, err)
	}
	return from, nil
}

// Names reports whether a word names an input: a file or a folder that is there, standard input, a demo, or a pattern.
func Names(word string) bool {
	_, err := os.Stat(word)
	return err == nil || word == "-" || strings.HasPrefix(word, demoPrefix) || importer.IsPattern(word)
}

// demoPrefix begins the name of a recording that comes with the program, where the name of a file is expected.
const demoPrefix = "demo:"

func (r *reading) demo(path string) (looked, error) {
	f, err := demo.Open(strings.TrimPrefix(path, demoPrefix))
	if err != nil {
		return looked{}, phrase.Errorf("%s: %w", path, err)
	}
	r.opened = append(r.opened, f)
	return looked{shape: recorded, name: path, from: f}, nil
}

// stream looks into what can be read once.
func (r *reading) stream(path, name string, in io.Reader) (looked, error) {
	buffered := bufio.NewReaderSize(&interruptibleReader{ctx: r.ctx, in: in}, headOfAFile)
	head, err := buffered.Peek(headOfAFile)
	if err != nil && err != io.EOF {
		return looked{}, phrase.Errorf("%s: %w", name, err)
	}
	from := looked{shape: r.shapeOf(head), name: name, from: buffered}
	if from.shape != objects {
		_, _ = buffered.Discard(len(markOf(head)))
	}
	r.streams[path] = buffered
	return from, nil
}

// byteOrderMark is what some editors write before a text.
var byteOrderMark = []byte("\ufeff")

// markOf is the byte order mark that a file begins with, or nothing.
func markOf(head []byte) []byte {
	if bytes.HasPrefix(head, byteOrderMark) {
		return byteOrderMark
	}
	return nil
}

// shapeOf is the shape of a file: the one that the user gives, or the one of its first bytes.
func (r *reading) shapeOf(head []byte) shape {
	switch r.Format {
	case "recording":
		return recorded
	case "scenario":
		return scripted
	case "":
		return shapeOf(bytes.TrimPrefix(head, byteOrderMark))
	}
	return objects
}

// ours reads a recording or a scenario.
func (r *reading) ours(s looked) (*Input, error) {
	if s.shape == scripted {
		return r.readScenario(s.name, s.from)
	}
	if file, seeks := s.from.(io.ReadSeeker); r.Resumes && seeks {
		if in, ok := atKeyframe(s.name, file); ok {
			return in, nil
		}
	}
	return ReadRecording(s.name, s.from)
}

// interruptibleReader reads until its context has ended.
type interruptibleReader struct {
	ctx context.Context
	in  io.Reader
}

// Read reads on.
func (r *interruptibleReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}

// interruptible is a file that is read until the context has ended, and that can seek.
func interruptible(ctx context.Context, f *os.File) io.ReadSeeker {
	return struct {
		io.Reader
		io.Seeker
	}{&interruptibleReader{ctx: ctx, in: f}, f}
}
