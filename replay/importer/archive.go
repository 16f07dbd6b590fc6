package importer

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxDepth is how many archives may lie in each other.
const maxDepth = 3

// archive reads the members of an archive as files beside each other.
func (r *reading) archive(s shape, in *bufio.Reader, f *file) {
	if f.depth == maxDepth {
		r.nothing(f, "archive", fmt.Sprintf("it lies in %d others", maxDepth))
		return
	}
	var err error
	switch s {
	case gzipShape:
		var unpacked *gzip.Reader
		if unpacked, err = gzip.NewReader(in); err == nil {
			inner := *f
			inner.depth, inner.size = inner.depth+1, 0
			inner.hint = hintOf(strings.TrimSuffix(f.path, ".gz"))
			r.content(unpacked, &inner)
		}
	case tarShape:
		err = r.tar(in, f)
	case zipShape:
		err = r.zip(readAll(in), f)
	}
	if err != nil {
		r.submit(r.note(
			Problem{Where: f.path, What: "the archive is damaged: " + err.Error() + "; everything before that is kept"},
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
		if head.Typeflag == tar.TypeReg {
			r.content(members, r.member(f, head.Name))
		}
	}
}

func (r *reading) zip(raw []byte, f *file) error {
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return err
	}
	for _, head := range archive.File {
		if head.FileInfo().IsDir() {
			continue
		}
		opened, err := head.Open()
		if err != nil {
			return err
		}
		r.content(opened, r.member(f, head.Name))
		_ = opened.Close()
	}
	return nil
}

func (r *reading) member(f *file, name string) *file {
	r.layout.see(name)
	return &file{path: f.path + ": " + name, depth: f.depth + 1, hint: hintOf(name), part: partOf(name)}
}
