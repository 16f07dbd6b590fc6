package importer

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
)

// whySpecial is why a special file is not read.
const whySpecial = "it is a pipe, a socket or a device"

// maxDepth is how many archives may lie in each other.
const maxDepth = 3

// archive reads the members of an archive as files beside each other.
func (r *reading) archive(s shape, in *bufio.Reader, f *file) {
	if f.depth == maxDepth {
		r.nothing(f, "archive", phrase.Textf("it lies in %d others", maxDepth))
		return
	}
	var err error
	switch s {
	case gzipShape:
		var packed *gzip.Reader
		if packed, err = gzip.NewReader(in); err == nil {
			inner := *f
			inner.depth, inner.size = inner.depth+1, 0
			inner.hint = hintOf(strings.TrimSuffix(f.path, ".gz"))
			r.content(unpacked{r.meter, packed}, &inner)
		}
	case tarShape:
		err = r.tar(in, f)
	case zipShape:
		var raw []byte
		if raw, err = r.readAll(in, f); err == nil {
			err = r.zip(raw, f)
		}
	}
	if err != nil && errors.As(err, new(tooMuch)) {
		r.submit(r.note(Problem{
			Where: f.path, What: phrase.Textf("reading stopped: %s", err), like: likeness{path: "too much"},
		}))
		return
	}
	if err != nil {
		r.submit(r.note(
			Problem{Where: f.path, What: phrase.Textf("the archive is damaged: %s; everything before that is kept", err)},
		))
	}
}

func (r *reading) tar(in io.Reader, f *file) error {
	members := tar.NewReader(in)
	for {
		head, err := members.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch head.Typeflag {
		case tar.TypeReg:
			r.content(members, r.member(f, head.Name))
		case tar.TypeDir, tar.TypeXGlobalHeader:
		case tar.TypeSymlink, tar.TypeLink:
			r.leave(LeftOut{
				What: "link in an archive", Count: 1, Why: "links are not followed", First: f.path + ": " + head.Name,
			})
		default:
			r.leave(LeftOut{What: "special file", Count: 1, Why: whySpecial, First: f.path + ": " + head.Name})
		}
		if r.meter.isFull() {
			return nil
		}
	}
}

func (r *reading) zip(raw []byte, f *file) error {
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return err
	}
	for _, head := range archive.File {
		mode := head.FileInfo().Mode()
		if mode.IsDir() {
			continue
		}
		if !mode.IsRegular() {
			r.leave(LeftOut{What: "special file", Count: 1, Why: whySpecial, First: f.path + ": " + head.Name})
			continue
		}
		opened, err := head.Open()
		if err != nil {
			return err
		}
		r.content(unpacked{r.meter, opened}, r.member(f, head.Name))
		_ = opened.Close()
		if r.meter.isFull() {
			return nil
		}
	}
	return nil
}

func (r *reading) member(f *file, name string) *file {
	r.layout.see(name)
	return &file{path: f.path + ": " + name, depth: f.depth + 1, hint: hintOf(name), part: partOf(name)}
}
