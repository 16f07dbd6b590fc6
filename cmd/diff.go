package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/replay/ask/diff"
	"github.com/schedstep/schedstep/replay/play"
)

// diffOutputs are the forms of a diff.
var diffOutputs = []string{"table", "wide", "json", "yaml", "markdown"}

// diffFlags are the settings of each side.
type diffFlags struct {
	input  inputFlags
	a, b   []string
	output string
	only   []string
	report string
	failOn string
	tui    bool
	screen screenFlags
}

// diffFails are what makes the exit code 3.
var diffFails = []string{"lost", "different", "never"}

func diffCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	f := diffFlags{input: inputFlags{plugins: plugins}}
	c := &cobra.Command{
		Use:   "diff FILE... --a SETTING --b SETTING",
		Short: "Play the same input under two settings, and say which pods end otherwise and why",
		Long: `diff plays FILE to its end twice, under --a and under --b, and prints the pods that end
otherwise: without a node under --b alone (lost), evicted under --b alone (evicted), with a node under
--b alone (gained), evicted under --a alone (spared), with other victims (victims), without a node for
other reasons (message), or on another node (elsewhere). The verdict stands first, then the figures of
both sides. Of many pods of the last two kinds the causes are counted; --only and -o wide list them
all. A SETTING is

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
found by asking B what it would do in the very cluster that A decides in. Of a pod that has a node
under one side alone, the pods are named that are on that node in its place.

The exit code is 3 when a pod is lost or evicted; --fail-on different makes it 3 for any difference.
With --tui the screen opens on the comparison, A played to its end and B on a branch of its own (w), to be
stepped through; the exit code is 0.`,
		Example: `  schedstep diff cluster.json --a kube-version=1.34 --b kube-version=1.37
  schedstep diff cluster.json --b kube-version=1.37 --only lost,evicted
  schedstep diff cluster.json --b kube-version=1.37 --report html > upgrade.html
  schedstep diff cluster.json --b kube-version=1.37 --tui
  schedstep diff cluster.json rollout.yaml --b config=new.yaml
  schedstep diff bundle/ --a weight=ImageLocality=1 --b weight=ImageLocality=5 -o markdown`,
		Args: someFiles,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, s, args) },
	}
	f.input.add(c)
	f.input.addNodes(c)
	c.Flags().StringArrayVar(&f.a, "a", nil, "a `setting` of the one side")
	c.Flags().StringArrayVar(&f.b, "b", nil, "a `setting` of the other side")
	c.Flags().StringVarP(&f.output, "output", "o", "table", "one of "+strings.Join(diffOutputs, ", "))
	c.Flags().StringSliceVar(&f.only, "only", nil, "list the pods that end otherwise in these `ways` alone (lost,gained)")
	c.Flags().StringVar(&f.report, "report", "", "print a page with both sides beside each other: html, markdown")
	c.Flags().StringVar(
		&f.failOn, "fail-on", "lost", "what makes the exit code 3: lost (evicted too), different, or never",
	)
	c.Flags().BoolVar(&f.tui, "tui", false, "show the comparison on the screen, with B on a branch to step through")
	f.screen.addLooks(c)
	offer(c, "output", diffOutputs)
	offer(c, "only", ways())
	offer(c, "report", []string{"html", "markdown"})
	offer(c, "fail-on", diffFails)
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
	case !slices.Contains(diffFails, f.failOn):
		return usageError{phrase.Errorf("--fail-on %q: use lost, different or never", f.failOn)}
	case f.report != "" && f.report != "html" && f.report != "markdown":
		return usageError{phrase.Errorf("--report %q: use html or markdown", f.report)}
	}
	if f.tui {
		if err := cmp.Or(f.checkScreen(), f.screen.check()); err != nil {
			return usageError{err}
		}
	}
	for _, way := range f.only {
		if !slices.Contains(ways(), way) {
			return usageError{phrase.Errorf("--only %q: use some of %s", way, strings.Join(ways(), ", "))}
		}
	}
	return nil
}

// ways are those in which a pod can end otherwise, as words.
func ways() []string {
	var all []string
	for _, what := range diff.Whats() {
		all = append(all, string(what))
	}
	return all
}

// shows reports whether the pods of a way are listed.
func (f *diffFlags) shows(what diff.What) bool {
	return len(f.only) == 0 || slices.Contains(f.only, string(what))
}

// lists reports whether the pods of a way are listed one by one.
func (f *diffFlags) lists(r *diff.Report, what diff.What) bool {
	return f.shows(what) && (len(f.only) > 0 || f.output == "wide" || !r.Folds(what))
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
	return phrase.Errorf("there is no setting %s%s; it is %s", name, spelling.Hint(name, sideSettings),
		strings.Join(sideSettings, ", "))
}

// sideSettings are the settings of a side.
var sideSettings = []string{"kube-version", "config", "gates", "weight"}

// side is the input under these settings.
func (s *settings) side(c *cobra.Command, flag string, said []string, in *opened) (diff.Side, *opened, error) {
	own := *in.input
	own.Notices, own.Refused = nil, nil
	under, err := s.flags.configure(c, &own)
	if err != nil {
		return diff.Side{}, nil, phrase.Errorf("--%s: %w", flag, err)
	}
	run := func(d trace.Detail) *play.Player {
		player := own.Play(under.config, under.seed, d)
		for _, w := range s.weights {
			player.Scheduler().Reweigh(w.plugin, w.n)
		}
		return player
	}
	fresh := run(trace.Summary).Scheduler()
	for _, w := range s.weights {
		if !fresh.Reweigh(w.plugin, w.n) {
			return diff.Side{}, nil, usageError{phrase.Errorf("--%s: no profile scores with %s%s", flag, w.plugin,
				spelling.Hint(w.plugin, fresh.Scorers()))}
		}
	}
	name := cmp.Or(phrase.Verbatim(strings.Join(said, " ")), diff.AsItIs)
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
	if f.tui {
		underA.input.Session = nil // of the sides alone
		f.screen.first = f.beginning()
		return f.screen.show(c, s, underA, underA.sessionOf(a.Play(trace.Reported)))
	}
	if !f.input.quiet {
		underA.tellUnder(s, a.Name)
		underB.tellUnder(s, b.Name)
	}
	report, err := diff.Run(c.Context(), a, b)
	if err != nil {
		return err
	}
	if err := errors.Join(f.print(s.Out, in.input.Title, report, in.language), in.complete()); err != nil {
		return err
	}
	n := report.Of(diff.Lost) + report.Of(diff.Evicted)
	if f.failOn == "different" {
		n = len(report.Differences)
	}
	if n > 0 && f.failOn != "never" {
		return differs{n}
	}
	return nil
}

// tellUnder prints on standard error what is odd about an input under the settings of one side.
func (o *opened) tellUnder(s Streams, side phrase.Text) {
	for _, line := range o.notes() {
		fmt.Fprintln(s.Err, o.language.Say("note: under %s: %s", hear(o.language, side), hear(o.language, line)))
	}
}
