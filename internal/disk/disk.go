// Package disk writes files whole or not at all, knows how much room there is, and describes both in few words. It
// reads no files.
package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// Replace has what write writes take the place of a file, or make one with that mode. It writes beside the file and
// moves the result there, so that no reader ever sees half of it. A file that is there keeps its mode, and a link stays
// one.
func Replace(path string, mode fs.FileMode, write func(io.Writer) error) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temporary.Name()) }() // nothing is there once it was moved
	if err := errors.Join(write(temporary), temporary.Close()); err != nil {
		return err
	}
	if err := os.Chmod(temporary.Name(), mode); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}

// Keep is Replace of a file that is for its owner alone. The folder that it is in is made, likewise.
func Keep(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return Replace(path, 0o600, func(to io.Writer) error {
		_, err := to.Write(data)
		return err
	})
}

// Writable is why nothing can be written to a folder; nil: it can.
func Writable(folder string) error {
	probe, err := os.CreateTemp(folder, "probe.*")
	if err != nil {
		return err
	}
	_, err = probe.Write([]byte{0})
	return errors.Join(err, probe.Close(), os.Remove(probe.Name()))
}

// Bytes is a number of bytes for people: 297 KiB, 71 GiB.
func Bytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB"}
	at := 0
	for n >= 10_240 && at < len(units)-1 {
		n /= 1024
		at++
	}
	return strconv.FormatInt(n, 10) + " " + units[at]
}

// Bare is a file system error without the operation and the path: the sentence around it names them.
func Bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
