package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/play/compare"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source"
)

// reports are the forms of a report of agreement.
var reports = []string{"table", "json", "yaml", "markdown"}

// differs is the end of a comparison that found a difference.
type differs struct{ decisions int }

// Error counts the decisions.
func (d differs) Error() string { return words.Count(d.decisions, "decision") + " differ" }

// shadowFlags choose for how long the decisions are compared, and what is printed.
type shadowFlags struct {
	input  inputFlags
	limit  time.Duration
	output string
	failOn string
}

func shadowCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	f := shadowFlags{input: inputFlags{plugins: plugins, live: newLiveFlags()}}
	c := &cobra.Command{
		Use:   "shadow [FILE...]",
		Short: "Compare every decision of a cluster's own scheduler with kube-scheduler as it is here",
		Long: `shadow follows the cluster of the current context, or plays a recording of one, and asks of
every decision of its scheduler what would have been decided here on the state just before:
the node of every pod that is bound, the text of every condition and of every event that says
why no node was found, and whether it is time to try a pod again. It ends when it is
interrupted, or when --for is over, and prints a report.

A decision is agreed; tied, when their node is one of several with the highest total;
explained, when their scheduler may have seen fewer nodes, or had not yet seen the last
events; or different, and then the plugin that decides is named. "On time" compares with a
scheduler that ran here by itself as pods came; order and delay may differ there.

-n and -l say which pods' decisions are compared; without them it is those of all namespaces.

Nothing is written to the cluster. The exit code is 3 when a decision is different.`,
		Example: `  schedstep shadow --for 10m -o markdown
  schedstep shadow night.schedstep --config new.yaml`,
		RunE: func(c *cobra.Command, args []string) error { return f.shadow(c, s, args) },
	}
	f.input.add(c)
	f.input.live.add(c)
	f.input.live.addShown(c)
	c.Flags().DurationVar(&f.limit, "for", 0, "stop after this long (10m, 8h); 0: when interrupted")
	c.Flags().StringVarP(&f.output, "output", "o", "table", "one of "+strings.Join(reports, ", "))
	c.Flags().StringVar(&f.failOn, "fail-on", "different", "what makes the exit code 3: different, or never")
	offer(c, "output", reports)
	offer(c, "fail-on", []string{"different", "never"})
	return c
}

func (f *shadowFlags) shadow(c *cobra.Command, s Streams, args []string) error {
	if err := errors.Join(f.check(), f.input.live.check()); err != nil {
		return err
	}
	ctx := c.Context()
	in, log, done, err := f.open(ctx, c, s, args)
	if err != nil {
		return err
	}
	defer done()
	if f.limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, f.limit)
		defer stop()
	}
	in.means, in.shown = f.input.live.meant()
	report := watch(ctx, in, log)
	found := &agreement{in.configurationFrom(), in.config.Gates.Release().Version, in.shown, in.input.Past, report}
	if err := f.print(found, s.Out, in.language); err != nil {
		return err
	}
	if !f.input.quiet {
		in.caution(s)
	}
	if n := report.All().Different; n > 0 && f.failOn == "different" {
		return differs{n}
	}
	return nil
}

func (f *shadowFlags) check() error {
	switch {
	case f.limit < 0:
		return usageError{phrase.Errorf("--for %s: it must not be negative", f.limit)}
	case !slices.Contains(reports, f.output):
		return usageError{phrase.Errorf("-o %q: use one of %s", f.output, strings.Join(reports, ", "))}
	case f.failOn != "different" && f.failOn != "never":
		return usageError{phrase.Errorf("--fail-on %q: use different or never", f.failOn)}
	}
	return nil
}

// open is the log of what happened: that of a recording, or one that follows the cluster.
func (f *shadowFlags) open(
	ctx context.Context, c *cobra.Command, s Streams, args []string,
) (in *opened, log *source.Log, done func(), err error) {
	if len(args) > 0 {
		if in, err = f.input.open(c, s, args); err != nil {
			return nil, nil, nil, err
		}
		if in.input.World != input.Recorded {
			return nil, nil, nil, usageError{phrase.Errorf("%s is not a recording: it holds no decisions", args[0])}
		}
		return in, in.input.Script.Log(), func() {}, nil
	}
	in, feed, err := f.input.follow(ctx, c, s)
	if err != nil {
		return nil, nil, nil, err
	}
	return in, feed.Log(), feed.Stop, nil
}

// watch compares until the log is closed and read, or ctx ends and what had come by then is read.
func watch(ctx context.Context, in *opened, log *source.Log) *compare.Report {
	hindsight := in.hindsight()
	hindsight.Only(in.means)
	onTime, player := compare.NewOnTime(in.means), in.input.Play(in.config, in.seed, trace.Summary)
	defer player.Heed(ctx)()
	for next := 0; ; {
		changed, closed, ended := log.Changed(), log.Closed(), ctx.Err() != nil
		for ctx.Err() == nil {
			step, ok := player.Step()
			if !ok {
				break
			}
			onTime.See(step)
		}
		// The player is never ahead of what is compared, so that it may forget what it has taken.
		for _, t := range log.From(next) {
			hindsight.See(t)
			next++
		}
		if !closed {
			player.Forget()
		}
		if closed || ended {
			break
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
	report := hindsight.Report()
	report.OnTime = onTime.Share()
	return report
}

// hindsight compares the decisions of the cluster's own scheduler by the configuration of the input.
func (o *opened) hindsight() *compare.Hindsight {
	h := compare.NewHindsight(core.Options{
		Profiles: o.config.Profiles, InitialBackoff: o.config.InitialBackoff, MaxBackoff: o.config.MaxBackoff,
		Groups: o.config.Groups, Start: o.input.Start, Seed: o.seed,
	})
	if o.input != nil && o.input.World == input.Recorded {
		h.Know(compare.Limits{Emptier: o.input.Hidden, Lacks: o.input.Lacks, Began: o.input.Began})
	}
	return h
}

// print writes a report in the chosen format.
func (f *shadowFlags) print(r *agreement, out io.Writer, l words.Language) error {
	if f.output == "json" || f.output == "yaml" {
		return writeReport(out, r, f.output)
	}
	return printAgreement(out, r, f.output == "markdown", l)
}

// agreement is a report, and in a shadow what was compared with.
type agreement struct {
	Configuration phrase.Text `json:"configuration,omitempty"` // where it was found
	Release       string      `json:"release,omitempty"`       // of the kube-scheduler that decides here
	Pods          string      `json:"pods,omitempty"`          // the flags that chose the pods to compare; "": all pods
	Past          *input.Past `json:"past,omitempty"`          // how complete a past is that was rebuilt of logs
	*compare.Report
}

// agreementPage is an agreement, as the JSON of the contract.
type agreementPage struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"` // Agreement
	*agreement
}

// writeReport writes a report as data.
func writeReport(out io.Writer, r *agreement, format string) error {
	return writeData(out, agreementPage{"schedstep.dev/v1", "Agreement", r}, format)
}

// printAgreement writes the counts as a table, and below it every decision but those that are tied.
func printAgreement(out io.Writer, r *agreement, asMarkdown bool, l words.Language) error {
	var b strings.Builder
	writeCounts(&b, r, asMarkdown, l)
	b.WriteString("\n" + l.Say("compared with kube-scheduler %s; configuration: %s", r.Release, hear(l, r.Configuration)))
	if r.Pods != "" {
		b.WriteString("\n" + l.Say("compared are only the pods of %s", r.Pods))
	}
	b.WriteString("\n" + l.Say("in hindsight: %d of them once the binds are in the order of decision", r.Reordered))
	b.WriteString("\n" + l.Say("on time: %d of %d pods on the same node (%s)", r.OnTime.Same, r.OnTime.Of,
		compare.Percent(r.OnTime.Same, r.OnTime.Of)) + "\n")
	if r.Forgotten > 0 {
		b.WriteString(l.Say("counted and no longer listed: the %s made first", l.Count(r.Forgotten, "decision")) + "\n")
	}
	for _, d := range r.Decisions {
		if d.Verdict == compare.Tied || d.Verdict == compare.Agreed {
			continue
		}
		b.WriteString("\n" + l.Say("%s: %s of %s at %s: %s\n  theirs: %s\n  ours:   %s", word(l, string(d.Verdict)),
			word(l, d.What), clean(d.Pod), words.Clock(d.At), hear(l, d.Why), hear(l, d.Said()), hear(l, d.Ours)) + "\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// leastCount is how wide a column of counts is at the least.
const leastCount = 7

// writeCounts writes a row for each kind of decision: how many are agreed, tied, explained and different.
func writeCounts(b *strings.Builder, r *agreement, asMarkdown bool, l words.Language) {
	heads := []string{l.Of("AGREED"), l.Of("TIED"), l.Of("EXPLAINED"), l.Of("DIFFERENT")}
	write := func(name string, counts []string, share string) {
		fmt.Fprintf(b, "%s ", name+strings.Repeat(" ", max(0, len("messages ")-ansi.StringWidth(name))))
		for i, n := range counts {
			width := max(leastCount, ansi.StringWidth(heads[i]))
			b.WriteString(strings.Repeat(" ", width-ansi.StringWidth(n)) + n + "  ")
		}
		b.WriteString(share + "\n")
	}
	if asMarkdown {
		write = func(name string, counts []string, share string) {
			fmt.Fprintf(b, "| %s |\n", strings.Join(slices.Concat([]string{name}, counts, []string{share}), " | "))
		}
		lower := make([]string, len(heads))
		for i, head := range heads {
			lower[i] = strings.ToLower(head)
		}
		fmt.Fprintf(b, "| | %s | %s |\n", strings.Join(lower, " | "), strings.ToLower(l.Of("AGREED OR TIED")))
		b.WriteString("| --- | --- | --- | --- | --- | --- |\n")
	} else {
		write("", heads, l.Of("AGREED OR TIED"))
	}
	for _, t := range []struct {
		name  string
		tally compare.Tally
	}{{"hosts", r.Hosts}, {"messages", r.Messages}, {"events", r.Events}, {"retries", r.Retries}} {
		write(word(l, t.name), []string{
			strconv.Itoa(t.tally.Agreed), strconv.Itoa(t.tally.Tied), strconv.Itoa(t.tally.Explained),
			strconv.Itoa(t.tally.Different),
		}, t.tally.Percent())
	}
}
