package cmd

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// writeFlags choose where a recording goes, and what it keeps.
type writeFlags struct {
	out      string
	verbatim bool
}

func (f *writeFlags) add(c *cobra.Command) {
	c.Flags().StringVarP(&f.out, "output", "o", "", "the recording to write; - is standard output")
	c.Flags().BoolVar(&f.verbatim, "no-redact", false, "keep values that may be private")
}

// check refuses a command line without a place for the recording.
func (f *writeFlags) check(c *cobra.Command, placeholder string) error {
	if f.out == "" {
		return usageError{phrase.Errorf("%s needs -o %s: where the recording goes", c.CommandPath(), placeholder)}
	}
	return nil
}

// options are plain lines when the name ends in .jsonl, and redacted unless the user wants all.
func (f *writeFlags) options() recording.Options {
	var o recording.Options
	if strings.HasSuffix(f.out, ".jsonl") {
		o.Packing = recording.Plain
	}
	if f.verbatim {
		o.Privacy = recording.Verbatim
	}
	return o
}

// wrong is an error about the file that -o names.
func (f *writeFlags) wrong(err error) error { return phrase.Errorf("-o %s: %w", f.out, disk.Bare(err)) }

// to writes what -o names while write runs. Nothing is left unsaid of a file that cannot be closed.
func (f *writeFlags) to(s Streams, write func(io.Writer) error) error {
	if f.out == "-" {
		return write(s.Out)
	}
	file, err := os.Create(f.out)
	if err != nil {
		return f.wrong(err)
	}
	if err := errors.Join(write(file), file.Close()); err != nil {
		return f.wrong(err)
	}
	return nil
}

// terminal is a stream that is shown on a terminal; nil when it is not.
func terminal(stream io.Writer) *os.File {
	f, is := stream.(*os.File)
	if !is || !term.IsTerminal(f.Fd()) {
		return nil
	}
	return f
}
