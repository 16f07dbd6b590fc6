package cmd

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// convertFlags choose what goes into a recording.
type convertFlags struct {
	input  inputFlags
	target writeFlags
	force  bool
	title  string
	story  string
	slice  string // the pod to keep the events of; "": every pod
}

func convertCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	f := convertFlags{input: inputFlags{plugins: plugins}}
	c := &cobra.Command{
		Use:   "convert IN... -o OUT",
		Short: "Turn any input into a recording",
		Long: `convert writes what it reads as one recording: zstd-compressed JSON Lines, or plain JSON
Lines when OUT ends in .jsonl. Values that may be private (environment, commands,
annotations, addresses) are redacted; nothing that decides where a pod goes is. When the
configuration names extenders, the input is played once and their answers are recorded.

--slice POD leaves out whatever can be left out while POD goes through the same cycles with
the same verdicts, scores and message: the smallest recording to send with a question.`,
		Example: `  schedstep convert bundle/ -o bundle.schedstep
  schedstep convert nodes.yaml pods.yaml -o - | schedstep run -
  schedstep convert night.schedstep -o question.schedstep --slice shop/web-7`,
		Args: someFiles,
		RunE: func(c *cobra.Command, args []string) error { return f.convert(c, s, args) },
	}
	f.input.add(c)
	f.input.addPeriod(c)
	f.target.add(c)
	c.Flags().BoolVar(&f.force, "force", false, "write over OUT if it is there already")
	addSlice(c, &f.slice)
	c.Flags().StringVar(&f.title, "title", "", "the recording's title; without it the input's")
	c.Flags().StringVar(&f.story, "story", "", "what the recording shows, in a few sentences")
	return c
}

func (f *convertFlags) convert(c *cobra.Command, s Streams, args []string) error {
	if err := f.target.check(c, "OUT"); err != nil {
		return err
	}
	if err := spare(f.target.out, f.force); err != nil {
		return err
	}
	f.input.whole, f.input.packed = f.target.verbatim, f.slice == "" && f.input.config == ""
	defer collectBelow(mostOfConvert)()
	in, err := f.input.open(c, s, args)
	if err != nil {
		return err
	}
	if f.slice != "" {
		if err := in.slice(c.Context(), s, f.slice, f.input.quiet); err != nil {
			return err
		}
	}
	if n := unrecorded(in); n > 0 && !f.input.quiet {
		l := in.language
		fmt.Fprintln(s.Err, l.Say("note: left out: %s about what is held (a recording has events only)",
			l.Count(n, "command")))
	}
	if err := f.writeTo(c.Context(), in, s); err != nil {
		return err
	}
	return in.complete()
}

// writeTo writes the recording, and prints the size of the file.
func (f *convertFlags) writeTo(ctx context.Context, in *opened, s Streams) error {
	if f.target.out == "-" {
		return f.write(ctx, in, s.Out)
	}
	if err := save(f.target.out, func(to io.Writer) error { return f.write(ctx, in, to) }); err != nil {
		return err
	}
	info, err := os.Stat(f.target.out)
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	if !f.input.quiet {
		events := in.input.Len() - unrecorded(in)
		l := in.language
		fmt.Fprintln(s.Err, l.Say("%s: %s, %s", clean(f.target.out), l.Count(events, "event"),
			l.Count(int(info.Size()), "byte")))
	}
	return nil
}

// unrecorded counts the lines of a scenario about bindings and evictions to hold back: a recording has events only, and
// its world holds nothing back.
func unrecorded(in *opened) int {
	n := 0
	if in.input.Past != nil {
		return 0
	}
	for _, t := range in.input.All() {
		if t.Event.Object == nil {
			n++
		}
	}
	return n
}

func (f *convertFlags) write(ctx context.Context, in *opened, to io.Writer) error {
	buffered := bufio.NewWriter(to)
	w, err := recording.NewWriter(buffered, f.header(in), f.target.options())
	if err != nil {
		return err
	}
	if err := in.writeEvents(ctx, w); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return buffered.Flush()
}

// writeEvents writes the events of the input, and what extenders answer.
func (o *opened) writeEvents(ctx context.Context, w *recording.Writer) error {
	err := w.WriteAll(ctx, func(yield func(time.Time, cluster.Event) bool) {
		for t := range o.input.Each() {
			if t.Event.Object != nil && !yield(t.At, t.Event) { // unrecorded counts those without one
				return
			}
		}
	})
	if err != nil {
		return err
	}
	return answers(ctx, o, w)
}

// answers plays the input once when its configuration has extenders, so that what they answer is recorded too.
func answers(ctx context.Context, in *opened, w *recording.Writer) error {
	if in.journal == nil {
		return nil
	}
	player := in.input.Play(in.config, in.seed, trace.Summary)
	for ok := true; ok; _, ok = player.Step() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	for _, e := range in.journal.Entries() {
		text, err := json.Marshal(e)
		if err != nil {
			return phrase.Errorf("answer of extender %s: %w", e.Extender, err)
		}
		if err := w.Answer(text); err != nil {
			return err
		}
	}
	return nil
}

func (f *convertFlags) header(in *opened) recording.Header {
	h := in.header()
	if f.title != "" {
		h.Title = f.title
	}
	if f.story != "" {
		h.Story = f.story
	}
	return h
}

// header is the first line of a recording of the input.
func (o *opened) header() recording.Header {
	h := recording.Header{
		Title: o.input.Title, Story: o.input.Story, Start: o.input.Start, World: recording.World(o.input.World), Seed: o.seed,
		Config: string(o.text), Release: o.config.Gates.Release().Version,
		FeatureGates: o.config.Gates.String(), Until: o.input.Until, Percentage: o.input.Percentage,
		Kubelets: o.input.Kubelets,
	}
	for _, s := range o.input.Schedulers {
		h.Schedulers = append(h.Schedulers, recording.Scheduler(s))
	}
	for _, kind := range cluster.Kinds() {
		if o.input.Lacks(kind) {
			h.Missing = append(h.Missing, kind)
		} else {
			h.Kinds = append(h.Kinds, kind)
		}
	}
	return h
}
