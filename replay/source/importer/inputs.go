package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/internal/phrase"
)

// input is one thing to open: a file the user named, a file met in a folder, or standard input.
type input struct {
	path   string // as shown in sentences
	open   string // as the system opens it
	size   int64
	named  bool
	stream bool // open names one of Options.Streams
}

// inputs expands paths into files: folders in sorted order, globs, "-". Only a path that leads nowhere is an error;
// what a folder hides is counted in f.
func inputs(paths []string, streams map[string]io.Reader, f *findings) ([]input, error) {
	var list []input
	for _, path := range paths {
		if path == "-" || streams[path] != nil {
			name := path
			if path == "-" {
				name = "standard input"
			}
			list = append(list, input{path: name, open: path, stream: true, named: true})
			continue
		}
		found, err := expand(path)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			if list, err = appendPath(list, p, f); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// IsPattern reports whether a path stands for those that match it (filepath.Match). One that exists never does.
func IsPattern(path string) bool {
	_, err := os.Stat(path)
	return err != nil && strings.ContainsAny(path, "*?[")
}

// expand resolves a pattern.
func expand(path string) ([]string, error) {
	if !IsPattern(path) {
		return []string{path}, nil
	}
	found, err := filepath.Glob(path)
	if err != nil {
		return nil, phrase.Errorf("pattern %s: %w", path, err)
	}
	if len(found) == 0 {
		return nil, phrase.Errorf("pattern %s: no file matches it", path)
	}
	return found, nil
}

func appendPath(list []input, path string, f *findings) ([]input, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, phrase.Errorf("file %s: it does not exist", path)
	case err != nil:
		return nil, phrase.Errorf("file %s: %w", path, err)
	case info.IsDir():
		return appendFolder(list, path, f), nil
	}
	return append(list, input{path: path, open: path, size: regularSize(info), named: true}), nil
}

// appendFolder walks in sorted order. Links to files are followed, links to folders are not: they may form a ring.
func appendFolder(list []input, folder string, f *findings) []input {
	entries, err := os.ReadDir(folder)
	if err != nil {
		f.problem(Problem{Where: folder, What: phrase.Textf("the folder cannot be read: %s", plain(err))})
	}
	if len(entries) > 0 && isDataName(folder) {
		f.problem(Problem{Severity: Notice, Where: folder, What: "a folder with a file's name; the files in it are read"})
	}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		info, err := os.Stat(path)
		switch {
		case err != nil:
			f.problem(Problem{Where: path, What: phrase.Textf("the file cannot be read: %s", plain(err))})
		case strings.HasPrefix(entry.Name(), "."):
			f.leave("hidden file or folder", "its name begins with a dot", path)
		case info.IsDir() && entry.Type()&fs.ModeSymlink != 0:
			f.leave("link to a folder", "links to folders are not followed", path)
		case info.IsDir():
			list = appendFolder(list, path, f)
		case !info.Mode().IsRegular():
			f.leave("special file", whySpecial, path)
		default:
			list = append(list, input{path: path, open: path, size: info.Size()})
		}
	}
	return list
}

// regularSize is 0 for pipes and devices (a shell's <(...)), whose size is not known.
func regularSize(info fs.FileInfo) int64 {
	if !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// isDataName reports whether a name promises objects.
func isDataName(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json", ".yaml", ".yml", ".jsonl", ".ndjson", ".kyaml":
		return true
	}
	return false
}

// plain takes the operation and path off a file system error: the sentence around it names them.
func plain(err error) phrase.Text {
	var path *fs.PathError
	if errors.As(err, &path) {
		return phrase.OfError(path.Err)
	}
	return phrase.OfError(err)
}

// meter counts bytes on their way in, and lets through as many as the input may have.
type meter struct {
	ctx         context.Context
	in          io.Reader
	done, total int64
	told        int64
	progress    func(done, total int64)
	taken, most int64 // bytes read and unpacked
}

// take counts bytes that were read or unpacked.
func (m *meter) take(n int) error {
	if m.taken += int64(n); m.taken > m.most {
		return tooMuch{m.most}
	}
	return nil
}

// isFull reports whether the input has had its bytes: nothing more is opened.
func (m *meter) isFull() bool { return m.taken > m.most }

// tooMuch is the error of an input without end.
type tooMuch struct{ most int64 }

// Error is one sentence, with what allows more.
func (e tooMuch) Error() string {
	most := resource.NewQuantity(e.most, resource.BinarySI)
	return fmt.Sprintf("the input is larger than %s when it is unpacked (--max-input allows more)", most)
}

// unpacked meters what comes out of an archive.
type unpacked struct {
	meter *meter
	in    io.Reader
}

// Read reads on.
func (u unpacked) Read(p []byte) (int, error) {
	if u.meter.isFull() {
		return 0, tooMuch{u.meter.most}
	}
	n, err := u.in.Read(p)
	if full := u.meter.take(n); full != nil {
		return n, full
	}
	return n, err
}

// progressEvery is how many bytes pass between two calls of the progress function: a few per frame at full speed.
const progressEvery = 1 << 20

func (m *meter) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	if m.isFull() {
		return 0, tooMuch{m.most}
	}
	n, err := m.in.Read(p)
	m.done += int64(n)
	if full := m.take(n); full != nil {
		return n, full
	}
	if m.done-m.told >= progressEvery {
		m.tell()
	}
	return n, err
}

func (m *meter) tell() {
	m.told = m.done
	if m.progress != nil {
		m.progress(m.done, m.total)
	}
}
