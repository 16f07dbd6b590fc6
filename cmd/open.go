package cmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/bounded"
	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/play/compare"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source/extender"
	"github.com/schedstep/schedstep/replay/source/live"
	"github.com/schedstep/schedstep/tui/screen"
)

// mostOfAConfiguration is the largest configuration that is read, in bytes.
const mostOfAConfiguration = 16 << 20

// opened is an input with the configuration it is played under.
type opened struct {
	input    *input.Input
	language words.Language // language of the output
	config   *config.Config
	from     string // where config was found; "": it is kube-scheduler's default
	guessed  bool   // the cluster does not show which scheduler it has
	text     []byte // of config; nil: likewise
	seed     uint64
	with     config.Options // decides beside config

	cluster *live.Cluster           // that was read in place of FILEs; nil: there were some
	live    *screen.Live            // how the cluster goes on; nil: it was read once
	journal *extender.Journal       // nil: the configuration has no extenders
	beside  *compare.Hindsight      // compares the decisions of the cluster's own scheduler; may be nil
	means   func(*cluster.Pod) bool // which pods are shown and compared; nil: all
	shown   string                  // the flags that chose them
	observe func(trace.Fact)        // called with the facts of cycles as they are found; may be nil
}

// open reads the input and its configuration, and prints on standard error what was odd about them. No path means the
// cluster.
func (f *inputFlags) open(c *cobra.Command, s Streams, paths []string) (*opened, error) {
	if len(paths) == 0 && f.live != nil {
		if f.templates || len(f.replicas) > 0 {
			return nil, usageError{phrase.Errorf("--from-templates and --replicas need FILE: the workloads to make pods of")}
		}
		if len(f.nodes) > 0 {
			return nil, usageError{phrase.Errorf("--nodes needs FILE: the manifests to place on them")}
		}
		return f.openCluster(c, s)
	}
	o, err := f.options(s)
	if err != nil {
		return nil, err
	}
	if slices.Contains(paths, "-") && isPerson(s.In) {
		fmt.Fprintln(s.Err, languageOf(c).Of("standard input is read; ctrl+d ends it"))
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

// openToPlay is open for a command that plays the input. It also prints what a play of it cannot know.
func (f *inputFlags) openToPlay(c *cobra.Command, s Streams, paths []string) (*opened, error) {
	in, err := f.open(c, s, paths)
	if err == nil && !f.quiet {
		in.caution(s)
	}
	return in, err
}

// isPerson reports whether a user types the input.
func isPerson(in io.Reader) bool {
	file, is := in.(*os.File)
	return is && term.IsTerminal(file.Fd())
}

// configure finds the configuration of an input. A configuration that the user names must be right. One that came with
// the input and is wrong is reported as refused, and kube-scheduler's default is used.
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
		return nil, phrase.Errorf("--feature-gates: %s", phrase.OnOneLine(err))
	}
	if err := f.hasProvider(decides); err != nil {
		return nil, err
	}
	decided := config.Options{Gates: gates, Plugins: f.plugins, Provider: f.provider}
	if c.Flags().Changed("percentage-of-nodes-to-score") {
		in.Percentage = &f.percentage
	}
	decided.Percentage = in.Percentage
	out := &opened{input: in, language: languageOf(c), config: config.DefaultWith(decided), seed: in.Seed, with: decided}
	switch {
	case f.config != "":
		text, err := bounded.ReadFile(f.config, mostOfAConfiguration)
		if err != nil {
			return nil, phrase.Errorf("--config %s: %w", f.config, disk.Bare(err))
		}
		if out.config, err = config.LoadWith(text, f.config, decided); err != nil {
			return nil, err
		}
		out.from, out.text = f.config, text
	case in.Config != nil:
		loaded, err := config.LoadWith(in.Config, in.From, decided)
		if err != nil {
			in.Refused = append(in.Refused, phrase.Textf(
				"%s; kube-scheduler's default configuration is in its place", phrase.OnOneLine(err),
			))
			break
		}
		out.config, out.from, out.text = loaded, in.From, in.Config
	}
	if c.Flags().Changed("seed") {
		out.seed = f.seed
	}
	in.Whole(out.basis())
	return out, f.connect(c.Context(), out)
}

// hasProvider refuses an algorithm provider that the release does not have.
func (f *inputFlags) hasProvider(r *release.Release) error {
	if _, has := r.Provider(f.provider); has || f.provider == "" {
		return nil
	}
	var names []string
	for i := range r.Providers {
		names = append(names, r.Providers[i].Name)
	}
	if len(names) == 0 {
		return phrase.Errorf(
			"--algorithm-provider %s: kube-scheduler %s has no such flag; %s is the newest here that has it", f.provider,
			r.Version, release.TakesProvider(),
		)
	}
	return phrase.Errorf(
		"--algorithm-provider %s: kube-scheduler %s has %s", f.provider, r.Version, strings.Join(names, ", "),
	)
}

// decides is the release of kube-scheduler that decides about the input: the user's, else the input's own or the
// nearest that there is. The sentence is a note about the choice; "": there is none.
func (f *inputFlags) decides(c *cobra.Command, in *input.Input) (*release.Release, phrase.Text) {
	if in.Release != "" && !f.isSet(c, "kube-version") {
		return ofInput(in)
	}
	decides, _ := release.Find(f.version) // options has refused what is not there
	if f.version != decides.Version && f.version != decides.Patch {
		return decides, phrase.Textf(
			"--kube-version %s: decided as by kube-scheduler %s; no difference that a pod can feel is known", f.version,
			decides.Patch,
		)
	}
	return decides, unproved(decides)
}

// ofInput is the release that an input names or comes from, else the nearest.
func ofInput(in *input.Input) (*release.Release, phrase.Text) {
	own, known := release.Find(in.Release)
	if !known {
		nearest := release.Nearest(in.Release)
		return nearest, phrase.Textf(
			"the input is of Kubernetes %s; the nearest scheduler in this build is that of %s", in.Release, nearest.Version,
		)
	}
	if in.Told == "" || own == release.Newest() {
		return own, unproved(own)
	}
	note := phrase.Textf("the input is of Kubernetes %s (%s), so the scheduler of %s decides (--kube-version overrules)",
		own.Version, in.Told, own.Patch)
	if doubt := unproved(own); doubt != "" {
		note = phrase.Textf("%s; %s", note, doubt)
	}
	return own, note
}

// unproved is a note that a release was not compared with its own kube-scheduler; "": it was.
func unproved(r *release.Release) phrase.Text {
	switch r.Compared {
	case release.Whole:
		return ""
	case release.Tables:
		return phrase.Textf(
			"kube-scheduler %s, as this build has it, was held to upstream's own tests of that release, and not to one that runs",
			r.Version,
		)
	}
	return phrase.Textf("kube-scheduler %s, as this build has it, was not compared with the real one yet", r.Version)
}

// connect finds what answers for the extenders of the configuration: the recording, the extender that the input brought
// along, or servers. Without --extenders, requests go to servers only when the user gave the configuration that names
// them (--config).
func (f *inputFlags) connect(ctx context.Context, o *opened) error {
	if len(o.config.Extenders) == 0 {
		return nil
	}
	var wrong []phrase.Text
	if f.config != "" && !config.SameExtenders(o.input.Config, o.text) {
		o.input.Answers = nil // those of others
	}
	o.journal, wrong = extender.NewJournal(o.input.Answers)
	o.input.Refused = append(o.input.Refused, wrong...)
	policy, given := extender.PolicyNamed(f.extenders)
	if !given && f.config != "" {
		policy = extender.Ask
	}
	if o.input.Extenders != nil {
		if given && policy != extender.Recorded {
			o.input.Notices = append(o.input.Notices, phrase.Textf(
				"the scenario says what its extenders answer, so that --extenders %s asks no server", policy.String(),
			))
		}
		o.config = extender.ConnectTo(o.config, o.journal, o.input.Extenders)
		return nil
	}
	if policy == extender.Recorded && len(o.input.Answers) == 0 {
		o.input.Notices = append(o.input.Notices, phrase.Textf(
			"%s names extenders; no answer of theirs is recorded, and nobody is asked (--extenders ask asks them)", o.from,
		))
	}
	connected, err := extender.Connect(ctx, o.config, o.journal, policy)
	if err != nil {
		return phrase.Errorf("%s: %w", o.from, err)
	}
	o.config = connected
	return nil
}

// reconfigure reads another configuration for the input, as the one that decides was read, or that one for another
// release.
func (o *opened) reconfigure(version string, text []byte, source string) (*config.Config, error) {
	with, err := o.with.For(version)
	if err != nil {
		return nil, err
	}
	if text == nil {
		text, source = o.text, o.from
	}
	decided, err := config.LoadOr(text, source, with)
	switch {
	case err != nil:
		return nil, err
	case len(decided.Extenders) == 0:
		return decided, nil
	case o.input.Extenders != nil && o.journal != nil:
		return extender.ConnectTo(decided, o.journal, o.input.Extenders), nil
	}
	return nil, phrase.Errorf("%s: it names extenders, which are asked only from the start (--config %s)", source, source)
}

// regate reads the configuration of the input for a release and its feature gates.
func (o *opened) regate(version, gates string) (*config.Config, error) {
	of, known := release.Find(version)
	if !known {
		return nil, hasRelease(version)
	}
	set, err := config.ParseGatesOf(of, gates)
	if err != nil {
		return nil, err
	}
	other := *o
	other.with.Gates = set
	return other.reconfigure(version, nil, "")
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
			fmt.Fprint(f, clearLine)
		}
	}
}
