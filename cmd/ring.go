package cmd

import (
	"errors"
	"os"
	"time"

	"github.com/schedstep/schedstep/replay/source/recording"
)

// ring is a recording that is begun anew again and again; the one before is kept.
type ring struct {
	name    string
	header  recording.Header
	options recording.Options
	file    *os.File
	writer  *recording.Writer
}

// next ends the part under way, and begins another.
func (r *ring) next(from time.Time) (*recording.Writer, error) {
	if r.file != nil {
		if err := errors.Join(r.close(), os.Rename(r.name, r.name+".1")); err != nil {
			return nil, err
		}
	}
	var err error
	if r.file, err = os.Create(r.name); err != nil {
		return nil, err
	}
	r.header.Start = from
	r.writer, err = recording.NewWriter(r.file, r.header, r.options)
	return r.writer, err
}

// close ends the part under way.
func (r *ring) close() error {
	if r.writer == nil {
		return nil
	}
	return errors.Join(r.writer.Close(), r.file.Close())
}
