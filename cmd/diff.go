package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay"
	"github.com/schedstep/schedstep/replay/diff"
	"github.com/schedstep/schedstep/replay/prose"
)

// diffOutputs are the forms of a diff.
var diffOutputs = []string{"table", "wide", "json", "yaml", "markdown"}

// diffFlags are the settings of each side.
type diffFlags struct {
	input  inputFlags
	a, b   []string
	output string
	failOn string
}

func diffCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	f := diffFlags{input: inputFlags{plugins: plugins}}
	c := &cobra.Command{
		Use:   "diff FILE... --a SETTING --b SETTING",
		Short: "Play the same input under two settings, and say which pods end otherwise and why",
		Long: `diff plays FILE to its end twice, under --a and under --b, and prints the pods that end
otherwise: on another node, on a node under one side alone, evicted under one side alone, with
other victims, or without a node for other reasons. A SETTING is

  kube-version=1.36     the release of kube-scheduler that decides
  config=FILE           a KubeSchedulerConfiguration
  gates=NAME=true,...   feature gates
  weight=PLUGIN=N       what a score plugin counts for

Each may be given several times, and the flags for all commands hold on both sides. A side without
a setting is the input as run would play it.

For each pod the first cause is named: a plugin that rejects a node (filter) or scores it otherwise
(score), or keeps the pod out of activeQ (gate), a tie that is broken otherwise (tie), other nodes that
were looked at (search), other victims (preemption), the same in other words (words), or that both
decide the same in the same cluster, and other pods were elsewhere before (order). The cause is
found by asking B what it would do in the very cluster that A decides in.

The exit code is 3 when something differs.`,
		Example: `  schedstep diff cluster.json --a kube-version=1.34 --b kube-version=1.37
  schedstep diff cluster.json rollout.yaml --b config=new.yaml
  schedstep diff bundle/ --a weight=ImageLocality=1 --b weight=ImageLocality=5 -o markdown`,
		Args: someFiles,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, s, args) },
	}
	f.input.add(c)
	c.Flags().StringArrayVar(&f.a, "a", nil, "a `setting` of the one side")
	c.Flags().StringArrayVar(&f.b, "b", nil, "a `setting` of the other side")
	c.Flags().StringVarP(&f.output, "output", "o", "table", "one of "+strings.Join(diffOutputs, ", "))
	c.Flags().StringVar(&f.failOn, "fail-on", "different", "what makes the exit code 3: different, or never")
	offer(c, "output", diffOutputs)
	offer(c, "fail-on", []string{"different", "never"})
	for _, side := range []string{"a", "b"} {
		offer(c, side, []string{"kube-version=", "config=", "gates=", "weight="})
	}
	return c
}

func (f *diffFlags) check() error {
	switch {
	case len(f.a)+len(f.b) == 0:
		return usageError{phrase.Errorf("diff needs --a or --b (such as --a kube-version=1.36 --b kube-version=1.37)")}
	case !slices.Contains(diffOutputs, f.output):
		return usageError{phrase.Errorf("-o %q: use one of %s", f.output, strings.Join(diffOutputs, ", "))}
	case f.failOn != "different" && f.failOn != "never":
		return usageError{phrase.Errorf("--fail-on %q: use different or never", f.failOn)}
	}
	return nil
}

// settings is one side as the user wants it.
type settings struct {
	flags   inputFlags
	weights []weight
}

// weight is what a score plugin is to count for.
type weight struct {
	plugin string
	n      int64
}

// set reads the settings of one side.
func (f *diffFlags) set(flag string, said []string) (settings, error) {
	s := settings{flags: f.input}
	for _, text := range said {
		if err := s.set(text); err != nil {
			return s, usageError{phrase.Errorf("--%s %s: %w", flag, text, err)}
		}
	}
	return s, nil
}

func (s *settings) set(text string) error {
	name, value, _ := strings.Cut(text, "=")
	if value == "" {
		return phrase.Errorf("it is kube-version=1.36, config=FILE, gates=NAME=true,... or weight=PLUGIN=N")
	}
	switch name {
	case "kube-version":
		s.flags.version, s.flags.given = value, append(slices.Clip(s.flags.given), "kube-version")
		return hasRelease(value)
	case "config":
		s.flags.config = value
		return nil
	case "gates":
		s.flags.gates, s.flags.given = value, append(slices.Clip(s.flags.given), "feature-gates")
		return nil
	case "weight":
		plugin, number, _ := strings.Cut(value, "=")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 1 {
			return phrase.Errorf("a weight is PLUGIN=N, and N is 1 or more")
		}
		s.weights = append(s.weights, weight{plugin, n})
		return nil
	}
	return phrase.Errorf("there is no setting %s; it is kube-version, config, gates or weight", name)
}

// asItIs is the name of a side without a setting.
const asItIs = "as it is"

// side is the input under these settings.
func (s *settings) side(c *cobra.Command, flag string, said []string, in *opened) (diff.Side, *opened, error) {
	own := *in.Input
	own.Notices, own.Refused = nil, nil
	under, err := s.flags.configure(c, &own)
	if err != nil {
		return diff.Side{}, nil, phrase.Errorf("--%s: %w", flag, err)
	}
	run := func(d trace.Detail) *replay.Player {
		player := own.Play(under.config, under.seed, d)
		for _, w := range s.weights {
			player.Scheduler().Reweigh(w.plugin, w.n)
		}
		return player
	}
	fresh := run(trace.Summary).Scheduler()
	for _, w := range s.weights {
		if !fresh.Reweigh(w.plugin, w.n) {
			return diff.Side{}, nil, usageError{phrase.Errorf("--%s: no profile scores with %s", flag, w.plugin)}
		}
	}
	name := cmp.Or(strings.Join(said, " "), asItIs)
	return diff.Side{Name: name, Play: run}, under, nil
}

func (f *diffFlags) run(c *cobra.Command, s Streams, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	setA, errA := f.set("a", f.a)
	setB, errB := f.set("b", f.b)
	if err := cmp.Or(errA, errB); err != nil {
		return err
	}
	in, err := f.input.open(c, s, args)
	if err != nil {
		return err
	}
	a, underA, err := setA.side(c, "a", f.a, in)
	if err != nil {
		return err
	}
	b, underB, err := setB.side(c, "b", f.b, in)
	if err != nil {
		return err
	}
	if !f.input.quiet {
		underA.tellUnder(s, a.Name)
		underB.tellUnder(s, b.Name)
	}
	report, err := diff.Run(c.Context(), a, b)
	if err != nil {
		return err
	}
	if err := errors.Join(f.print(s.Out, report, in.language), in.complete()); err != nil {
		return err
	}
	if n := len(report.Differences); n > 0 && f.failOn != "never" {
		return differs{n}
	}
	return nil
}

// tellUnder prints on standard error what is odd about an input under the settings of one side.
func (o *opened) tellUnder(s Streams, side string) {
	for _, line := range o.notes() {
		fmt.Fprintln(s.Err, o.language.Say("note: under %s: %s", hear(o.language, side), hear(o.language, line)))
	}
}

func (f *diffFlags) print(out io.Writer, r *diff.Report, l words.Language) error {
	if f.output == "json" || f.output == "yaml" {
		return writeData(out, r, f.output)
	}
	pods, causes := aligned{out: out}, aligned{out: out}
	pods.add(head(f.output, r, l)...)
	for i := range r.Differences {
		pods.add(cells(f.output, &r.Differences[i], l)...)
	}
	causes.add(l.Each("PODS", "CAUSE", "PLUGIN")...)
	for _, c := range r.Causes {
		causes.add(strconv.Itoa(c.Pods), word(l, string(c.Kind)), orDash(c.Plugin))
	}
	if len(r.Differences) > 0 {
		if err := tables(out, f.output, &pods, &causes); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(out, clean(prose.DiffSum(l, r)))
	return err
}

// tables writes the pods, and below them the causes.
func tables(out io.Writer, format string, all ...*aligned) error {
	for _, rows := range all {
		write := rows.flush
		if format == "markdown" {
			write = func() error { return asMarkdown(out, rows.rows) }
		}
		if err := write(); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out); err != nil {
			return err
		}
	}
	return nil
}

func head(format string, r *diff.Report, l words.Language) []string {
	columns := append(l.Each("POD", "WHAT"), "A: "+hear(l, r.A), "B: "+hear(l, r.B))
	columns = append(columns, l.Each("CAUSE", "PLUGIN")...)
	if format == "wide" {
		columns = append(columns, l.Each("A SAYS", "B SAYS")...)
	}
	return append(columns, l.Of("WHY"))
}

func cells(format string, d *diff.Difference, l words.Language) []string {
	row := []string{
		clean(d.Pod), word(l, string(d.What)), clean(prose.Became(l, &d.A)), clean(prose.Became(l, &d.B)),
		word(l, string(d.Cause.Kind)), orDash(d.Cause.Plugin),
	}
	if format == "wide" {
		row = append(row, orDash(d.A.Message), orDash(d.B.Message))
	}
	return append(row, hear(l, d.Cause.Text))
}
