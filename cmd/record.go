package cmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/replay/live"
	"github.com/schedstep/schedstep/replay/recording"
)

// recordFlags say what is recorded, and for how long.
type recordFlags struct {
	input    inputFlags
	out      string
	verbatim bool
	limit    time.Duration
	size     string
}

func recordCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	f := recordFlags{input: inputFlags{plugins: plugins, live: newLiveFlags()}}
	c := &cobra.Command{
		Use:   "record -o FILE",
		Short: "Record a cluster that runs, until it is stopped",
		Long: `record writes everything in the cluster of the current context that a scheduler reads, and
then every change with its moment, until it is interrupted, --for is over or --max-size is
reached. schedstep replay FILE plays it, beside what the cluster's own scheduler did. Each
second what was written is safe, so that a recorder that is killed loses no more than that.

Values that may be private (environment, commands, annotations, addresses) are redacted;
nothing that decides where a pod goes is. Secrets and config maps are never read. Nothing
is written to the cluster.`,
		Example: `  schedstep record -o night.schedstep --for 8h
  kubectl schedstep record -o incident.schedstep --max-size 100Mi`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.record(c, s) },
	}
	f.input.addDeciding(c)
	f.input.live.add(c)
	c.Flags().StringVarP(&f.out, "output", "o", "", "the recording to write; - is standard output")
	c.Flags().BoolVar(&f.verbatim, "no-redact", false, "keep values that may be private")
	c.Flags().DurationVar(&f.limit, "for", 0, "stop after this long (30m, 8h); 0: when interrupted")
	c.Flags().StringVar(&f.size, "max-size", "0", "stop when the recording has this size (100Mi, 1Gi); 0: never")
	return c
}

func (f *recordFlags) record(c *cobra.Command, s Streams) error {
	most, err := f.check(c)
	if err != nil {
		return err
	}
	ctx := c.Context()
	in, feed, err := f.input.follow(ctx, c, s)
	if err != nil {
		return err
	}
	defer feed.Stop()
	to, done, err := create(f.out, s)
	if err != nil {
		return err
	}
	defer done()
	if f.limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, f.limit)
		defer stop()
	}
	var o recording.Options
	if strings.HasSuffix(f.out, ".jsonl") {
		o.Packing = recording.Plain
	}
	if f.verbatim {
		o.Privacy = recording.Verbatim
	}
	w, err := recording.NewWriter(to, in.header(), o)
	if err != nil {
		return fmt.Errorf("-o %s: %w", f.out, bare(err))
	}
	events, tell := f.progress(s, feed, w)
	if err := feed.Record(ctx, w, most, tell); err != nil {
		return fmt.Errorf("-o %s: %w", f.out, bare(err))
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("-o %s: %w", f.out, bare(err))
	}
	if !f.input.quiet {
		fmt.Fprintf(s.Err, "%s: %s; schedstep replay %s plays it\n", f.out, events(), f.out)
	}
	return nil
}

// check refuses what cannot be recorded, and returns the most bytes.
func (f *recordFlags) check(c *cobra.Command) (int64, error) {
	most, err := resource.ParseQuantity(f.size)
	switch {
	case f.out == "":
		return 0, usageError{fmt.Errorf("%s needs -o FILE: where the recording goes", c.CommandPath())}
	case f.limit < 0:
		return 0, usageError{fmt.Errorf("--for %s: it must not be negative", f.limit)}
	case err != nil || most.Sign() < 0:
		return 0, usageError{fmt.Errorf("--max-size %q is not a size (try 100Mi)", f.size)}
	}
	return most.Value(), nil
}

// create opens what -o names.
func create(name string, s Streams) (to io.Writer, done func(), err error) {
	if name == "-" {
		return s.Out, func() {}, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, nil, fmt.Errorf("-o %s: %w", name, bare(err))
	}
	return file, func() { _ = file.Close() }, nil
}

// progress draws on a terminal how far the recording is; events says it as text.
func (f *recordFlags) progress(
	s Streams, feed *live.Feed, w *recording.Writer,
) (events func() string, tell func(int)) {
	began := time.Now()
	events = func() string {
		return fmt.Sprintf("%s, then %s in %s, %s",
			count(len(feed.Opening()), "object"), count(feed.Log().Len()-len(feed.Opening()), "event"),
			time.Since(began).Round(time.Second), count(int(w.Bytes()), "byte"))
	}
	err, is := s.Err.(*os.File)
	if f.input.quiet || !is || !term.IsTerminal(err.Fd()) {
		return events, nil
	}
	return events, func(int) {
		fmt.Fprintf(err, "\r\x1b[2Krecording: %s (ctrl-c ends it) %s\r", events(), feed.State())
	}
}
