package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/replay/ask/diff"
	"github.com/schedstep/schedstep/replay/ask/reduce"
	"github.com/schedstep/schedstep/replay/ask/report"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// mostReductions is how many smaller inputs reduce tries.
const mostReductions = 20_000

// reduceFlags are the claim, and how what is left is written.
type reduceFlags struct {
	input         inputFlags
	claim         string
	unschedulable string
	expect        string
	differs       string
	a, b          []string
	output        string
}

func reduceCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	f := reduceFlags{input: inputFlags{plugins: plugins}}
	c := &cobra.Command{
		Use:   "reduce FILE... --claim CLAIM",
		Short: "Make an input as small as it can be while it still shows a claim",
		Long: `reduce leaves out objects, events, fields and moments of FILE, one after the other, as long as
the rest shows the claim, and prints what is left: nothing of it can be left out any more. What the
API requires of an object stays. A CLAIM is

  pod NAME is STATE     placed, unschedulable or preempting (for the same plugins), waiting, error, untried
  pod NAME is on NODE
  pod NAME says TEXT    the message of its last cycle has this text in it

--unschedulable POD is the claim that the pod is so. --expect takes an expression as run does; it has
to be true. --a and --b take settings as diff does: what is left ends otherwise under one than under
the other, for the first pod that does so in FILE, in the same way and for the same cause.
--differs 1.35..1.36 does that with two releases.

-o scenario is a file for schedstep and for its issues, -o yaml manifests, -o go a Go test for
pkg/scheduler of kubernetes/kubernetes, -o perf a case of its scheduler_perf (an archive in the
format of txtar), -o recording JSON Lines, in which objects keep their fields. A scenario and
manifests are read again before they are printed, and have to show the claim then too. Values that
may be private are redacted, as convert redacts them. What selects devices stays too: without it,
chance decides which one is taken.

The same input and claim give the same result. q, esc and ctrl-c print what was reached by then.`,
		Example: `  schedstep reduce cluster.json --claim 'pod web-4 is unschedulable'
  schedstep reduce story.txt --differs 1.35..1.36 -o go > reduced_test.go
  schedstep reduce night.schedstep --expect 'preemptions > 0' -o yaml`,
		Args: someFiles,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, s, args) },
	}
	f.input.add(c)
	c.Flags().StringVar(&f.claim, "claim", "", "a sentence about a `pod` that has to stay true")
	c.Flags().StringVar(&f.unschedulable, "unschedulable", "", "the `pod` that has to stay unschedulable")
	c.Flags().StringVar(&f.expect, "expect", "", "an `expression` over the figures of a run that has to stay true")
	c.Flags().StringVar(&f.differs, "differs", "", "two `releases` under which a pod has to end otherwise (1.35..1.36)")
	c.Flags().StringArrayVar(&f.a, "a", nil, "a `setting` of the one side that has to differ")
	c.Flags().StringArrayVar(&f.b, "b", nil, "a `setting` of the other side")
	c.Flags().StringVarP(&f.output, "output", "o", "scenario", "one of "+strings.Join(reduce.Forms(), ", "))
	offer(c, "output", reduce.Forms())
	for _, side := range []string{"a", "b"} {
		offer(c, side, []string{"kube-version=", "config=", "gates=", "weight="})
	}
	return c
}

// check finds what is wrong with the flags, and makes --claim of --unschedulable, and --a and --b of --differs.
func (f *reduceFlags) check() error {
	given := 0
	for _, is := range []bool{
		f.claim != "", f.unschedulable != "", f.expect != "", f.differs != "", len(f.a)+len(f.b) > 0,
	} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return usageError{phrase.Errorf("reduce needs one of --claim, --unschedulable, --expect, --differs, " +
			"or --a with --b: what has to stay true")}
	case !slices.Contains(reduce.Forms(), f.output):
		return usageError{phrase.Errorf("-o %q: use one of %s", f.output, strings.Join(reduce.Forms(), ", "))}
	case f.unschedulable != "":
		f.claim = "pod " + f.unschedulable + " is unschedulable"
	case f.differs != "":
		a, b, two := strings.Cut(f.differs, "..")
		if !two {
			return usageError{phrase.Errorf("--differs %q: write two releases, such as 1.35..1.36", f.differs)}
		}
		f.a, f.b = []string{"kube-version=" + a}, []string{"kube-version=" + b}
	}
	return nil
}

func (f *reduceFlags) run(c *cobra.Command, s Streams, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	in, err := f.input.open(c, s, args)
	if err != nil {
		return err
	}
	if in.journal != nil {
		return usageError{phrase.Errorf(
			"reduce: what the extenders of the configuration answer depends on all they are asked")}
	}
	claim, err := f.claimOf(c, in)
	if err != nil {
		return err
	}
	found, err := f.search(c.Context(), s, in, claim)
	switch {
	case errors.Is(err, reduce.ErrNotShown):
		hint := phrase.Phrase{}
		if pods := in.podsToPlace(); !slices.Contains(pods, claim.pod) {
			hint = spelling.HintName(claim.pod, pods)
		}
		return usageError{phrase.Errorf("reduce: %s: the input does not show it as it is%s", claim.said, hint)}
	case errors.Is(err, reduce.ErrNotWritten):
		return phrase.Errorf("-o %s: what is left does not show the claim once it is written so and read again "+
			"(-o recording keeps all)", f.output)
	case err != nil:
		return phrase.Errorf("reduce: %w", err)
	}
	if err := f.fallBack(context.WithoutCancel(c.Context()), s, in, claim, found); err != nil {
		return err
	}
	if err := f.print(c, s, in, claim, found); err != nil {
		return err
	}
	if found.Stopped {
		return context.Canceled
	}
	return in.complete()
}

// stated is what has to stay true.
type stated struct {
	said  phrase.Text
	pod   string // that it is about; "": none in particular
	holds func(context.Context, *opened) (bool, error)
	// under is an input with the settings that a test of kubernetes/kubernetes is written for; nil: it has them.
	under func(*opened) (*opened, diff.Side, error)
}

// endsOf are the ends of a run.
func endsOf(ctx context.Context, o *opened) (map[string]reduce.End, error) {
	return reduce.Ends(ctx, o.input.Play(o.config, o.seed, trace.Summary))
}

func (f *reduceFlags) claimOf(c *cobra.Command, in *opened) (*stated, error) {
	switch {
	case f.claim != "":
		claim, err := reduce.ParseClaim(f.claim)
		if err != nil {
			return nil, usageError{phrase.Errorf("--claim: %w", err)}
		}
		ends, err := endsOf(c.Context(), in)
		if err != nil {
			return nil, err
		}
		claim = claim.Like(ends[claim.Pod])
		holds := func(ctx context.Context, o *opened) (bool, error) {
			return claim.Holds(ctx, o.input.Play(o.config, o.seed, trace.Summary))
		}
		return &stated{said: phrase.Verbatim(claim.String()), pod: claim.Pod, holds: holds}, nil
	case f.expect != "":
		e, err := report.Expect(f.expect)
		if err != nil {
			return nil, usageError{phrase.Errorf("--expect %w", err)}
		}
		return &stated{said: phrase.Verbatim(f.expect), holds: func(ctx context.Context, o *opened) (bool, error) {
			return expected(ctx, o, e)
		}}, nil
	}
	return f.differing(c, in)
}

// expected plays to the end and evaluates an expression over the figures of the run.
func expected(ctx context.Context, o *opened, e *report.Expectation) (bool, error) {
	collector, player := report.New(""), o.input.Play(o.config, o.seed, trace.Summary)
	err := diff.Steps(ctx, diff.Side{}, player, func(step play.Step) { collector.See(step, player.Scheduler()) })
	if err != nil {
		return false, err
	}
	r := collector.Report(player.Scheduler())
	return e.Holds(&r)
}

// sides are the two settings of --a and --b.
type sides struct {
	c     *cobra.Command
	flags *reduceFlags
	a, b  settings
}

// both are the sides over an input; under is it with the settings of the second.
func (s *sides) both(o *opened) (a, b diff.Side, under *opened, err error) {
	if a, _, err = s.a.side(s.c, "a", s.flags.a, o); err != nil {
		return a, b, nil, err
	}
	b, under, err = s.b.side(s.c, "b", s.flags.b, o)
	return a, b, under, err
}

func (s *sides) compared(ctx context.Context, o *opened) (*diff.Report, error) {
	a, b, _, err := s.both(o)
	if err != nil {
		return nil, err
	}
	return diff.Run(ctx, a, b)
}

// areSure reports whether on neither side another node was as good as that of a pod.
func (s *sides) areSure(ctx context.Context, o *opened, pod string) (bool, error) {
	a, b, _, err := s.both(o)
	if err != nil {
		return false, err
	}
	for _, side := range []diff.Side{a, b} {
		ends, err := reduce.Ends(ctx, side.Play(trace.Summary))
		if end := ends[pod]; err != nil || end.Outcome == trace.Scheduled && !end.Sure {
			return false, err
		}
	}
	return true, nil
}

// differing is the claim that the first pod that ends otherwise under --b than under --a does so in the same way, for
// the same cause, and where kube-scheduler left nothing to chance about it, still does not.
func (f *reduceFlags) differing(c *cobra.Command, in *opened) (*stated, error) {
	flags := diffFlags{input: f.input}
	setA, errA := flags.set("a", f.a)
	setB, errB := flags.set("b", f.b)
	if err := errors.Join(errA, errB); err != nil {
		return nil, err
	}
	two := &sides{c, f, setA, setB}
	whole, err := two.compared(c.Context(), in)
	if err != nil {
		return nil, err
	}
	if len(whole.Differences) == 0 {
		return nil, usageError{phrase.Errorf("reduce: no pod ends otherwise under %s than under %s", whole.B, whole.A)}
	}
	first := whole.Differences[0]
	sure, err := two.areSure(c.Context(), in, first.Pod)
	if err != nil {
		return nil, err
	}
	return &stated{
		said: phrase.Textf("pod %s ends otherwise under %s than under %s (%s)", first.Pod, whole.B, whole.A,
			string(first.What)),
		pod: first.Pod,
		holds: func(ctx context.Context, o *opened) (bool, error) {
			r, err := two.compared(ctx, o)
			if err != nil || !slices.ContainsFunc(r.Differences, func(d diff.Difference) bool {
				return d.Pod == first.Pod && d.What == first.What && d.Cause.Kind == first.Cause.Kind &&
					d.Cause.Plugin == first.Cause.Plugin
			}) {
				return false, err
			}
			if sure {
				return two.areSure(ctx, o, first.Pod)
			}
			return true, nil
		},
		under: func(o *opened) (*opened, diff.Side, error) {
			_, b, under, err := two.both(o)
			return under, b, err
		},
	}, nil
}

// search reduces the input: with the script as it is for objects and events, and written and read again for fields.
func (f *reduceFlags) search(ctx context.Context, s Streams, in *opened, claim *stated) (*reduce.Reduced, error) {
	keys := newQuitKeys(ctx, s)
	defer keys.stop()
	keys.listen()
	script := slices.Clone(in.input.Script)
	redactor := recording.NewRedactor()
	for i := range script {
		if script[i].Event.Object != nil {
			script[i].Event.Object = redactor.Redact(script[i].Event.Object)
		}
	}
	search := reduce.Search{
		Most: mostReductions, Whole: f.output == "recording", // what reads one fills in no defaults
		Holds: func(ctx context.Context, script source.Script) (bool, error) {
			return claim.holds(ctx, in.of(in.only(script)))
		},
		Keeps: func(kind cluster.Kind, key string) bool { return kind == cluster.KindPod && key == claim.pod },
	}
	if f.output != "recording" {
		search.Fields = func(ctx context.Context, script source.Script) (bool, error) {
			again, err := in.setting().Again(ctx, reduce.Form(f.output), in.only(script))
			if err != nil {
				return false, nil //nolint:nilerr // what cannot be written or read shows nothing
			}
			return claim.holds(ctx, in.of(again))
		}
	}
	if to := terminal(s.Err); to != nil && !f.input.quiet {
		var drawn time.Time
		search.Tell = func(p reduce.Progress) {
			now := time.Now()
			if now.Sub(drawn) < drawEach {
				return
			}
			l := in.language
			drawn = now
			drawOver(to, l.Say("reducing: %d of %s left, played %s", p.Events, l.Count(p.Of, "event"), l.Count(p.Plays, "time")))
		}
		defer fmt.Fprint(to, clearLine)
	}
	return search.Find(keys.until, script)
}

// setting is what the input is played under.
func (o *opened) setting() reduce.Setting { return reduce.Setting{Config: o.config, Text: o.text} }

// of is another input under the same configuration.
func (o *opened) of(in *input.Input) *opened {
	other := *o
	other.input = in
	return &other
}

// fallBack has what is left of a search that ended early written as a recording, where it does not show the claim once
// it is written in the form that is wanted and read again: manifests have no time, and what is left may have.
func (f *reduceFlags) fallBack(ctx context.Context, s Streams, in *opened, claim *stated, found *reduce.Reduced) error {
	if !found.Interrupted || found.Written || reduce.Form(f.output) == reduce.AsRecording {
		return nil
	}
	shown := false
	again, err := in.setting().Again(ctx, reduce.Form(f.output), in.only(found.Script))
	if err == nil {
		if shown, err = claim.holds(ctx, in.of(again)); err != nil {
			return phrase.Errorf("reduce: %w", err)
		}
	}
	if shown {
		if _, err = f.text(ctx, in.of(in.only(found.Script)), claim); err == nil {
			return nil
		}
	}
	fmt.Fprintln(s.Err, in.language.Say(
		"note: the search ended before what is left could be written as -o %s; it is a recording (-o recording)", f.output))
	f.output = string(reduce.AsRecording)
	return nil
}

// print writes what is left, and on standard error how much that is.
func (f *reduceFlags) print(c *cobra.Command, s Streams, in *opened, claim *stated, found *reduce.Reduced) error {
	left := in.of(in.only(found.Script))
	text, err := f.text(context.WithoutCancel(c.Context()), left, claim)
	if err != nil {
		return phrase.Errorf("-o %s: %w", f.output, err)
	}
	if _, err := s.Out.Write(text); err != nil {
		return err
	}
	if f.input.quiet {
		return nil
	}
	l := in.language
	fmt.Fprintln(s.Err, l.Say("%s: %d of %s left; played %s", hear(l, claim.said), found.Objects,
		l.Count(found.Of, "object"), l.Count(found.Plays, "time")))
	if found.Interrupted {
		fmt.Fprintln(s.Err, l.Of("note: the search ended early; more could be left out"))
	}
	return nil
}

func (f *reduceFlags) text(ctx context.Context, left *opened, claim *stated) ([]byte, error) {
	shows := "Reduced: " + claim.said.String() + "." + f.playedWith(left)
	form := reduce.Form(f.output)
	switch form {
	case reduce.AsScenario:
		return reduce.Scenario(left.setting().Heading(left.input, shows), left.input.Script)
	case reduce.AsYAML:
		return reduce.YAML(left.setting().Heading(left.input, shows), left.input.Script)
	case reduce.AsRecording:
		var b bytes.Buffer
		lines := convertFlags{input: f.input, target: writeFlags{out: "reduced.jsonl"}, title: shows}
		err := lines.write(ctx, left, &b)
		return b.Bytes(), err
	}
	read, err := left.setting().Again(ctx, form, left.input) // with the defaults that an API server fills in
	if err != nil {
		return nil, err
	}
	under, side := left.of(read), diff.Side{}
	player := func() *play.Player { return under.input.Play(under.config, under.seed, trace.Summary) }
	if claim.under != nil {
		if under, side, err = claim.under(under); err != nil {
			return nil, err
		}
		player = func() *play.Player { return side.Play(trace.Summary) }
	}
	h := under.setting().Heading(left.input, shows)
	if form == reduce.AsPerf {
		return reduce.Perf(h, left.input.Script)
	}
	ends, err := reduce.Ends(ctx, player())
	if err != nil {
		return nil, err
	}
	return reduce.GoTest(h, reduce.FilledIn(left.input.Script, read.Script), ends)
}

// playedWith are the flags that show the claim, where the form of the output has no words for them.
func (f *reduceFlags) playedWith(left *opened) string {
	if f.output != "scenario" && f.output != "yaml" {
		return ""
	}
	var flags []string
	gates := left.config.Gates
	if f.output == "yaml" && gates.Release() != release.Newest() {
		flags = append(flags, "--kube-version "+gates.Release().Version)
	}
	if set := gates.String(); f.output == "yaml" && set != "" {
		flags = append(flags, "--feature-gates "+set)
	}
	if left.seed != 0 {
		flags = append(flags, fmt.Sprintf("--seed %d", left.seed))
	}
	if left.input.Percentage != nil {
		flags = append(flags, fmt.Sprintf("--percentage-of-nodes-to-score %d", *left.input.Percentage))
	}
	if flags == nil {
		return ""
	}
	return " Play it with " + strings.Join(flags, " ") + "."
}
