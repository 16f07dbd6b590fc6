package cmd

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/bounded"
	"github.com/schedstep/schedstep/internal/bucket"
	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/sweep"
)

// sweepFlags choose what is varied, how much of it is played, and where results go.
type sweepFlags struct {
	input   inputFlags
	vary    []string
	where   string
	sample  int
	most    int
	out     string
	shard   string
	shards  int
	workers int
	runTime time.Duration
	memory  string
	world   string
	prices  []string

	bytes  uint64 // of memory
	part   *sweep.ShardOf
	varied []sweep.Axis // as --vary has them
	axes   []sweep.Axis // without the seeds
	seeds  []uint64
	priced sweep.Prices
}

// completionIndex is the variable in which an Indexed Job hands its number to a pod.
const completionIndex = "JOB_COMPLETION_INDEX"

func sweepCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	f := sweepFlags{input: inputFlags{plugins: plugins}}
	c := &cobra.Command{
		Use:   "sweep IN... --vary KEY=V1,V2 -o FOLDER",
		Short: "Play inputs under every variant of some settings, and gather the figures of each run",
		Long: `sweep plays each input to its end under the product of all that --vary names, and writes tables:
runs (the figures of each run), resources, pods (those that end otherwise than in the base) and
variants, as Parquet and as CSV. The base is the input as run would play it; it always is variant 0.

Each IN is an input of its own. A + joins several FILEs to one: nodes.yaml+pods.csv. What is in an object
store is s3://BUCKET/KEY (AWS_ENDPOINT_URL_S3 is where it is); -o may be s3://BUCKET/PREFIX too.

--vary is a YAML file (vary: {KEY: [VALUE, ...]}) or KEY=VALUE,VALUE. KEY is

  weight.PLUGIN    what a score plugin counts for          weight.ImageLocality=1,5,25 or 1..9..2
  kube-version     the release that decides                kube-version=1.34,1.37
  config           a KubeSchedulerConfiguration            config=old.yaml,new.yaml
  gate.NAME        a feature gate                          gate.GenericWorkload=true,false
  percentage       percentage of nodes to score            percentage=5,50,100
  nodes.NODE       how many nodes like NODE are added      nodes.n1=0..4
  drain, lose      a node, or LABEL=VALUE of several       lose=topology.kubernetes.io/zone=a
  do               commands of whatif, divided by |        do=cordon n1|taint n1 a=b:NoSchedule
  order            in which pods arrive                    order=reversed,shuffled,large-first,small-first
  seed             of what is left to chance               seed=0..9

and - is a value of each: the input as it is. drain, lose, do and nodes happen before the first cycle.

What really bound the pods of a recording is taken out, so that each variant places them itself;
--world recorded keeps it. Results are the same whatever the number of workers. A sweep that was
stopped goes on with the same command. --shard 3/16 plays one of 16 parts, and sweep merge joins
the folders; in an Indexed Job --shards 16 takes the part from JOB_COMPLETION_INDEX.`,
		Example: `  schedstep sweep cluster.json --vary weight.NodeResourcesFit=1..10 --vary percentage=50,100 -o out/
  schedstep sweep nodes.yaml+pods.csv --vary sweep.yaml --where 'weight.A != weight.B' -o out/
  schedstep sweep monday.schedstep tuesday.schedstep --vary sweep.yaml --sample 200 --shard 0/4 -o part-0/`,
		Args: someInputs,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, s, args) },
	}
	f.add(c)
	c.AddCommand(sweepTuneCommand(s, plugins), sweepJobCommand(s, plugins), sweepMergeCommand(s), sweepReportCommand(s))
	return c
}

func (f *sweepFlags) add(c *cobra.Command) {
	f.addCommon(c)
	flags := c.Flags()
	flags.IntVar(&f.sample, "sample", 0, "draw so many variants, by --seed; 0: all")
	flags.IntVar(&f.most, "most-runs", 100_000, "refuse a sweep of more runs")
	flags.StringVar(&f.shard, "shard", "", "play one part of the runs: `I/N`, with I from 0")
	flags.IntVar(&f.shards, "shards", 0, "how many parts there are; the number of this one is in "+completionIndex)
}

// addCommon adds the flags that tune has too.
func (f *sweepFlags) addCommon(c *cobra.Command) {
	f.input.add(c)
	flags := c.Flags()
	flags.StringArrayVar(&f.vary, "vary", nil, "what is varied: a YAML `file`, or KEY=VALUE,VALUE")
	flags.StringVar(
		&f.where, "where", "", "an expression over the settings: only variants for which it holds (weight.A > 2)",
	)
	flags.StringVarP(&f.out, "output", "o", "", "the `folder` that results go to")
	flags.IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "runs that are played at the same time")
	flags.DurationVar(&f.runTime, "run-time", 0, "end a run that takes longer; 0: none")
	flags.StringVar(&f.memory, "run-memory", "", "end a run that takes more memory (2Gi); without it none")
	flags.StringVar(&f.world, "world", "simulated", "what happens to the pods of a recording: simulated or recorded")
	flags.StringArrayVar(&f.prices, "price", nil,
		"an hour of a node costs: cpu=0.03, memory=0.004 (a GiB), RESOURCE=PRICE, or LABEL=VALUE:PRICE")
	offer(c, "world", []string{"simulated", "recorded"})
	offer(c, "vary", sweep.Keys())
}

// check refuses what cannot be, before anything is read.
func (f *sweepFlags) check(command string) error {
	switch {
	case len(f.vary) == 0:
		return usageError{phrase.Errorf("%s needs --vary (such as --vary weight.NodeResourcesFit=1..5)", command)}
	case f.out == "" || f.out == "-":
		return usageError{phrase.Errorf("%s needs -o FOLDER: where the results go", command)}
	case f.workers < 1 || f.runTime < 0:
		return usageError{phrase.Errorf("--run-time is 0 or more, --workers 1 or more")}
	case f.world != "simulated" && f.world != "recorded":
		return usageError{phrase.Errorf("--world %q: use simulated or recorded", f.world)}
	}
	if err := checkNames("-o", f.out); err != nil {
		return err
	}
	var err error
	if f.memory != "" {
		q, err := resource.ParseQuantity(f.memory)
		if err != nil || q.Value() <= 0 {
			return usageError{phrase.Errorf("--run-memory %q is no number of bytes (try 2Gi)", f.memory)}
		}
		f.bytes = uint64(q.Value())
	}
	if f.priced, err = sweep.ParsePrices(f.prices); err != nil {
		return usageError{phrase.Errorf("--price: %w", err)}
	}
	return nil
}

// checkNames refuses what looks like a name in an object store and is none. flag is where the user wrote it.
func checkNames(flag string, files ...string) error {
	for _, file := range files {
		if !bucket.Is(file) {
			continue
		}
		if _, err := bucket.Parse(file); err != nil {
			return usageError{phrase.Errorf("%s %w", flag, err)}
		}
	}
	return nil
}

// readShard finds out which part this is.
func (f *sweepFlags) readShard() error {
	index, of := 0, f.shards
	switch at := os.Getenv(completionIndex); {
	case f.shard != "":
		i, n, _ := strings.Cut(f.shard, "/")
		var wrong [2]error
		index, wrong[0] = strconv.Atoi(i)
		of, wrong[1] = strconv.Atoi(n)
		if errors.Join(wrong[:]...) != nil {
			return usageError{phrase.Errorf("--shard %q: it is I/N, such as 0/16", f.shard)}
		}
	case of == 0:
		return nil
	case at == "":
		return usageError{phrase.Errorf(
			"--shards %d: %s is not set, as it is in an Indexed Job; --shard I/N names the part", of,
			completionIndex)}
	default:
		n, err := strconv.Atoi(at)
		if err != nil {
			return usageError{phrase.Errorf("%s=%q is no number", completionIndex, at)}
		}
		index = n
	}
	if err := sweep.CheckShard(index, of); err != nil {
		return usageError{err}
	}
	f.part = &sweep.ShardOf{Index: index, Of: of}
	return nil
}

// readAxes reads what --vary names, and the files that settings name.
func (f *sweepFlags) readAxes() error {
	var axes []sweep.Axis
	for _, text := range f.vary {
		if _, err := os.Stat(text); err != nil && strings.Contains(text, "=") {
			a, err := sweep.ParseAxis(text)
			if err != nil {
				return usageError{phrase.Errorf("--vary %w", err)}
			}
			axes = append(axes, a)
			continue
		}
		content, err := bounded.ReadFile(text, mostOfAConfiguration)
		if err != nil {
			return usageError{phrase.Errorf("--vary %s: %w", text, disk.Bare(err))}
		}
		more, err := sweep.ReadAxes(content, text)
		if err != nil {
			return usageError{phrase.Errorf("--vary %w", err)}
		}
		axes = append(axes, more...)
	}
	f.varied = axes
	f.axes, f.seeds = sweep.Seeds(axes, f.input.seed)
	return nil
}

// plan is every run that the flags are of.
func (f *sweepFlags) plan(inputs []string) (*sweep.Plan, error) {
	if f.sample < 0 || f.most < 1 {
		return nil, usageError{phrase.Errorf("--sample is 0 or more, --most-runs 1 or more")}
	}
	space := sweep.Space{Axes: f.axes, Where: f.where, Sample: f.sample, Seed: f.input.seed, Most: f.most}
	variants, err := space.Variants()
	if err != nil {
		return nil, usageError{err}
	}
	p := &sweep.Plan{Inputs: inputs, Seeds: f.seeds, Variants: variants}
	if n := p.Runs(); n > f.most {
		return nil, usageError{phrase.Errorf("there would be %d runs (%d inputs, %d seeds, %d variants), and %d is the "+
			"most: --sample draws some variants, --most-runs allows more", n, len(inputs), len(f.seeds), len(variants), f.most)}
	}
	return p, nil
}

func (f *sweepFlags) run(c *cobra.Command, s Streams, args []string) error {
	if err := errors.Join(f.check("sweep"), f.readShard(), f.readAxes()); err != nil {
		return err
	}
	plan, err := f.plan(args)
	if err != nil {
		return err
	}
	stage := &stage{
		flags: f, command: c, streams: s, args: args, plan: plan, tried: f.axes, keep: len(args) == 1,
	}
	defer stage.end()
	manifest, err := stage.prepare(c.Context())
	if err != nil {
		return err
	}
	return stage.depot.keep(c.Context(), f.carry(c, s, stage, manifest))
}

// carry plays the runs and writes the tables.
func (f *sweepFlags) carry(c *cobra.Command, s Streams, stage *stage, manifest *sweep.Manifest) (err error) {
	log, err := manifest.Begin(stage.folder)
	if err != nil {
		return phrase.Errorf("-o %w", err)
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	from, to := 0, stage.plan.Runs()
	if f.part != nil {
		from, to = stage.plan.Shard(f.part.Index, f.part.Of)
	}
	defer letGarbageLie()()
	l := languageOf(c)
	keys := newQuitKeys(c.Context(), s)
	defer keys.quit(nil)
	keys.listen()
	shown := newSweepProgress(s, l, from, to, log, f.input.quiet)
	err = sweep.Carry(keys.until, stage.plan, from, to, sweep.Options{
		Workers: f.workers, Open: stage.open, Has: log.Has, Guard: f.guard,
		Save: func(r *sweep.Result) error {
			if err := log.Add(r); err != nil {
				return phrase.Errorf("-o %s: %w", f.out, disk.Bare(err))
			}
			shown.saved()
			return nil
		},
	})
	keys.stop()
	shown.clear()
	if err != nil {
		if n := log.Len(); n > 0 {
			fmt.Fprintln(s.Err, l.Say("%d of %d runs are kept in %s; the same command goes on there", n, to-from, clean(f.out)))
		}
		return err
	}
	if err := sweep.WriteTables(stage.folder, stage.plan, f.axes, from, to, log); err != nil {
		return phrase.Errorf("-o %w", err)
	}
	return f.sum(s, l, stage.plan, to-from, log.Statuses())
}

// guard is for a run that begins now.
func (f *sweepFlags) guard(alone bool) sweep.Guard {
	return newGuard(f.runTime, f.bytes, f.workers, alone)
}

// sum prints the results of a sweep.
func (f *sweepFlags) sum(
	s Streams, l words.Language, plan *sweep.Plan, runs int, statuses map[sweep.Status]int,
) error {
	text := l.Say("%d runs of %d variants: %s has the tables runs, resources, pods and variants", runs, len(plan.Variants),
		clean(f.out))
	for _, status := range []sweep.Status{sweep.Refused, sweep.OutTime, sweep.OutRoom, sweep.Failed} {
		if n := statuses[status]; n > 0 {
			text += l.Of(textAlso) + l.Say("%d ended as %s", n, string(status))
		}
	}
	_, err := fmt.Fprintln(s.Out, text)
	return err
}

// sweepProgress shows how far a sweep is: on a terminal always, elsewhere with each twentieth of the runs.
type sweepProgress struct {
	to       Streams
	language words.Language
	quiet    bool
	began    time.Time
	all      int
	there    int // when it began
	done     int
	mu       sync.Mutex
}

func newSweepProgress(s Streams, l words.Language, from, to int, log *sweep.Log, quiet bool) *sweepProgress {
	there := log.Len()
	p := &sweepProgress{to: s, language: l, quiet: quiet, began: time.Now(), all: to - from, there: there, done: there}
	if p.there > 0 && !quiet {
		fmt.Fprintln(s.Err, l.Say("%d of %d runs are there already", p.there, p.all))
	}
	return p
}

func (p *sweepProgress) saved() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if p.quiet {
		return
	}
	took := time.Since(p.began)
	left := time.Duration(float64(took) / float64(p.done-p.there) * float64(p.all-p.done)).Round(time.Second)
	text := p.language.Say("%d of %d runs; %s left", p.done, p.all, left)
	if f := terminal(p.to.Err); f != nil {
		drawOver(f, text)
		return
	}
	if twentieth := func(n int) int { return 20 * n / p.all }; twentieth(p.done) > twentieth(p.done-1) {
		fmt.Fprintln(p.to.Err, text)
	}
}

func (p *sweepProgress) clear() {
	if f := terminal(p.to.Err); f != nil && !p.quiet {
		fmt.Fprint(f, clearLine)
	}
}
