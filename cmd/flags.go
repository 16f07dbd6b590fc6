package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/bounded"
	"github.com/schedstep/schedstep/replay/compare"
	"github.com/schedstep/schedstep/replay/extender"
	"github.com/schedstep/schedstep/replay/importer/templates"
	"github.com/schedstep/schedstep/replay/input"
	"github.com/schedstep/schedstep/replay/live"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/screen"
)

// formats are what --format takes.
var formats = []string{"recording", "scenario", "json", "yaml"}

// mostOfAConfiguration is far beyond what anybody writes.
const mostOfAConfiguration = 16 << 20

// inputFlags say what is replayed, and under which configuration.
type inputFlags struct {
	config     string
	gates      string
	version    string
	seed       uint64
	percentage int32
	extenders  string
	format     string
	time       string
	most       string // a quantity of bytes
	quiet      bool
	templates  bool
	replicas   map[string]int
	whole      bool // no flag: set by commands that write what they read

	given   []string        // flags that are set in another way than on the command line
	plugins []config.Plugin // from outside, that configurations may name
	live    *liveFlags      // the cluster that is read when there is no FILE; nil: there must be one
}

// add adds every flag of a command that reads input.
func (f *inputFlags) add(c *cobra.Command) {
	f.addDeciding(c)
	c.Flags().StringVar(
		&f.format, "format", "", "overrules the detection of the input's format: "+strings.Join(formats, ", "),
	)
	c.Flags().StringVar(
		&f.time, "time", "", "when virtual time begins (RFC 3339); without it the newest timestamp of the objects",
	)
	c.Flags().StringVar(
		&f.most, "max-input", "2Gi", "how many bytes of input are read, unpacked",
	)
	c.Flags().BoolVar(
		&f.templates, "from-templates", false,
		"make the pods that Deployments, Jobs and the like of a running cluster lack, not only of those never applied",
	)
	c.Flags().StringToIntVar(
		&f.replicas, "replicas", nil, "how many pods a workload makes, as `NAME=N`; NAME may be namespace/name",
	)
	offer(c, "format", formats)
}

// addDeciding adds the flags that change what is decided, whatever the input: those of a command whose input is
// embedded.
func (f *inputFlags) addDeciding(c *cobra.Command) {
	c.Flags().StringVar(
		&f.config, "config", "",
		"KubeSchedulerConfiguration `file`; without it the input's own, else kube-scheduler's default",
	)
	c.Flags().StringVar(
		&f.gates, "feature-gates", "", "kube-scheduler's feature `gates`, as NAME=true,...; without it the input's own",
	)
	c.Flags().StringVar(
		&f.version, "kube-version", release.Newest().Version,
		"Kubernetes `version` whose scheduler decides; without it the input's own, else the newest",
	)
	c.Flags().Uint64Var(&f.seed, "seed", 0, "decides what kube-scheduler leaves to chance")
	c.Flags().Int32Var(
		&f.percentage, "percentage-of-nodes-to-score", 0, "overrules the configuration; 0: chosen by cluster size",
	)
	c.Flags().StringVar(
		&f.extenders, "extenders", "",
		"who answers for extenders besides the recording: recorded (nobody), ask (their servers; no binding is sent), ask-and-bind; without it ask for those of --config, else recorded",
	)
	c.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "say nothing about what was left out of the input")
	offer(c, "kube-version", release.Versions())
	offer(c, "extenders", extender.Policies())
}

// offer gives a flag's fixed values to the shell.
func offer(c *cobra.Command, flag string, values []string) {
	must(c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
}

// must panics on an error that only a mistake in this package can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// opened is an input with the configuration it is played under.
type opened struct {
	*input.Input
	config *config.Config
	from   string // where config was found; "": it is kube-scheduler's default
	text   []byte // of config; nil: likewise
	seed   uint64

	cluster *live.Cluster      // that was read in place of FILEs; nil: there were some
	live    *screen.Live       // how the cluster goes on; nil: it was read once
	journal *extender.Journal  // nil: the configuration has no extenders
	beside  *compare.Hindsight // compares the decisions of the cluster's own scheduler; nil: nobody does
	observe func(trace.Fact)   // is told of the facts of cycles as they are found; nil: nobody is
}

// open reads the input and its configuration, and tells on standard error what was odd about them. No path means the
// cluster.
func (f *inputFlags) open(c *cobra.Command, s Streams, paths []string) (*opened, error) {
	if len(paths) == 0 && f.live != nil {
		if f.templates || len(f.replicas) > 0 {
			return nil, usageError{errors.New("--from-templates and --replicas need FILE: the workloads to make pods of")}
		}
		return f.openCluster(c, s)
	}
	o, err := f.options(s)
	if err != nil {
		return nil, err
	}
	if slices.Contains(paths, "-") && isPerson(s.In) {
		fmt.Fprintln(s.Err, "standard input is read; ctrl+d ends it")
	}
	in, err := input.Read(c.Context(), paths, o)
	if err != nil {
		return nil, err
	}
	out, err := f.configure(c, in)
	if err != nil {
		return nil, err
	}
	if !f.quiet {
		out.tell(s)
	}
	return out, nil
}

// openToPlay is open for a command that plays the input, and tells too what a play of it cannot know.
func (f *inputFlags) openToPlay(c *cobra.Command, s Streams, paths []string) (*opened, error) {
	in, err := f.open(c, s, paths)
	if err == nil && !f.quiet {
		in.caution(s)
	}
	return in, err
}

// isPerson says whether somebody types what is read.
func isPerson(in io.Reader) bool {
	file, is := in.(*os.File)
	return is && term.IsTerminal(file.Fd())
}

// options checks the flags before anything is read.
func (f *inputFlags) options(s Streams) (input.Options, error) {
	o := input.Options{
		Stdin: s.In, Format: f.format, Progress: progress(s), Plugins: f.plugins, Whole: f.whole,
		Templates: templates.Options{Applied: f.templates, Replicas: f.replicas},
	}
	if err := hasRelease(f.version); err != nil {
		return o, usageError{fmt.Errorf("--kube-version %s: %w", f.version, err)}
	}
	if f.format != "" && !slices.Contains(formats, f.format) {
		return o, usageError{fmt.Errorf("--format %q: use one of %s", f.format, strings.Join(formats, ", "))}
	}
	if f.most != "" {
		most, err := resource.ParseQuantity(f.most)
		if err != nil || most.Value() <= 0 {
			return o, usageError{fmt.Errorf("--max-input %q is no number of bytes (try 4Gi)", f.most)}
		}
		o.Most = most.Value()
	}
	if err := f.checkReplicas(); err != nil {
		return o, err
	}
	if f.percentage < 0 || f.percentage > 100 {
		return o, usageError{fmt.Errorf("--percentage-of-nodes-to-score %d: it is from 0 to 100", f.percentage)}
	}
	if _, known := extender.PolicyNamed(f.extenders); !known && f.extenders != "" {
		return o, usageError{
			fmt.Errorf("--extenders %q: use one of %s", f.extenders, strings.Join(extender.Policies(), ", ")),
		}
	}
	if f.time == "" {
		return o, nil
	}
	at, err := time.Parse(time.RFC3339, f.time)
	if err != nil {
		return o, usageError{fmt.Errorf("--time %q is not a time (try 2026-11-20T10:00:00Z)", f.time)}
	}
	o.Time = at
	return o, nil
}

// hasRelease refuses a version that no table is of.
func hasRelease(version string) error {
	if _, known := release.Find(version); !known {
		return fmt.Errorf("this build has the scheduler of %s", strings.Join(release.Versions(), ", "))
	}
	return nil
}

// isSet says whether the user set a flag.
func (f *inputFlags) isSet(c *cobra.Command, flag string) bool {
	return c.Flags().Changed(flag) || slices.Contains(f.given, flag)
}

// checkReplicas refuses numbers nobody could mean.
func (f *inputFlags) checkReplicas() error {
	for _, name := range slices.Sorted(maps.Keys(f.replicas)) {
		if n := f.replicas[name]; n < 0 || n > math.MaxInt32 {
			return usageError{fmt.Errorf("--replicas %s=%d: it is a number of pods", name, n)}
		}
	}
	return nil
}

// configure finds the configuration of an input. One that the user names must be right; one that came with the input
// and is not gives way to kube-scheduler's default, and is told of as refused.
func (f *inputFlags) configure(c *cobra.Command, in *input.Input) (*opened, error) {
	text := in.Gates
	if f.isSet(c, "feature-gates") {
		text = f.gates
	}
	decides, note := f.decides(c, in)
	if note != "" {
		in.Notices = append(in.Notices, note)
	}
	gates, err := config.ParseGatesOf(decides, text)
	if err != nil {
		return nil, fmt.Errorf("--feature-gates: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	decided := config.Options{Gates: gates, Plugins: f.plugins}
	if c.Flags().Changed("percentage-of-nodes-to-score") {
		decided.Percentage = &f.percentage
	}
	out := &opened{Input: in, config: config.DefaultWith(decided), seed: in.Seed}
	switch {
	case f.config != "":
		text, err := bounded.ReadFile(f.config, mostOfAConfiguration)
		if err != nil {
			return nil, fmt.Errorf("--config %s: %w", f.config, bare(err))
		}
		if out.config, err = config.LoadWith(text, f.config, decided); err != nil {
			return nil, err
		}
		out.from, out.text = f.config, text
	case in.Config != nil:
		loaded, err := config.LoadWith(in.Config, in.From, decided)
		if err != nil {
			in.Refused = append(in.Refused, strings.ReplaceAll(err.Error(), "\n", "; ")+
				"; kube-scheduler's default configuration is in its place")
			break
		}
		out.config, out.from, out.text = loaded, in.From, in.Config
	}
	if c.Flags().Changed("seed") {
		out.seed = f.seed
	}
	return out, f.connect(c.Context(), out)
}

// decides is the release of kube-scheduler that decides about the input: the user's, else the input's own or the
// nearest that there is. The sentence says what is worth knowing about the choice; "": nothing.
func (f *inputFlags) decides(c *cobra.Command, in *input.Input) (*release.Release, string) {
	if in.Release != "" && !f.isSet(c, "kube-version") {
		return ofInput(in)
	}
	decides, _ := release.Find(f.version) // options has refused what is not there
	if f.version != decides.Version && f.version != decides.Patch {
		return decides, fmt.Sprintf(
			"--kube-version %s: decided as by kube-scheduler %s, the patch of %s that this build has", f.version,
			decides.Patch, decides.Version,
		)
	}
	return decides, unproved(decides)
}

// ofInput is the release that an input asks for or is of, else the nearest.
func ofInput(in *input.Input) (*release.Release, string) {
	own, known := release.Find(in.Release)
	if !known {
		nearest := release.Nearest(in.Release)
		return nearest, fmt.Sprintf(
			"the input is of Kubernetes %s; the nearest scheduler in this build is that of %s", in.Release, nearest.Version,
		)
	}
	if in.Told == "" || own == release.Newest() {
		return own, unproved(own)
	}
	note := fmt.Sprintf("the input is of Kubernetes %s (%s), so the scheduler of %s decides (--kube-version overrules)",
		own.Version, in.Told, own.Patch)
	if doubt := unproved(own); doubt != "" {
		note += "; " + doubt
	}
	return own, note
}

// unproved says that a release was not compared with its own kube-scheduler; "": it was.
func unproved(r *release.Release) string {
	if r.Compared != "" {
		return ""
	}
	return fmt.Sprintf("kube-scheduler %s, as this build has it, was not compared with the real one yet", r.Version)
}

// connect finds out who answers for the extenders of the configuration: the recording, whoever the input brought along,
// or servers. Servers are asked unbidden only when the user named the configuration that names them.
func (f *inputFlags) connect(ctx context.Context, o *opened) error {
	if len(o.config.Extenders) == 0 {
		return nil
	}
	var wrong []string
	o.journal, wrong = extender.NewJournal(o.Answers)
	o.Refused = append(o.Refused, wrong...)
	policy, given := extender.PolicyNamed(f.extenders)
	if !given && f.config != "" {
		policy = extender.Ask
	}
	if o.Input.Extenders != nil {
		o.config = extender.ConnectTo(o.config, o.journal, o.Input.Extenders)
		return nil
	}
	if policy == extender.Recorded && len(o.Answers) == 0 {
		o.Notices = append(o.Notices, o.from+
			" names extenders; no answer of theirs is recorded, and nobody is asked (--extenders ask asks them)")
	}
	connected, err := extender.Connect(ctx, o.config, o.journal, policy)
	if err != nil {
		return fmt.Errorf("%s: %w", o.from, err)
	}
	o.config = connected
	return nil
}

// bare is a file system error without the operation and the path, which the sentence around it says.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// progress draws how far the reading is, on a terminal; elsewhere it is silent.
func progress(s Streams) func(done, total int64) {
	f := terminal(s.Err)
	if f == nil {
		return nil
	}
	return func(done, total int64) {
		if total <= 0 {
			return
		}
		fmt.Fprintf(f, "\rreading %3d%%\r", 100*done/total)
		if done >= total {
			fmt.Fprint(f, "\x1b[2K\r")
		}
	}
}

// screenFlags say how the screen looks.
type screenFlags struct {
	theme   string
	plain   bool
	ascii   bool
	noColor bool
	noMouse bool
	history string // of attach alone: how much of it is kept
	keys    string // a file; "": the one in the user's folder for configurations, if there is one

	script string // a file of commands to begin with; "": none

	rebound screen.Rebind // what the file says
}

func (f *screenFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.theme, "theme", "", "`name` of a theme (schedstep themes lists them)")
	c.Flags().BoolVar(
		&f.plain, "plain", false, "a line-by-line prompt with the same verbs, for screen readers and scripts",
	)
	c.Flags().BoolVar(&f.ascii, "ascii", false, "draw with ASCII characters only")
	c.Flags().BoolVar(&f.noColor, "no-color", false, "no colours (as NO_COLOR with any value)")
	c.Flags().BoolVar(&f.noMouse, "no-mouse", false, "leave the mouse to the terminal")
	c.Flags().StringVarP(&f.script, "execute", "x", "", "`file` with commands to begin with, as the command source takes it")
	c.Flags().StringVar(
		&f.keys, "keys", "", "`file` with keys of your own; without it schedstep/keys.yaml in your folder of configurations",
	)
	must(c.RegisterFlagCompletionFunc("theme", func(
		*cobra.Command, []string, string,
	) ([]string, cobra.ShellCompDirective) {
		return themes.Names(), cobra.ShellCompDirectiveNoFileComp
	}))
}

// check refuses a theme that does not exist, before anything is read.
func (f *screenFlags) check() error {
	if f.theme != "" && !slices.Contains(themes.Names(), f.theme) {
		return usageError{fmt.Errorf("there is no theme %q (there are %s)", f.theme, strings.Join(themes.Names(), ", "))}
	}
	return f.readKeys()
}

// mostOfKeys is far beyond what anybody writes.
const mostOfKeys = 1 << 20

// readKeys reads the user's own keys. A file that the user did not name need not be there.
func (f *screenFlags) readKeys() error {
	path := f.keys
	if path == "" {
		folder, err := os.UserConfigDir()
		if err != nil {
			return nil // without a home there is no such file
		}
		path = filepath.Join(folder, "schedstep", "keys.yaml")
		if _, err := os.Stat(path); err != nil {
			return nil
		}
	}
	text, err := bounded.ReadFile(path, mostOfKeys)
	if err == nil {
		f.rebound, err = screen.ParseKeys(text)
	}
	if err != nil {
		return usageError{fmt.Errorf("keys %s: %w", path, bare(err))}
	}
	return nil
}

// options are the screen's options; NO_COLOR counts with any value.
func (f *screenFlags) options() screen.Options {
	return screen.Options{
		Theme: f.theme, ASCII: f.ascii, NoColor: f.noColor || os.Getenv("NO_COLOR") != "", NoMouse: f.noMouse,
		Keys: f.rebound, Script: f.script,
	}
}

// detailFlag is how much of every cycle is kept.
func detailFlag(c *cobra.Command, into *string) {
	c.Flags().StringVar(
		into, "detail", "", "what a cycle keeps: summary, reported or full; without it full for json, jsonl and yaml",
	)
	offer(c, "detail", []string{"summary", "reported", "full"})
}

// detail is the detail asked for, or what a format needs.
func detail(word string, otherwise trace.Detail) (trace.Detail, error) {
	if word == "" {
		return otherwise, nil
	}
	d, ok := trace.DetailNamed(word)
	if !ok {
		return d, usageError{fmt.Errorf("--detail %q: use one of summary, reported, full", word)}
	}
	return d, nil
}
