package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/source/live"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// recordFlags choose what is recorded, and for how long.
type recordFlags struct {
	input inputFlags
	write writeFlags
	limit time.Duration
	size  string
	ring  time.Duration // the time span that is kept at least; 0: all
	slice string        // keep only what the cycles of this pod depend on; "": keep all
	audit bool          // print an audit policy, and record nothing
}

func recordCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	f := recordFlags{input: inputFlags{plugins: plugins, live: newLiveFlags(), everyPlugin: true}}
	c := &cobra.Command{
		Use:   "record -o FILE",
		Short: "Record a cluster that runs, until it is stopped",
		Long: `record writes everything in the cluster of the current context that a scheduler reads, and
then every change with its moment, until it is interrupted, --for is over or --max-size is
reached. schedstep replay FILE plays it, beside what the cluster's own scheduler did. Each
second what was written is safe, so that a recorder that is killed loses no more than that.

--ring 1h is for a recorder that runs always: it keeps the last hour at least, and two at the
most. Each hour it begins FILE anew with everything that is there; the hour before is FILE.1.

All namespaces are recorded, because the pods of all of them fill the nodes. --slice POD makes
the recording smaller when it has ended: it keeps what the cycles of POD, which is in the
namespace of -n, depend on, and plays them to prove it. Interrupted once more, it leaves the
whole recording.

Values that may be private (environment, commands, annotations, addresses) are redacted;
nothing that decides where a pod goes is. Secrets and config maps are never read. Nothing
is written to the cluster.`,
		Example: `  schedstep record -o night.schedstep --for 8h
  kubectl schedstep record -o incident.schedstep --max-size 100Mi
  schedstep record -o always.schedstep --ring 6h`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.audit {
				_, err := io.WriteString(s.Out, auditPolicy())
				return err
			}
			return f.record(c, s)
		},
	}
	f.input.addDeciding(c)
	f.input.live.add(c)
	f.input.live.addShown(c)
	f.write.add(c)
	c.Flags().DurationVar(&f.limit, "for", 0, "stop after this long (30m, 8h); 0: when interrupted")
	c.Flags().DurationVar(&f.ring, "ring", 0, "keep only the last so long (1h) at least, in FILE and FILE.1; 0: keep all")
	addSlice(c, &f.slice)
	c.Flags().BoolVar(
		&f.audit, "print-audit-policy", false,
		"print the smallest audit policy whose log replay can play, and record nothing",
	)
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
	told, err := f.whole(ctx, s, in, feed, most)
	if err != nil {
		return err
	}
	if !f.input.quiet {
		fmt.Fprintln(s.Err, in.language.Say("%s: %s; schedstep replay %s plays it", clean(f.write.out), told,
			clean(f.write.out)))
	}
	if f.slice != "" {
		return f.sliceFile(c, s, podIn(f.slice, in.namespace()))
	}
	return nil
}

// whole writes the recording until ctx ends or it is full, and returns what was written in words.
func (f *recordFlags) whole(
	ctx context.Context, s Streams, in *opened, feed *live.Feed, most int64,
) (told string, err error) {
	p := howFar{language: in.language, feed: feed, began: time.Now()}
	if !f.input.quiet {
		p.to = terminal(s.Err)
	}
	o := live.RecordOptions{MostBytes: most, Part: f.ring, Tell: p.draw}
	if f.ring > 0 {
		r := &ring{name: f.write.out, header: in.header(), options: f.write.options()}
		if p.writer, err = r.next(in.input.Start); err == nil {
			o.Next = func(from time.Time) (*recording.Writer, error) {
				w, err := r.next(from)
				p.writer = w
				return w, err
			}
			err = feed.Record(ctx, p.writer, o)
		}
		if err := errors.Join(err, r.close()); err != nil {
			return "", f.write.wrong(err)
		}
		return p.written(), nil
	}
	err = f.write.to(s, func(to io.Writer) (err error) {
		if p.writer, err = recording.NewWriter(to, in.header(), f.write.options()); err != nil {
			return err
		}
		if err := feed.Record(ctx, p.writer, o); err != nil {
			return err
		}
		return p.writer.Close()
	})
	if err != nil {
		return "", err
	}
	return p.written(), nil
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
	case f.ring < 0:
		return 0, usageError{phrase.Errorf("--ring %s: it must not be negative", f.ring)}
	case f.ring > 0 && (f.write.out == "-" || f.slice != "" || most.Sign() > 0):
		return 0, usageError{phrase.Errorf("--ring: it writes a file anew, which standard output, --slice and --max-size " +
			"do not go with")}
	case f.limit < 0:
		return 0, usageError{phrase.Errorf("--for %s: it must not be negative", f.limit)}
	case err != nil || most.Sign() < 0:
		return 0, usageError{phrase.Errorf("--max-size %q is not a size (try 100Mi)", f.size)}
	}
	return most.Value(), nil
}

// howFar shows the progress of a recording.
type howFar struct {
	language words.Language
	to       *os.File // a terminal; nil: standard error is none
	feed     *live.Feed
	writer   *recording.Writer
	began    time.Time
}

// written is how much has been recorded, in words.
func (p *howFar) written() string {
	l, objects := p.language, len(p.feed.Opening())
	return l.Say("%s, then %s in %s, %s", l.Count(objects, "object"), l.Count(p.feed.Log().Len()-objects, "event"),
		time.Since(p.began).Round(time.Second), l.Count(int(p.writer.Bytes()), "byte"))
}

// draw draws the progress on the terminal.
func (p *howFar) draw(n live.Recorded) {
	if p.to == nil {
		return
	}
	drawOver(p.to, p.language.Say("recording: %s, %s behind (ctrl-c ends it) %s", p.written(),
		n.Lag.Round(time.Millisecond), p.language.Tell(p.feed.State())))
}
