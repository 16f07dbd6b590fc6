package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/builder"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/ask/bisect"
	"github.com/schedstep/schedstep/replay/play"
)

// pluginOutputs are the forms of what plugins prints.
var pluginOutputs = []string{"table", "json"}

// pluginsFlags choose what is played twice.
type pluginsFlags struct {
	input  inputFlags
	output string
}

// pluginsCommand is shown by programs that have plugins of their own.
func pluginsCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	f := pluginsFlags{input: inputFlags{plugins: plugins}}
	c := &cobra.Command{
		Use:   "plugins [FILE...]",
		Short: "List the plugins that were built in, or play FILE twice to find those that leave something to chance",
		Long: `plugins lists the plugins that this schedstep has besides kube-scheduler's, with their extension points.

With FILE it plays FILE to its end twice, and names the plugin and the call in which the two plays
differ: a map, a random number or a clock of its own decided. The exit code is 3 then.`,
		Hidden: len(plugins) == 0,
		RunE:   func(c *cobra.Command, args []string) error { return f.run(c, s, args) },
	}
	f.input.add(c)
	c.Flags().StringVarP(&f.output, "output", "o", "table", "one of "+strings.Join(pluginOutputs, ", "))
	offer(c, "output", pluginOutputs)
	return c
}

func (f *pluginsFlags) run(c *cobra.Command, s Streams, args []string) error {
	if !slices.Contains(pluginOutputs, f.output) {
		return usageError{phrase.Errorf("-o %q: use one of %s", f.output, strings.Join(pluginOutputs, ", "))}
	}
	if len(args) == 0 {
		return f.list(s)
	}
	in, err := f.input.openToPlay(c, s, args)
	if err != nil {
		return err
	}
	found, err := twice(c.Context(), in)
	if err != nil {
		return err
	}
	if f.output == "json" {
		err = writeData(s.Out, found, f.output)
	} else {
		_, err = fmt.Fprintln(s.Out, clean(in.language.Tell(found.sentence())))
	}
	if err == nil && found.differ {
		return differs{1}
	}
	return err
}

// list prints the plugins.
func (f *pluginsFlags) list(s Streams) error {
	all := make([]builder.Registered, len(f.input.plugins))
	for i := range f.input.plugins {
		p := &f.input.plugins[i]
		all[i].Name = p.Name()
		points, err := p.Meet()
		if err != nil {
			all[i].Wrong = err.Error()
		}
		for _, point := range points {
			all[i].Points = append(all[i].Points, string(point))
		}
	}
	if f.output == "json" {
		return writeData(s.Out, all, f.output)
	}
	rows := aligned{out: s.Out}
	for _, r := range all {
		rows.add(clean(r.Name), clean(strings.Join(r.Points, ", ")+r.Wrong))
	}
	return rows.flush()
}

// parted is where two plays of one input differ. The zero value: nowhere.
type parted struct {
	Cycles int64  `json:"cycles"` // that were the same
	Plugin string `json:"plugin,omitempty"`
	Point  string `json:"point,omitempty"`
	Pod    string `json:"pod,omitempty"`
	At     string `json:"at,omitempty"`
	First  string `json:"first,omitempty"` // the facts that differ, where no call of a plugin does
	Second string `json:"second,omitempty"`

	differ bool
}

// twice plays an input twice, side by side, until the two differ.
func twice(ctx context.Context, in *opened) (parted, error) {
	a, b := in.input.Play(in.config, in.seed, trace.Reported), in.input.Play(in.config, in.seed, trace.Reported)
	defer a.Heed(ctx)()
	defer b.Heed(ctx)()
	for steps := 0; ; steps++ {
		if steps%256 == 0 && ctx.Err() != nil {
			return parted{}, ctx.Err()
		}
		first, more := a.Step()
		second, also := b.Step()
		was, is := bisect.FirstDifference(first.Facts, second.Facts)
		if more != also || was != nil || is != nil {
			found := parted{Cycles: a.Cycles() - 1, differ: true}
			if !found.blame(a, b) {
				found.First, found.Second = text(was), text(is)
			}
			return found, nil
		}
		if !more {
			found := parted{Cycles: a.Cycles()}
			found.blame(a, b)
			return found, nil
		}
	}
}

// blame finds the call of a plugin that was answered otherwise; false: there is none.
func (p *parted) blame(a, b *play.Player) bool {
	ours, theirs := a.Schedulers(), b.Schedulers()
	for i := range min(len(ours), len(theirs)) {
		if at, is := ours[i].GuestsPart(theirs[i]); is {
			p.differ, p.Plugin, p.Point, p.Pod = true, at.Plugin, string(at.Point), at.Pod
			p.At = at.At.UTC().Format(time.RFC3339Nano)
			return true
		}
	}
	return false
}

func (p parted) sentence() phrase.Phrase {
	switch {
	case !p.differ:
		return phrase.New("two plays are the same: %d cycles", p.Cycles)
	case p.Plugin != "":
		return phrase.New("two plays differ: plugin %s answered otherwise at %s about pod %s, at %s, after %d cycles "+
			"that are the same: a map, a random number or a clock of its own decides there",
			p.Plugin, p.Point, p.Pod, p.At, p.Cycles)
	}
	return phrase.New("two plays differ after %d cycles that are the same, and no call of a plugin explains it: %q, "+
		"and then %q", p.Cycles, p.First, p.Second)
}
