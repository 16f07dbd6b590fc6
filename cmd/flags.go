package cmd

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source/extender"
	"github.com/schedstep/schedstep/replay/source/importer/admission"
	"github.com/schedstep/schedstep/replay/source/importer/templates"
	"github.com/schedstep/schedstep/replay/source/outside"
)

// formats are what --format takes.
var formats = []string{"recording", "scenario", "json", "yaml"}

// inputFlags choose what is replayed, and under which configuration.
type inputFlags struct {
	config     string
	gates      string
	version    string
	seed       uint64
	percentage int32
	provider   string
	extenders  string
	format     string
	time       string
	most       string // a quantity of bytes
	since, to  string // moments, of a cluster's logs
	quiet      bool
	programs   bool
	templates  bool
	replicas   map[string]int
	whole      bool // no flag: set by commands that write what they read
	packed     bool // likewise, and once, in order
	resumes    bool // no flag: set by the command that goes on where a session was saved
	nodes      []string
	acts       bool // no flag: set by commands in whose world controllers act

	given   []string        // flags that are set in another way than on the command line
	plugins []config.Plugin // from outside, that configurations may name
	// everyPlugin has the custom resources read that any of them names, and not those of the configuration alone.
	everyPlugin bool
	live        *liveFlags // the cluster that is read when there is no FILE; nil: there must be one

	connected func() // called when a cluster to follow has answered; may be nil
	quits     bool   // q ends the wait for the first answer
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

// addPeriod adds the flags that choose a part of a cluster's logs.
func (f *inputFlags) addPeriod(c *cobra.Command) {
	c.Flags().StringVar(
		&f.since, "from", "", "play what the logs of a cluster hold from this `time` on (RFC 3339)",
	)
	c.Flags().StringVar(&f.to, "to", "", "play what the logs of a cluster hold up to this `time` (RFC 3339)")
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
	c.Flags().StringVar(
		&f.provider, "algorithm-provider", "",
		"the default plugins of `NAME`, DefaultProvider or ClusterAutoscalerProvider; releases up to 1.19 have it",
	)
	c.Flags().Uint64Var(&f.seed, "seed", 0, "decides what kube-scheduler leaves to chance")
	c.Flags().Int32Var(
		&f.percentage, "percentage-of-nodes-to-score", 0, "overrules the configuration; 0: chosen by cluster size",
	)
	c.Flags().StringVar(
		&f.extenders, "extenders", "",
		"who answers for extenders besides the recording: recorded (nobody), ask (their servers; no binding is sent), ask-and-bind; without it ask for those of --config, else recorded",
	)
	c.Flags().BoolVar(
		&f.programs, "allow-programs", false, "run the programs that FILE, a scenario, names as schedulers, with your rights",
	)
	c.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "leave out the notes on standard error; results stay as they are")
	offer(c, "kube-version", release.Plays())
	offer(c, "extenders", extender.Policies())
	must(c.RegisterFlagCompletionFunc("feature-gates", f.completeGates))
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

// options checks the flags before anything is read.
func (f *inputFlags) options(s Streams) (input.Options, error) {
	o := input.Options{
		Stdin: s.In, Format: f.format, Progress: progress(s), Plugins: f.plugins, Whole: f.whole, Packed: f.packed,
		Resumes:   f.resumes,
		Templates: templates.Options{Applied: f.templates, Replicas: f.replicas, Controllers: f.acts},
	}
	if f.programs {
		o.Programs = outside.Run
	}
	nodes, err := f.madeNodes()
	if err != nil {
		return o, err
	}
	o.Nodes = nodes
	if err := hasRelease(f.version); err != nil {
		return o, usageError{phrase.Errorf("--kube-version %s: %w", f.version, err)}
	}
	if of, _ := release.Find(f.version); of != nil { // gates that are wrong are refused later, with what they are about
		if gates, err := config.ParseGatesOf(of, f.gates); err == nil {
			o.Rules = admission.RulesOf(gates.On)
		}
	}
	if f.format != "" && !slices.Contains(formats, f.format) {
		return o, usageError{phrase.Errorf("--format %q: use one of %s", f.format, strings.Join(formats, ", "))}
	}
	if f.most != "" {
		most, err := resource.ParseQuantity(f.most)
		if err != nil || most.Value() <= 0 {
			return o, usageError{phrase.Errorf("--max-input %q is no number of bytes (try 4Gi)", f.most)}
		}
		o.Most = most.Value()
	}
	if err := f.checkReplicas(); err != nil {
		return o, err
	}
	if f.percentage < 0 || f.percentage > 100 {
		return o, usageError{phrase.Errorf("--percentage-of-nodes-to-score %d: it is from 0 to 100", f.percentage)}
	}
	if _, known := extender.PolicyNamed(f.extenders); !known && f.extenders != "" {
		return o, usageError{
			phrase.Errorf("--extenders %q: use one of %s", f.extenders, strings.Join(extender.Policies(), ", ")),
		}
	}
	return o, f.moments(&o)
}

// moments reads the flags that are times.
func (f *inputFlags) moments(o *input.Options) error {
	for _, flag := range []struct {
		name, text string
		into       *time.Time
	}{{"time", f.time, &o.Time}, {"from", f.since, &o.Since}, {"to", f.to, &o.To}} {
		if flag.text == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, flag.text)
		if err != nil {
			return usageError{phrase.Errorf("--%s %q is not a time (try 2026-11-20T10:00:00Z)", flag.name, flag.text)}
		}
		*flag.into = at
	}
	if !o.Since.IsZero() && !o.To.IsZero() && o.To.Before(o.Since) {
		return usageError{phrase.Errorf("--to %s is before --from %s", f.to, f.since)}
	}
	return nil
}

// hasRelease refuses a version that no table is of.
func hasRelease(version string) error {
	if _, known := release.Find(version); !known {
		return phrase.Errorf("this build has the scheduler of %s", strings.Join(release.Versions(), ", "))
	}
	return nil
}

// isSet reports whether the user set a flag.
func (f *inputFlags) isSet(c *cobra.Command, flag string) bool {
	return c.Flags().Changed(flag) || slices.Contains(f.given, flag)
}

// checkReplicas refuses numbers below 0 and above what a run can hold.
func (f *inputFlags) checkReplicas() error {
	for _, name := range slices.Sorted(maps.Keys(f.replicas)) {
		if n := f.replicas[name]; n < 0 || n > math.MaxInt32 {
			return usageError{phrase.Errorf("--replicas %s=%d: it is a number of pods", name, n)}
		}
	}
	return nil
}
