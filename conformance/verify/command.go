package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/wire"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/input"
)

// The exit codes.
const (
	exitSame    = 0
	exitDiffers = 1
	exitUsage   = 2 // also for an input that cannot be read
)

const usage = `schedstep-verify holds schedstep to the real kube-scheduler on your own input: 1.37.1, or that of another
release, whose program (make oracle RELEASE=1.36) is beside this one.

  schedstep-verify [flags] FILE...
  schedstep-verify [flags] --drawn 0:100 [FILE...]

It takes what schedstep run takes (but no configuration with extenders), plays it under its feature
gates, and asks kube-scheduler's own plugins at every step:
PreFilter, every filter on every node, every score, the best hosts, the message, the preemption, and
what every queueing hint makes of every event. It prints what was compared and every difference, and
exits with 1 if there is one.

With --drawn it plays random clusters, one for each number of the range. Their nodes and pods get the
labels and annotations of nodes and pods of FILE, and what else FILE has is there in each of them.

`

// withPlugins stands below usage in a program that plugins were built into.
const withPlugins = `This program has %s in it, on both sides: in a kube-scheduler 1.37.1 that has it
registered, and hosted by schedstep. Waits at Permit with their ends, writes, evictions and bindings
are compared too. --config names a configuration that enables it.

`

// Command is the command line.
type Command struct {
	In       io.Reader
	Out, Err io.Writer
	Tamper   compare.Tamper // changes our answers, for tests of the comparison
	Oracles  string         // the folder of the programs of other releases; "": that of this program
	Foreign  Foreign        // plugins that are not kube-scheduler's own; nil: none
}

// flags are those of schedstep run that decide what is played.
type flags struct {
	*pflag.FlagSet
	config     string
	gates      string
	seed       uint64
	percentage int32
	format     string
	time       string
	until      time.Duration
	cycles     int64
	quiet      bool
	version    string
	drawn      string
	plugins    bool
}

func newFlags(err io.Writer, plugins []config.Plugin) *flags {
	f := &flags{FlagSet: pflag.NewFlagSet("schedstep-verify", pflag.ContinueOnError)}
	f.SetOutput(err)
	f.Usage = func() {
		fmt.Fprint(err, usage)
		if len(plugins) > 0 {
			fmt.Fprintf(err, withPlugins, namesOf(plugins))
		}
		fmt.Fprint(err, f.FlagUsages())
	}
	f.StringVar(
		&f.config, "config", "",
		"KubeSchedulerConfiguration `file`; without it the input's own, else kube-scheduler's default",
	)
	f.StringVar(
		&f.gates, "feature-gates", "", "kube-scheduler's feature `gates`, as NAME=true,...; without it the input's own",
	)
	f.StringVar(
		&f.version, "kube-version", "",
		"`release` of kube-scheduler, such as 1.36; without it the input's own, else "+release.Newest().Version,
	)
	f.Uint64Var(&f.seed, "seed", 0, "decides what kube-scheduler leaves to chance")
	f.Int32Var(&f.percentage, "percentage-of-nodes-to-score", 0, "overrules the configuration; 0: chosen by cluster size")
	f.StringVar(&f.format, "format", "", "overrules the detection of the input's format: recording, scenario, json, yaml")
	f.StringVar(&f.time, "time", "", "when virtual time begins (RFC 3339); without it the newest timestamp of the objects")
	f.DurationVar(&f.until, "until", 0, "let virtual time go on for this long after the start (90s, 10m)")
	f.Int64Var(&f.cycles, "cycles", 0, "stop after this many cycles; 0: at the end")
	f.StringVar(&f.drawn, "drawn", "", "play random clusters, one for each number of the `range` FROM:TO")
	f.BoolVar(&f.plugins, "plugins", false, "list the plugins that were built in, as JSON, and compare nothing")
	f.BoolVarP(&f.quiet, "quiet", "q", false, "say nothing about what was left out of the input")
	return f
}

// Run runs the command line without the program's name, and returns the exit code.
func (c Command) Run(args []string) int {
	f := newFlags(c.Err, (&options{Foreign: c.Foreign}).plugins())
	switch err := f.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		return exitSame
	case err != nil:
		return c.fail(err)
	case f.plugins:
		return c.list()
	case f.NArg() == 0 && f.drawn == "":
		f.Usage()
		return exitUsage
	}
	in, o, err := c.open(f)
	if err != nil {
		return c.fail(err)
	}
	o.Tamper, o.Foreign = c.Tamper, c.Foreign
	if o.Oracle, err = c.program(o.Release); err != nil {
		return c.fail(err)
	}
	compared := between
	if f.drawn != "" {
		from, to, err := rangeOf(f.drawn)
		if err != nil {
			return c.fail(err)
		}
		compared = func(in *input.Input, o options) (*result, error) { return drawn(in, o, from, to) }
	}
	r, err := compared(in, o)
	if o.Oracle != nil {
		err = errors.Join(err, o.Oracle.Close())
	}
	if err != nil {
		return c.fail(err)
	}
	fmt.Fprint(c.Out, r)
	if r.Cycles == 0 && len(r.Unread) > 0 {
		return c.fail(errors.New("nothing was compared: no cycle was run, and the release knows none of what was left out"))
	}
	if r.Count() > 0 || r.Broken != nil {
		return exitDiffers
	}
	return exitSame
}

// list prints the plugins with their extension points, in the form of "schedstep plugins -o json".
func (c Command) list() int {
	all := []map[string]any{}
	plugins := (&options{Foreign: c.Foreign}).plugins()
	for i := range plugins {
		row := map[string]any{"name": plugins[i].Name()}
		points, err := plugins[i].Meet()
		if err != nil {
			row["wrong"] = err.Error()
		}
		if len(points) > 0 {
			row["points"] = points
		}
		all = append(all, row)
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return c.fail(err)
	}
	fmt.Fprintf(c.Out, "%s\n", text)
	return exitSame
}

func namesOf(plugins []config.Plugin) string {
	names := make([]string, len(plugins))
	for i := range plugins {
		names[i] = plugins[i].Name()
	}
	return strings.Join(names, ", ")
}

func (c Command) fail(err error) int {
	fmt.Fprintf(c.Err, "error: %v\n", err)
	return exitUsage
}

// program starts the oracle of a release; nil for the newest, which this program is linked with.
func (c Command) program(r *release.Release) (*wire.Program, error) {
	if r == release.Newest() {
		return nil, nil
	}
	if c.Foreign != nil {
		return nil, fmt.Errorf("the plugins that were built in are linked with kube-scheduler %s, and cannot be compared "+
			"with %s (try --kube-version %s)", linked, r.Version, release.Newest().Version)
	}
	folder := c.Oracles
	if folder == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		folder = filepath.Dir(self)
	}
	path := filepath.Join(folder, "oracle-"+r.Version)
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("kube-scheduler %s is not there to ask: %w (try make oracle RELEASE=%s)", r.Version, err,
			r.Version)
	}
	return wire.Start(context.Background(), path)
}

// open reads the input and finds its configuration.
func (c Command) open(f *flags) (*input.Input, options, error) {
	var o options
	if f.percentage < 0 || f.percentage > 100 || f.cycles < 0 || f.until < 0 {
		return nil, o, fmt.Errorf("--percentage-of-nodes-to-score is from 0 to 100; --cycles and --until are not negative")
	}
	plugins := (&options{Foreign: c.Foreign}).plugins()
	read := input.Options{Stdin: c.In, Format: f.format, Plugins: plugins}
	if f.time != "" {
		at, err := time.Parse(time.RFC3339, f.time)
		if err != nil {
			return nil, o, fmt.Errorf("--time %q is not a time (try 2026-11-20T10:00:00Z)", f.time)
		}
		read.Time = at
	}
	in := &input.Input{}
	if f.NArg() > 0 {
		var err error
		if in, err = input.Read(context.Background(), f.Args(), read); err != nil {
			return nil, o, err
		}
	}
	if len(in.Schedulers) > 0 {
		return nil, options{}, fmt.Errorf("several schedulers decide in the input; one is compared at a time")
	}
	o = options{Gates: in.Gates, Seed: in.Seed, Until: f.until, Cycles: f.cycles}
	if f.Changed("feature-gates") {
		o.Gates = f.gates
	}
	o.Release = release.Nearest(in.Release)
	if f.version != "" {
		var known bool
		if o.Release, known = release.Find(f.version); !known {
			return nil, o, fmt.Errorf("--kube-version %s: no release of this build (it has %s)", f.version,
				strings.Join(release.Versions(), ", "))
		}
	}
	gates, err := config.ParseGatesOf(o.Release, o.Gates)
	if err != nil {
		return nil, o, fmt.Errorf("--feature-gates: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if f.Changed("seed") {
		o.Seed = f.seed
	}
	if o.Configuration, err = configuration(f, in, gates, plugins); err != nil {
		return nil, o, err
	}
	if !f.quiet {
		for _, line := range in.Refused {
			fmt.Fprintf(c.Err, "refused: %s\n", line)
		}
		for _, line := range in.Notices {
			fmt.Fprintf(c.Err, "note: %s\n", line)
		}
	}
	return in, o, nil
}

// configuration is what both sides run by. One that came with the input and is
// wrong gives way to the default, as in schedstep run.
func configuration(f *flags, in *input.Input, gates config.Gates, plugins []config.Plugin) ([]byte, error) {
	text, from := in.Config, in.From
	if f.config != "" {
		var err error
		if text, err = os.ReadFile(f.config); err != nil {
			return nil, err
		}
		from = f.config
	}
	if text != nil {
		loaded, err := config.LoadWith(text, from, config.Options{Gates: gates, Plugins: plugins})
		switch {
		case err != nil && f.config != "":
			return nil, err
		case err != nil:
			in.Refused = append(in.Refused, phrase.Textf(
				"%s; kube-scheduler's default configuration is in its place", phrase.OnOneLine(err),
			))
			text = nil
		case len(loaded.Extenders) > 0:
			return nil, fmt.Errorf("the configuration has extenders: what they answer is theirs, and kube-scheduler would " +
				"ask them a second time")
		}
	}
	sampled := f.Changed("percentage-of-nodes-to-score")
	if release := gates.Release(); release.Configuration() != configv1.SchemeGroupVersion.String() {
		if sampled {
			return nil, fmt.Errorf("--percentage-of-nodes-to-score: kube-scheduler %s reads it from its configuration alone",
				release.Version)
		}
		return text, nil // in whatever version the release reads, such as a Policy
	}
	text, err := compare.Without(text, nil)
	if err != nil {
		return nil, err
	}
	document := &configv1.KubeSchedulerConfiguration{}
	if err := yaml.Unmarshal(text, document); err != nil {
		return nil, err
	}
	if sampled {
		for i := range document.Profiles {
			document.Profiles[i].PercentageOfNodesToScore = &f.percentage
		}
	}
	return compare.Plain(document)
}

// String is the table of what was compared, then every difference.
func (r *result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kube-scheduler %s and schedstep, side by side\n\n", r.Version)
	b.WriteString(r.Tally.String())
	if r.Foreign != "" {
		fmt.Fprintf(&b, "\n%s\n", r.Foreign)
	}
	if len(r.Without) > 0 {
		fmt.Fprintf(&b, "\nleft out on both sides, because schedstep does not judge with them: %s\n", strings.Join(
			r.Without, ", ",
		))
	}
	if len(r.Unread) > 0 {
		fmt.Fprintf(&b, "\nleft out on both sides, because kube-scheduler %s does not know these kinds: %s\n", r.Version,
			strings.Join(r.Unread, ", "))
	}
	if n := r.Tally.Chance + r.Tally.NominatedByChance; n > 0 {
		fmt.Fprintf(
			&b,
			"\n%d times kube-scheduler leaves the choice among equals to chance (the order of a map); schedstep's choice, "+
				"one of theirs, was followed\n",
			n,
		)
	}
	for i := range r.Differences {
		d := &r.Differences[i]
		where := fmt.Sprintf("after %d cycles", d.Cycle)
		if d.Cluster != "" {
			where = d.Cluster
		}
		fmt.Fprintf(&b, "\n%s, %s\n%s", where, d.Difference, d.Objects)
	}
	for _, kind := range slices.Sorted(maps.Keys(r.Others)) {
		fmt.Fprintf(&b, "\nand %d more of %s\n", r.Others[kind], strings.TrimSpace(kind))
	}
	if r.Broken != nil {
		fmt.Fprintf(&b, "\nthe comparison could not go on: %v\n", r.Broken)
	}
	switch n := r.Count(); {
	case n == 0 && r.Broken == nil:
		fmt.Fprintf(&b, "\n%d cycles, no difference\n", r.Cycles)
	default:
		fmt.Fprintf(&b, "\n%d cycles, differences: %d\n", r.Cycles, n)
	}
	return b.String()
}
