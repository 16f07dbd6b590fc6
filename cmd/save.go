package cmd

import (
	"errors"
	"io"
	"os"

	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
)

// spare refuses to write over an ordinary file that -o names, before anything is read.
func spare(out string, force bool) error {
	info, err := os.Stat(out)
	if force || out == "-" || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return usageError{phrase.Errorf("-o %s: it is there already (--force writes over it)", out)}
}

// save writes what -o names. What is no ordinary file (a pipe, a device) is written to as it stands.
func save(out string, write func(io.Writer) error) error {
	switch info, err := os.Stat(out); {
	case err == nil && info.IsDir():
		return usageError{phrase.Errorf("-o %s: it is a folder; name a file in it", out)}
	case err == nil && !info.Mode().IsRegular():
		to, err := os.OpenFile(out, os.O_WRONLY, 0)
		if err != nil {
			return phrase.Errorf("-o %s: %w", out, disk.Bare(err))
		}
		return errors.Join(write(to), to.Close())
	}
	if err := disk.Replace(out, 0o644, write); err != nil {
		return phrase.Errorf("-o %s: %w", out, disk.Bare(err))
	}
	return nil
}
