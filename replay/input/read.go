package input

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/recording"
	"github.com/schedstep/schedstep/replay/scenario"
)

// shape is what a file turned out to be.
type shape uint8

const (
	objects  shape = iota // API objects in any wrapping: the importer's business
	recorded              // our recording
	scripted              // our scenario language
)

// headOfAFile is how many bytes it takes to tell a shape: the first block of a compressed recording, or the comment a
// scenario opens with.
const headOfAFile = 64 << 10

// Read makes paths ready to be played: files, folders, globs or "-". Several are one cluster: what is in dumps and
// manifests is there from the start of a recording or scenario beside them. The error says that nothing can be played.
func Read(paths []string, o Options) (*Input, error) {
	if len(paths) == 0 {
		return nil, fmt.Errorf("no input: name a file, a folder, a glob, or - for standard input")
	}
	rest := []string{}
	var main *Input
	for _, path := range paths {
		if path == "" {
			return nil, fmt.Errorf("an empty file name (is a variable of the shell not set?)")
		}
		kind, data, err := o.look(path)
		if err != nil {
			return nil, err
		}
		if kind == objects {
			rest = append(rest, path)
			continue
		}
		if main != nil {
			return nil, fmt.Errorf("%s: a second recording or scenario; play one at a time", path)
		}
		if main, err = o.readOurs(path, kind, data); err != nil {
			return nil, err
		}
	}
	if main == nil {
		return readDump(rest, o)
	}
	if len(rest) == 0 {
		return main, nil
	}
	o.Time = main.Start
	dump, err := readDump(rest, o)
	if err != nil {
		return nil, err
	}
	return main.with(dump), nil
}

// with puts the objects of a dump before the script.
func (in *Input) with(dump *Input) *Input {
	in.Script = append(dump.Script, in.Script...)
	in.lacks = slices.DeleteFunc(in.lacks, func(k cluster.Kind) bool { return !dump.Lacks(k) })
	in.Refused = append(in.Refused, dump.Refused...)
	in.Notices = append(in.Notices, dump.Notices...)
	if in.Gates == "" {
		in.Gates = dump.Gates
	}
	if in.Config == nil {
		in.Config, in.From = dump.Config, dump.From
	}
	return in
}

// look tells what a path is from its first bytes. What is read of standard input is handed on.
func (o *Options) look(path string) (shape, io.Reader, error) {
	switch o.Format {
	case "recording":
		return recorded, nil, nil
	case "scenario":
		return scripted, nil, nil
	case "":
	default:
		return objects, nil, nil
	}
	if path == "-" {
		head := make([]byte, headOfAFile)
		n, err := io.ReadFull(o.Stdin, head)
		if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
			return objects, nil, fmt.Errorf("standard input: %w", err)
		}
		o.Stdin = io.MultiReader(bytes.NewReader(head[:n]), o.Stdin)
		return shapeOf(head[:n]), o.Stdin, nil
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return objects, nil, nil // folders and globs, and what the importer will complain about
	}
	f, err := os.Open(path)
	if err != nil {
		return objects, nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	defer f.Close()
	head := make([]byte, headOfAFile)
	n, _ := io.ReadFull(f, head)
	return shapeOf(head[:n]), nil, nil
}

// zstdMagic begins a compressed file. Nothing but recordings comes in this packing; one that is cut in its first block
// is told from other binary files by it.
var zstdMagic = []byte{0x28, 0xB5, 0x2F, 0xFD}

func shapeOf(head []byte) shape {
	switch {
	case recording.Is(head), bytes.HasPrefix(head, zstdMagic):
		return recorded
	case scenario.Looks(head):
		return scripted
	}
	return objects
}

// readOurs reads a recording or a scenario.
func (o *Options) readOurs(path string, kind shape, from io.Reader) (*Input, error) {
	name := path
	if path == "-" {
		name = "standard input"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", path, err)
		}
		defer f.Close()
		from = f
	}
	if kind == scripted {
		return readScenario(name, from, o.Plugins)
	}
	return ReadRecording(name, from)
}

// called is what the user named, as sentences call it.
func called(paths []string) string {
	all := slices.Clone(paths)
	for i, path := range all {
		if path == "-" {
			all[i] = "standard input"
		}
	}
	if len(all) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(all[:3], ", "), len(all)-3)
	}
	return strings.Join(all, ", ")
}

func title(paths []string) string {
	switch {
	case paths[0] == "-":
		return "standard input"
	case len(paths) == 1:
		name := filepath.Base(paths[0])
		return strings.TrimSuffix(name, filepath.Ext(name))
	}
	return fmt.Sprintf("%s and %d more", filepath.Base(paths[0]), len(paths)-1)
}
