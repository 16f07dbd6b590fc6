package cmd

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/live"
	"github.com/schedstep/schedstep/replay/recording"
)

// recordFlags say what is recorded, and for how long.
type recordFlags struct {
	input inputFlags
	write writeFlags
	limit time.Duration
	size  string
	slice string // the pod of which alone the story is kept; "": all
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

All namespaces are recorded, because the pods of all of them fill the nodes. --slice POD makes
the recording smaller when it has ended: it keeps what the cycles of POD, which is in the
namespace of -n, depend on, and plays them to prove it. Interrupted once more, it leaves the
whole recording.

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
	f.input.live.addShown(c)
	f.write.add(c)
	c.Flags().DurationVar(&f.limit, "for", 0, "stop after this long (30m, 8h); 0: when interrupted")
	addSlice(c, &f.slice)
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
	if own := f.input.live.cluster.Namespace(); own != "" && f.slice == "" && !f.input.live.all && !f.input.quiet {
		fmt.Fprintln(s.Err, in.language.Say("note: all namespaces are recorded, not only %s: their pods fill the nodes too",
			clean(own)))
	}
	if f.limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, f.limit)
		defer stop()
	}
	var events func() string
	err = f.write.to(s, func(to io.Writer) error {
		w, err := recording.NewWriter(to, in.header(), f.write.options())
		if err != nil {
			return err
		}
		var tell func(int)
		events, tell = f.progress(s, feed, w, in.language)
		if err := feed.Record(ctx, w, most, tell); err != nil {
			return err
		}
		return w.Close()
	})
	if err != nil {
		return err
	}
	if !f.input.quiet {
		fmt.Fprintln(s.Err, in.language.Say("%s: %s; schedstep replay %s plays it", clean(f.write.out), events(),
			clean(f.write.out)))
	}
	if f.slice != "" {
		return f.sliceFile(c, s, in.podName(f.slice))
	}
	return nil
}

// check refuses what cannot be recorded, and returns the most bytes.
func (f *recordFlags) check(c *cobra.Command) (int64, error) {
	if err := f.write.check(c, "FILE"); err != nil {
		return 0, err
	}
	most, err := resource.ParseQuantity(f.size)
	switch {
	case f.input.live.selector != "":
		return 0, usageError{phrase.Errorf("-l: a recording has all pods, because the others fill the nodes (--slice POD " +
			"keeps what one pod depends on; shadow FILE -l compares some of them)")}
	case f.slice != "" && f.write.out == "-":
		return 0, usageError{phrase.Errorf("--slice: name a file with -o; what standard output has is out of reach")}
	case f.limit < 0:
		return 0, usageError{phrase.Errorf("--for %s: it must not be negative", f.limit)}
	case err != nil || most.Sign() < 0:
		return 0, usageError{phrase.Errorf("--max-size %q is not a size (try 100Mi)", f.size)}
	}
	return most.Value(), nil
}

// progress draws on a terminal how far the recording is; events says it as text.
func (f *recordFlags) progress(
	s Streams, feed *live.Feed, w *recording.Writer, l words.Language,
) (events func() string, tell func(int)) {
	began := time.Now()
	events = func() string {
		return l.Say("%s, then %s in %s, %s",
			l.Count(len(feed.Opening()), "object"), l.Count(feed.Log().Len()-len(feed.Opening()), "event"),
			time.Since(began).Round(time.Second), l.Count(int(w.Bytes()), "byte"))
	}
	err := terminal(s.Err)
	if f.input.quiet || err == nil {
		return events, nil
	}
	return events, func(int) {
		drawOver(err, l.Say("recording: %s (ctrl-c ends it) %s", events(), l.Tell(feed.State())))
	}
}
