package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
)

// runFlags choose how far a run goes and what it prints.
type runFlags struct {
	input   inputFlags
	until   time.Duration
	cycles  int64
	output  string
	detail  string
	verdict verdictFlags
	report  reportFlags
	hits    hitFlags

	refused []trace.Fact // what kubelets refused in the run, and which schedulers booked a node twice

	recorded bool // print what the input's cluster decided beside what is decided here
}

func runCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	f := runFlags{input: inputFlags{plugins: plugins, live: newLiveFlags()}}
	c := &cobra.Command{
		Use:   "run [FILE...]",
		Short: "Run a replay to its end without a screen, and print every cycle",
		Long: `run plays FILE to its end: until nothing is in activeQ or backoffQ. --until lets virtual
time go on after that, so that backoffs and the 5-minute timeout have their effect.

Without FILE it reads the cluster of the current context once, and tries every pending pod
in a simulated world that begins with it. Nothing is written to the cluster. The pods of
the context's namespace are printed; -n names another one, -A prints all. The exit code is
about the pods that -n or -l choose; without them it is about all pods.

Deployments, Jobs and other workloads of FILE that were never applied become their pods,
and the last lines say how many of them have a node.

--report prints figures of the whole run in place of the cycles: packing, spread, fragmentation,
waiting times, attempts, preemptions. With --expect the exit code is 3 when an expression over
these figures does not hold, and unplaced pods alone do not make it 3.

--break stops where the command break of the screen would stop, prints why, and carries out
the commands of --on-hit; then the run goes on.

Where the input says what the scheduler of its cluster decided (conditions of pods, events,
the nodes of a recording), the column RECORDED compares each cycle with it: same, tied,
explained or different. --recorded prints these comparisons alone, with what probably
explains each difference; of the pods that have a node, it says whether their node would
still take them.

-o jsonl prints one object for each cycle on a line, -o yaml one in each document, and -o json a
list of them with a summary. Each has a hash chained with that of the cycle before: two runs of
the same input, version, configuration and seed print the same hashes.`,
		Example: `  schedstep run -A
  schedstep run cluster.yaml pending.yaml
  schedstep run cluster.json deployment.yaml --replicas shop=12
  schedstep run cluster.json rollout.yaml --expect 'unplaced == 0 && packing.cpu < 85.0'
  schedstep run bundle/ --report html > report.html
  schedstep run bundle/ --break 'plugin PodTopologySpread' --on-hit 'explain'
  kubectl get nodes,pods,pv,pvc,sc -A -o json | schedstep run -
  schedstep run bundle/ -o jsonl | jq -r 'select(.outcome != "Scheduled") | .message'`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, s, args) },
	}
	f.input.add(c)
	f.input.addPeriod(c)
	f.input.addNodes(c)
	f.input.live.add(c)
	f.input.live.addChoice(c)
	c.Flags().DurationVar(&f.until, "until", 0, "let virtual time go on for this long after the start (90s, 10m)")
	c.Flags().Int64Var(&f.cycles, "cycles", 0, "stop after this many cycles; 0: at the end")
	c.Flags().BoolVar(
		&f.recorded, "recorded", false,
		"print what the input's own scheduler said beside what is decided here, and no cycles",
	)
	outputFlag(c, &f.output)
	detailFlag(c, &f.detail)
	f.verdict.add(c)
	f.report.add(c)
	f.hits.add(c)
	return c
}

func (f *runFlags) run(c *cobra.Command, s Streams, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	p, err := newPrinter(f.output, languageOf(c), s.Out)
	if err != nil {
		return err
	}
	d, err := detail(f.detail, p.needs())
	if err != nil {
		return err
	}
	in, err := f.input.openToPlay(c, s, args)
	if err != nil {
		return err
	}
	if f.report.format != "" {
		d = max(d, trace.Reported) // so that it is known why nodes were not chosen
	}
	player := in.input.Play(in.config, in.seed, d)
	if f.until > 0 {
		player.RunOn(in.input.Start.Add(f.until))
	}
	if len(f.hits.breaks) > 0 {
		return f.stopAtHits(c.Context(), s, in, player)
	}
	if f.recorded {
		return f.compare(c.Context(), s, in, player)
	}
	f.report.begin(in.input.Title)
	p = f.report.quiets(p)
	beside := newRecorded(in)
	p.compare(beside)
	p, chosen := f.input.live.choose(in, player, p)
	if err := f.play(c.Context(), player, p); err != nil {
		return err
	}
	end := chosen.end(player)
	replicas, err := f.replicas(c.Context(), in, player.Scheduler())
	if err != nil {
		return err
	}
	if err := p.close(end.total(player.Scheduler(), replicas)); err != nil {
		return err
	}
	says := append(f.refusals(in), end.summary(player.Scheduler(), in.language))
	says = append(says, tellAll(replicas, player.Scheduler(), in.language)...)
	if err := f.conclude(s, p, append(says, beside.lines(in.language)...)); err != nil {
		return err
	}
	if !f.input.quiet {
		in.unanswered(s)
		tellGuests(s, in, player)
	}
	if err := f.report.end(player.Scheduler(), in.language, s.Out, s.Err); err != nil || len(f.report.expect) > 0 {
		return errors.Join(err, in.complete())
	}
	return f.verdict.of(in, end)
}

// conclude prints what the run comes to: a result where the format has a place for sentences, and else a note.
func (f *runFlags) conclude(s Streams, p printer, says []string) error {
	printed, err := p.conclude(says)
	if err != nil || printed || f.input.quiet {
		return err
	}
	fmt.Fprintln(s.Err, strings.Join(says, "\n"))
	return nil
}

// tellGuests prints on standard error what a reader of the answers of hosted plugins has to know.
func tellGuests(s Streams, in *opened, player *play.Player) {
	for _, note := range player.Scheduler().GuestNotes() {
		fmt.Fprintln(s.Err, in.language.Say("note: %s", note))
	}
}

// compare prints what the input's cluster decided beside what is decided here. The exit code is 3 when a decision is
// different and nothing explains it.
func (f *runFlags) compare(ctx context.Context, s Streams, in *opened, player *play.Player) error {
	report, err := f.all(ctx, in, player)
	if err != nil {
		return err
	}
	if err := printRecorded(s.Out, report, in.input.Past, f.output, in.language); err != nil {
		return err
	}
	switch sum := summaryOf(report, in.language); {
	case slices.Contains([]string{"table", "wide", "markdown"}, f.output):
		if err := writeBelow(s.Out, len(report.Decisions) > 0 || f.output != "table", []string{sum}); err != nil {
			return err
		}
	case !f.input.quiet:
		fmt.Fprintln(s.Err, sum)
	}
	if err := in.complete(); err != nil {
		return err
	}
	if n := report.Hosts.Different + report.Messages.Different; n > 0 && f.verdict.failOn != "never" {
		return differs{n}
	}
	return nil
}

// check refuses what the flags' types allow and makes no sense.
func (f *runFlags) check() error {
	switch {
	case f.until < 0:
		return usageError{phrase.Errorf("--until %s: it must not be negative", f.until)}
	case f.cycles < 0:
		return usageError{phrase.Errorf("--cycles %d: it must be 0 or more", f.cycles)}
	case len(f.hits.breaks) > 0 && (f.report.format != "" || len(f.report.expect) > 0 || f.cycles > 0):
		return usageError{phrase.Errorf("--break goes with neither --report, --expect nor --cycles")}
	}
	if err := errors.Join(f.report.check(), f.hits.check()); err != nil {
		return err
	}
	if err := f.input.live.check(); err != nil {
		return err
	}
	return f.verdict.check()
}

// play steps to the end and prints every cycle.
func (f *runFlags) play(ctx context.Context, player *play.Player, p printer) error {
	defer player.Heed(ctx)()
	for steps := 0; ; steps++ {
		if steps%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		step, ok := player.Step()
		if !ok {
			return nil
		}
		f.report.see(step, player.Scheduler())
		f.refused = append(f.refused, refusalsIn(step.Facts)...)
		if step.Kind != play.Tried {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err() // the question to an extender may have been given up: the cycle means nothing
		}
		cycle, _ := trace.Fold(step.Facts)
		if err := p.print(cycle); err != nil {
			return err
		}
		if f.cycles > 0 && cycle.Number >= f.cycles {
			return nil
		}
	}
}

// refusals lists what kubelets refused in the run.
func (f *runFlags) refusals(in *opened) []string {
	var said []string
	for _, fact := range f.refused {
		said = append(said, in.language.Render(fact))
	}
	return said
}

// refusalsIn are the facts of a step about what kubelets refuse.
func refusalsIn(facts []trace.Fact) []trace.Fact {
	var found []trace.Fact
	for _, fact := range facts {
		switch fact.(type) {
		case trace.KubeletRefused, trace.DoubleBooked:
			found = append(found, fact)
		}
	}
	return found
}

// quiets is the printer of cycles: a report takes their place.
func (f *reportFlags) quiets(p printer) printer {
	if f.format != "" {
		return silent{p}
	}
	return p
}
