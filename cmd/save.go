package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// spare refuses to write over an ordinary file that -o names, before anything is read.
func spare(out string, force bool) error {
	info, err := os.Stat(out)
	if force || out == "-" || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return usageError{fmt.Errorf("-o %s: it is there already (--force writes over it)", out)}
}

// save writes what -o names. What is no ordinary file (a pipe, a device) is written to as it stands.
func save(out string, write func(io.Writer) error) error {
	switch info, err := os.Stat(out); {
	case err == nil && info.IsDir():
		return usageError{fmt.Errorf("-o %s: it is a folder; name a file in it", out)}
	case err == nil && !info.Mode().IsRegular():
		to, err := os.OpenFile(out, os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("-o %s: %w", out, bare(err))
		}
		return errors.Join(write(to), to.Close())
	}
	if err := replace(out, write); err != nil {
		return fmt.Errorf("-o %s: %w", out, bare(err))
	}
	return nil
}

// replace writes beside the target and renames, so that a broken run leaves no half file.
func replace(out string, write func(io.Writer) error) error {
	mode := fs.FileMode(0o644)
	if real, err := filepath.EvalSymlinks(out); err == nil {
		out = real // a link stays one
	}
	if info, err := os.Stat(out); err == nil {
		mode = info.Mode().Perm()
	}
	temporary, err := os.CreateTemp(filepath.Dir(out), filepath.Base(out)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	if err := write(temporary); err != nil {
		temporary.Close()
		return err
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	if err := os.Chmod(temporary.Name(), mode); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), out)
}

// bare is a file system error without the operation and the path, which the sentence around it says.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
