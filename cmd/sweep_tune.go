package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/bucket"
	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/sweep"
)

// tuneFlags choose what a search looks for, and how long.
type tuneFlags struct {
	sweepFlags
	objective string
	holdOut   []string
	trials    int
	rounds    int
	orders    int
}

func sweepTuneCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	f := tuneFlags{sweepFlags: sweepFlags{input: inputFlags{plugins: plugins}}}
	c := &cobra.Command{
		Use:   "tune IN... --objective EXPR --vary KEY=LO..HI -o FOLDER",
		Short: "Search for the settings under which an objective is least, and compare them on inputs not seen",
		Long: `tune draws candidates within the bounds of --vary and plays them on few cases; the better half goes on
to twice as many, and so on. Each further round draws in a narrower space around the best one. At the end
settings without which it is as good are taken out of it. Each step is a line, and is kept in the folder.

A case is an input in one order of arrival: as it is, and shuffled. The best settings are then compared
with the base on cases that the search has not seen: the inputs of --hold-out; else a third of three or
more inputs, or other orders of arrival. They are better if the mean difference would come about by chance
at most once in 20 times, were each difference as likely to have the other sign. Otherwise tune says that
they are not shown to be.

EXPR is a number over the figures of a run, as in sweep report --minimize; the less the better. KEY and
its values are those of sweep --vary, without order and seed.

The folder has tune.json (everything), steps.csv (each candidate of each step), and best.yaml, which
sweep --vary reads. The same command finds the same, whatever the number of workers; esc and ctrl-c stop
it, and what was found by then is there.`,
		Example: `  schedstep sweep tune cluster.json --objective unplaced --vary weight.NodeResourcesFit=1..50 -o tuned/
  schedstep sweep tune monday.schedstep --hold-out tuesday.schedstep --objective 'unplaced * 100 + cost' \
    --price cpu=0.03 --vary weight.NodeResourcesFit=1..50 --vary percentage=5..100 -o tuned/`,
		Args: someInputs,
		RunE: func(c *cobra.Command, args []string) error { return f.tune(c, s, args) },
	}
	f.addCommon(c)
	flags := c.Flags()
	flags.StringVar(&f.objective, "objective", "", "an expression over the figures of a run, the less the better")
	flags.StringArrayVar(&f.holdOut, "hold-out", nil, "an `input` that the search does not see, to compare on")
	flags.IntVar(&f.trials, "trials", 48, "candidates of the first round; a further round has half as many")
	flags.IntVar(&f.rounds, "rounds", 3, "rounds, each in a narrower space")
	flags.IntVar(&f.orders, "orders", 8, "orders of arrival in which each input is played")
	return c
}

// checkTune refuses what cannot be, before anything is read.
func (f *tuneFlags) checkTune() (*sweep.Objective, error) {
	switch {
	case f.objective == "":
		return nil, usageError{phrase.Errorf("sweep tune needs --objective (such as --objective unplaced)")}
	case f.trials < 1 || f.rounds < 1 || f.orders < 1 || f.trials > 100_000 || f.rounds > 100 || f.orders > 10_000:
		return nil, usageError{phrase.Errorf("--trials is 1 to 100000, --rounds 1 to 100, --orders 1 to 10000")}
	}
	if err := errors.Join(f.check("sweep tune"), f.readAxes()); err != nil {
		return nil, err
	}
	o, err := sweep.ParseObjective(f.objective)
	if err != nil {
		return nil, usageError{phrase.Errorf("--objective %w", err)}
	}
	return o, nil
}

func (f *tuneFlags) tune(c *cobra.Command, s Streams, args []string) error {
	objective, err := f.checkTune()
	if err != nil {
		return err
	}
	all := append(append([]string(nil), args...), f.holdOut...)
	seen, unseen := sweep.Cases(all, len(args), f.orders, f.input.seed)
	t := &sweep.Tuning{
		Axes: f.varied, Where: f.where, Objective: objective, Seen: seen, Unseen: unseen, Trials: f.trials,
		Rounds: f.rounds, Seed: f.input.seed,
	}
	if err := t.Check(); err != nil {
		return usageError{phrase.Errorf("--vary: %w", err)}
	}
	if !bucket.Is(f.out) {
		if err := emptyFolder(f.out); err != nil {
			return err
		}
	}
	probes, tried := sweep.Probes(f.axes)
	plan := &sweep.Plan{Inputs: all, Seeds: f.seeds, Variants: probes}
	stage := &stage{flags: &f.sweepFlags, command: c, streams: s, args: all, plan: plan, tried: tried, keep: true}
	defer stage.end()
	manifest, err := stage.prepare(c.Context())
	if err != nil {
		return err
	}
	return stage.depot.keep(c.Context(), f.search(c, s, stage, t, manifest))
}

// search carries the search out, and prints its result.
func (f *tuneFlags) search(c *cobra.Command, s Streams, st *stage, t *sweep.Tuning, m *sweep.Manifest) error {
	defer letGarbageLie()()
	l := languageOf(c)
	keys := newQuitKeys(c.Context(), s)
	defer keys.quit(nil)
	keys.listen()
	shown := &tuneProgress{to: s, language: l, quiet: f.input.quiet}
	t.Played = shown.played
	keep := func(found *sweep.Tuned) error {
		found.Version, found.Inputs = m.Version, m.Inputs
		if err := found.Write(st.folder); err != nil {
			return phrase.Errorf("-o %w", err)
		}
		return nil
	}
	t.Step = func(step *sweep.Step, found *sweep.Tuned) error {
		return errors.Join(shown.step(step), keep(found))
	}
	found, err := t.Search(keys.until, sweep.Options{Workers: f.workers, Open: st.open, Guard: f.guard})
	keys.stop()
	shown.clear()
	if err != nil && (found == nil || len(found.Steps) == 0 || !errors.Is(err, context.Canceled)) {
		return err
	}
	return errors.Join(keep(found), f.verdict(s, l, found), err)
}

// emptyFolder refuses a folder with something else than another tuning.
func emptyFolder(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return phrase.Errorf("-o %s: %w", folder, disk.Bare(err))
	}
	for _, e := range entries {
		if !sweep.OfTuning(e.Name()) {
			return phrase.Errorf("-o %s holds something else than what tune writes: choose another folder", folder)
		}
	}
	return nil
}

// verdict prints what was found, and whether it is better on what the search has not seen.
func (f *tuneFlags) verdict(s Streams, l words.Language, found *sweep.Tuned) error {
	lines := []string{"", l.Say("best: %s", f.bestOf(l, found))}
	m := found.Summary
	compared := func() string {
		return l.Say("on %d unseen cases %s is %s on average, and %s in the base; better in %d, worse in %d, by chance %s",
			m.Cases, found.Objective, sweep.Number(m.Best), sweep.Number(m.Base), m.Better, m.Worse,
			strconv.FormatFloat(m.Chance, 'g', 3, 64))
	}
	switch found.Verdict {
	case sweep.NoneFound:
		lines = append(lines, l.Of("nothing within the bounds is better than the base"))
	case sweep.NoneUnseen:
		lines = append(lines, l.Of("whether it is better elsewhere is not known: other orders of arrival change nothing "+
			"here; --hold-out names an input to compare on"))
	case sweep.Unfinished:
		lines = append(lines, l.Of("stopped before it was compared on unseen cases: whether it is better is not known"))
	case sweep.Better:
		lines = append(lines, l.Say("better than the base: %s", compared()))
	case sweep.Worse:
		lines = append(lines, l.Say("worse than the base: %s", compared()))
	case sweep.NotShown:
		lines = append(lines, l.Say("not shown to be better than the base: %s", compared()))
	}
	if found.Alike > 0 {
		lines = append(lines, l.Say("%d unseen cases take the same course as others, and do not count", found.Alike))
	}
	lines = append(lines, l.Say("%s has tune.json, steps.csv and best.yaml", clean(f.out)))
	_, err := fmt.Fprintln(s.Out, strings.Join(lines, "\n"))
	return err
}

// bestOf is the best candidate in words.
func (f *tuneFlags) bestOf(l words.Language, found *sweep.Tuned) string {
	if found.Best == "base" {
		return l.Of("base")
	}
	return clean(found.Best)
}

// tuneProgress prints the steps of a search as they end.
type tuneProgress struct {
	to       Streams
	language words.Language
	quiet    bool
	steps    int
}

// tuneWidths are how wide the columns of the table are: it is printed row by row.
var tuneWidths = []int{4, 5, 10, 5, 10, 5, 12, 12, 0}

func (p *tuneProgress) row(cells ...string) error {
	var b strings.Builder
	for i, cell := range cells {
		b.WriteString(cell)
		if i+1 < len(cells) {
			b.WriteString(strings.Repeat(" ", max(0, tuneWidths[i]-ansi.StringWidth(cell))+2))
		}
	}
	_, err := fmt.Fprintln(p.to.Out, b.String())
	return err
}

func (p *tuneProgress) step(step *sweep.Step) error {
	p.clear()
	if p.steps++; p.steps == 1 {
		l := p.language
		head := []string{
			l.Of("STEP"), l.Of("ROUND"), l.Of("KIND"), l.Of("CASES"), l.Of("CANDIDATES"), l.Of("RUNS"), l.Of("BASE"),
			l.Of("BEST"), l.Of("SETTINGS"),
		}
		if err := p.row(head...); err != nil {
			return err
		}
	}
	best := &step.Tried[0]
	mean := "-"
	if best.Mean != nil {
		mean = sweep.Number(*best.Mean)
	}
	settings := clean(best.Settings)
	if best.Fault != "" {
		settings += ": " + clean(best.Fault)
	}
	return p.row(strconv.Itoa(step.Number), strconv.Itoa(step.Round), kindIn(p.language, step.Kind),
		strconv.Itoa(step.Cases), strconv.Itoa(step.Candidates), strconv.Itoa(step.Runs), sweep.Number(step.Base), mean,
		settings)
}

// kindIn is what a step does, in a language.
func kindIn(l words.Language, kind sweep.StepKind) string {
	switch kind {
	case sweep.Drawn:
		return l.Of("drawn")
	case sweep.Halved:
		return l.Of("halved")
	case sweep.Simplified:
		return l.Of("simplified")
	}
	return string(kind)
}

func (p *tuneProgress) played(done, all int) {
	if f := terminal(p.to.Err); f != nil && !p.quiet {
		drawOver(f, p.language.Say("step %d: %d of %d runs", p.steps+1, done, all))
	}
}

func (p *tuneProgress) clear() {
	if f := terminal(p.to.Err); f != nil && !p.quiet {
		fmt.Fprint(f, clearLine)
	}
}
