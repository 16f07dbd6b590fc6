package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// file is one file of an archive.
type file struct {
	name string // in the archive
	path string // where it is read from
	mode os.FileMode
}

// archive is one that was packed.
type archive struct {
	system
	name string
	sum  string // SHA-256, as hexadecimal digits
}

// pack writes files into an archive, a zip file or a compressed tar file by the end of its name, and returns its
// SHA-256.
func pack(path string, files []file, at time.Time) (string, error) {
	out, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer out.Close()
	sum := sha256.New()
	into := io.MultiWriter(out, sum)
	if strings.HasSuffix(path, ".zip") {
		err = packZip(into, files, at)
	} else {
		err = packTar(into, files, at)
	}
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), out.Close()
}

func packTar(out io.Writer, files []file, at time.Time) error {
	compressed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	tape := tar.NewWriter(compressed)
	for _, f := range files {
		content, err := os.ReadFile(f.path)
		if err != nil {
			return err
		}
		header := tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(content)), ModTime: at, Format: tar.FormatPAX}
		if err := tape.WriteHeader(&header); err != nil {
			return err
		}
		if _, err := tape.Write(content); err != nil {
			return err
		}
	}
	if err := tape.Close(); err != nil {
		return err
	}
	return compressed.Close()
}

func packZip(out io.Writer, files []file, at time.Time) error {
	z := zip.NewWriter(out)
	for _, f := range files {
		content, err := os.ReadFile(f.path)
		if err != nil {
			return err
		}
		header := zip.FileHeader{Name: filepath.ToSlash(f.name), Method: zip.Deflate, Modified: at}
		header.SetMode(f.mode)
		w, err := z.CreateHeader(&header)
		if err != nil {
			return err
		}
		if _, err := w.Write(content); err != nil {
			return err
		}
	}
	return z.Close()
}
