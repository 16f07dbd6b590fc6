package cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source/live"
)

// liveFlags name a cluster that runs now, and which of its pods are meant.
type liveFlags struct {
	cluster  *live.Flags
	all      bool
	selector string
	chosen   labels.Selector
	log      string // a file; "": the usual one while there is a screen, else none
	written  *disk.Log
	custom   []string // resources of CustomResourceDefinitions that are read besides
}

func newLiveFlags() *liveFlags { return &liveFlags{cluster: live.NewFlags()} }

// add adds kubectl's flags for the cluster.
func (f *liveFlags) add(c *cobra.Command) {
	f.cluster.Add(c.Flags())
	f.completeNamespace(c)
	c.Flags().StringSliceVar(&f.custom, "resource", nil, "read custom resources of the cluster too, as "+
		"`quotas.v1.example.com`; those that the plugins of this program name are read without it")
	c.Flags().StringVar(&f.log, "log-file", "", "`file` for what the client library logs, the server warns of and the login "+
		"program says; without it schedstep.log in your folder of states, while there is a screen")
}

// mostOfLog is how large a log may become, in bytes, before a new one begins; the last one is kept.
const mostOfLog = 1 << 20

// openLog opens the log for what the connection reports, because that must not be written over a screen. A log that the
// user has named must be writable.
func (f *liveFlags) openLog(screen bool) error {
	path := f.log
	if path == "" {
		folder, err := stateFolder()
		if !screen || err != nil {
			return nil
		}
		path = filepath.Join(folder, "schedstep.log")
	}
	f.written = disk.NewLog(path, mostOfLog)
	if f.log != "" {
		if err := f.written.Open(); err != nil {
			return usageError{phrase.Errorf("--log-file %s: %w", f.log, disk.Bare(err))}
		}
	}
	f.cluster.LogTo(f.written)
	return nil
}

// tellLog prints where the log is, when it has lines.
func (f *liveFlags) tellLog(s Streams, l words.Language) {
	if f.written != nil && f.written.Lines() > 0 {
		lines := l.Count(f.written.Lines(), "line")
		fmt.Fprintln(s.Err, l.Say("%s about the connection, in %s", lines, clean(f.written.Path())))
	}
}

// addChoice adds the flags by which several pods are chosen.
func (f *liveFlags) addChoice(c *cobra.Command) {
	c.Flags().BoolVarP(&f.all, "all-namespaces", "A", false, "print the pods of all namespaces")
	c.Flags().StringVarP(&f.selector, "selector", "l", "", "print only pods with these `labels`, as key=value,...")
}

// addShown adds the flags by which the user chooses the pods for a command that follows a cluster.
func (f *liveFlags) addShown(c *cobra.Command) {
	c.Flags().BoolVarP(&f.all, "all-namespaces", "A", false, "mean the pods of all namespaces, whatever -n says")
	c.Flags().StringVarP(&f.selector, "selector", "l", "",
		"mean only pods with these `labels`, as key=value,...; the others still fill the nodes")
}

// meant is the pods that are shown and compared, and the flags that chose them; nil: all. A scheduler serves the whole
// cluster, so the namespace of the context does not count.
func (f *liveFlags) meant() (means func(*cluster.Pod) bool, flags string) {
	c := choice{namespace: f.cluster.Namespace(), labels: f.chosen}
	if f.all {
		c.namespace = ""
	}
	if c.isAll() {
		return nil, ""
	}
	var said []string
	if c.namespace != "" {
		said = append(said, "-n "+c.namespace)
	}
	if !c.labels.Empty() {
		said = append(said, "-l "+c.labels.String())
	}
	return c.means, clean(strings.Join(said, " "))
}

// check refuses a selector that cannot be read.
func (f *liveFlags) check() error {
	var err error
	if f.chosen, err = labels.Parse(f.selector); err != nil {
		return usageError{phrase.Errorf("-l %q: %w (try app=web,tier!=cache)", f.selector, err)}
	}
	return nil
}

// connectTo connects to the cluster, and chooses the scheduler of its release. The notes explain that choice.
func (f *inputFlags) connectTo(ctx context.Context, c *cobra.Command, s Streams) (*live.Cluster, []phrase.Text, error) {
	if f.format != "" {
		return nil, nil, usageError{phrase.Errorf("--format is for FILEs, and there is none")}
	}
	if f.live.written == nil {
		if err := f.live.openLog(false); err != nil {
			return nil, nil, err
		}
	}
	clear := f.tellConnecting(s, languageOf(c))
	at, err := f.live.cluster.Connect(ctx)
	clear()
	if err != nil {
		return nil, nil, err
	}
	return at, f.decideBy(c, at.Version()), nil
}

// openCluster reads the cluster once, and makes it an input as a dump of it would be.
func (f *inputFlags) openCluster(c *cobra.Command, s Streams) (*opened, error) {
	o, err := f.options(s)
	if err != nil {
		return nil, err
	}
	at, notes, err := f.connectTo(c.Context(), c, s)
	if err != nil {
		return nil, err
	}
	own, more, err := f.prepare(c.Context(), c, at)
	if err != nil {
		return nil, err
	}
	contents, err := at.List(c.Context(), loading(s, languageOf(c)))
	if err != nil {
		return nil, err
	}
	if !o.Time.IsZero() {
		contents.At = o.Time
	}
	in := input.FromCluster(at.Context(), contents.At, contents.Objects, kindsOf(contents.Missing))
	in.Notices = slices.Concat(unread(contents.Missing), more, notes)
	return f.ready(c, s, at, in, own)
}

// follow follows the cluster until ctx ends. Until then the input grows.
func (f *inputFlags) follow(ctx context.Context, c *cobra.Command, s Streams) (*opened, *live.Feed, error) {
	if _, err := f.options(s); err != nil {
		return nil, nil, err
	}
	at, notes, err := f.connectTo(ctx, c, s)
	if err != nil {
		return nil, nil, err
	}
	if f.connected != nil {
		f.connected()
	}
	own, more, err := f.prepare(ctx, c, at)
	if err != nil {
		return nil, nil, err
	}
	feed, err := at.Follow(ctx, loading(s, languageOf(c)))
	if err != nil {
		return nil, nil, err
	}
	in := input.FromLog(at.Context(), feed.Opened(), feed.Log(), feed.Opening(), kindsOf(feed.Missing()))
	in.Notices = slices.Concat(unread(feed.Missing()), more, notes)
	out, err := f.ready(c, s, at, in, own)
	if err != nil {
		feed.Stop()
		return nil, nil, err
	}
	if !f.quiet {
		l := out.language
		fmt.Fprintln(s.Err, l.Say("following %s: %s; configuration: %s",
			clean(at.Context()), l.Count(len(feed.Opening()), "object"), hear(l, out.configurationFrom())))
	}
	return out, feed, nil
}

// prepare finds out which custom resources are read: those of --resource, and those that the plugins of the
// configuration name. The notes are about those resources. own is the cluster's own scheduler, where prepare had to
// look for it.
func (f *inputFlags) prepare(
	ctx context.Context, c *cobra.Command, at *live.Cluster,
) (own *ownScheduler, notes []phrase.Text, err error) {
	resources := slices.Clone(f.live.custom)
	if config.HaveGuests(f.plugins) {
		if own, err = f.askScheduler(c, at); err != nil {
			return nil, nil, err
		}
		probe := &input.Input{}
		own.tell(probe)
		// ready reports a fault of the configuration later, when the cluster has been read.
		if probed, err := f.configure(c, probe); err == nil {
			resources = append(resources, probed.config.Reads()...)
		}
		if f.everyPlugin {
			resources = append(resources, config.Reads(f.plugins)...)
		}
	}
	notes, err = at.ReadCustom(ctx, resources)
	return own, notes, err
}

// ready finds the configuration for an input from a cluster, and prints what is odd.
func (f *inputFlags) ready(
	c *cobra.Command, s Streams, at *live.Cluster, in *input.Input, own *ownScheduler,
) (*opened, error) {
	if own == nil {
		var err error
		if own, err = f.askScheduler(c, at); err != nil {
			return nil, err
		}
	}
	own.tell(in)
	out, err := f.configure(c, in)
	if err != nil {
		return nil, err
	}
	out.cluster, out.guessed = at, !own.shown
	if !f.quiet {
		out.tell(s)
	}
	return out, nil
}

// ownScheduler is what a cluster shows of its own kube-scheduler.
type ownScheduler struct {
	shown  bool   // it shows its scheduler, or the user has given all settings
	config []byte // nil: the user has given one, or it is hidden
	from   string // where config is
	gates  string
	notes  []phrase.Text
}

// tell passes on to an input what was found.
func (o *ownScheduler) tell(in *input.Input) {
	in.Notices = append(in.Notices, o.notes...)
	if o.config != nil {
		in.Config, in.From = o.config, o.from
	}
	if o.gates != "" {
		in.Gates = o.gates
	}
}

// askScheduler reads the configuration and the feature gates of the cluster's own kube-scheduler, unless the user gave
// them or the cluster hides them. The notes name their source, where it is not obvious.
func (f *inputFlags) askScheduler(c *cobra.Command, at *live.Cluster) (*ownScheduler, error) {
	if f.config != "" && c.Flags().Changed("feature-gates") {
		return &ownScheduler{shown: true}, nil
	}
	own, err := at.OwnScheduler(c.Context())
	if err != nil {
		return nil, err
	}
	found := &ownScheduler{shown: own.Pod != ""}
	tell := func(format string, args ...any) { found.notes = append(found.notes, phrase.Textf(format, args...)) }
	switch {
	case f.config != "":
	case own.Hidden != "":
		tell("the configuration is kube-scheduler's default, which may not be that of %s: %s (--config names a copy)",
			own.Pod, own.Hidden)
	case own.Config != nil:
		found.config, found.from = own.Config, own.From
		tell("the configuration is that of %s, from the %s", own.Pod, own.From)
	}
	if own.Gates == "" || c.Flags().Changed("feature-gates") {
		return found, nil
	}
	decides, _ := release.Find(f.version) // options has refused what is not there
	if _, err := config.ParseGatesOf(decides, own.Gates); err != nil {
		tell("the feature gates of %s are not taken: %s", own.Pod, strings.ReplaceAll(err.Error(), "\n", "; "))
		return found, nil
	}
	found.gates = own.Gates
	tell("the feature gates are those of %s: %s", own.Pod, own.Gates)
	return found, nil
}

// configurationFrom returns the source of the configuration that is played.
func (o *opened) configurationFrom() phrase.Text {
	switch {
	case o.from != "":
		return phrase.Verbatim(o.from)
	case o.guessed:
		return "kube-scheduler's default, because the cluster shows no kube-scheduler"
	}
	return "kube-scheduler's default"
}

// decideBy chooses the release of the scheduler: that of the API server, or the nearest that this build has, unless the
// user chose one.
func (f *inputFlags) decideBy(c *cobra.Command, version string) []phrase.Text {
	if version == "" || c.Flags().Changed("kube-version") {
		return nil
	}
	nearest := release.Nearest(version)
	f.version = nearest.Version
	if nearest.Version == version {
		return nil
	}
	return []phrase.Text{phrase.Textf(
		"the cluster is of Kubernetes %s; the nearest scheduler in this build is that of %s", version, nearest.Version,
	)}
}

func kindsOf(missing []live.Missing) []cluster.Kind {
	var kinds []cluster.Kind
	for _, m := range missing {
		kinds = append(kinds, m.Kinds...)
	}
	return kinds
}

// unread lists the kinds that could not be read, with reasons.
func unread(missing []live.Missing) []phrase.Text {
	var notes []phrase.Text
	for _, m := range missing {
		var names []string
		for _, kind := range m.Kinds {
			names = append(names, string(kind))
		}
		notes = append(notes, phrase.Textf("not read: %s (%s)", strings.Join(names, ", "), m.Why))
	}
	return notes
}

// tellConnecting prints on standard error which server it connects to, when that is a terminal, and returns the
// function that clears the line. Questions of a login program come on a line of their own.
func (f *inputFlags) tellConnecting(s Streams, l words.Language) (clear func()) {
	to, server := terminal(s.Err), f.live.cluster.Server()
	if to == nil || server == "" {
		return func() {}
	}
	told := l.Say("connecting to %s ...", clean(server))
	if f.quits {
		told = l.Say("connecting to %s ... (q ends it)", clean(server))
	}
	if f.live.cluster.MayAsk() {
		fmt.Fprintln(to, told)
		return func() {}
	}
	drawOver(to, told)
	return func() { fmt.Fprint(to, clearLine) }
}

// loading draws on standard error how far the first lists have come, when a person looks at it.
func loading(s Streams, l words.Language) live.Progress {
	f := terminal(s.Err)
	if f == nil {
		return nil
	}
	return func(n live.Loaded) {
		if n.Kinds == n.Of {
			fmt.Fprint(f, clearLine)
			return
		}
		told := l.Say("reading the cluster: %d of %d kinds, %d objects", n.Kinds, n.Of, n.Objects)
		if !n.Trouble.IsZero() {
			told += "; " + l.Tell(n.Trouble)
		}
		drawOver(f, told)
	}
}

// drawOver draws a text over the line of the cursor, and no more of it than fits there.
func drawOver(f *os.File, text string) {
	if wide, _, err := term.GetSize(f.Fd()); err == nil && wide > 1 {
		text = ansi.Truncate(clean(text), wide-1, "…")
	}
	fmt.Fprint(f, clearLine+text+"\r")
}

// namespace is that of the user in a live cluster; "" where FILEs are read.
func (o *opened) namespace() string {
	if o.cluster == nil {
		return ""
	}
	return o.cluster.Namespace()
}

// inNamespace is a name with a namespace where it has none; the namespace "" leaves it as it is.
func inNamespace(name, namespace string) string {
	if namespace == "" || strings.Contains(name, "/") {
		return name
	}
	return namespace + "/" + name
}

// podIn adds the namespace to a pod's name, as the user typed it, with or without "pod/", where the name has none.
func podIn(word, namespace string) string {
	if namespace == "" {
		return word
	}
	return inNamespace(strings.TrimPrefix(word, podWord), namespace)
}

// choose makes a printer print only the cycles about the pods that the user chose, and returns the choice. Of FILEs all
// pods are meant unless flags choose some, of a cluster those of the user's namespace.
func (f *liveFlags) choose(o *opened, player *play.Player, p printer) (printer, choice) {
	c := choice{namespace: f.cluster.Namespace(), labels: f.chosen}
	c.named = c.namespace != "" || !c.labels.Empty()
	if o.cluster != nil {
		c.namespace = o.cluster.Namespace()
	}
	if f.all {
		c.namespace = ""
	}
	if c.isAll() {
		return p, c
	}
	return &chosen{printer: p, choice: c, state: player.Scheduler().State}, c
}

// chosen prints only the cycles about pods that the user means.
type chosen struct {
	printer
	choice
	state func() *cluster.State
}

func (p *chosen) print(c *trace.Cycle) error {
	if p.namespace != "" && c.Entity.Namespace != p.namespace {
		return nil
	}
	tried := []trace.Entity{c.Entity}
	if c.Group != nil {
		for _, t := range c.Group.Ends {
			tried = append(tried, t.Entity)
		}
	}
	if !slices.ContainsFunc(tried, p.shows) {
		return nil
	}
	return p.printer.print(c)
}

// shows reports whether the user means a pod. The labels of one that is gone are not known.
func (p *chosen) shows(e trace.Entity) bool {
	pod, there := p.state().Pod(e.Key())
	return p.labels.Empty() || there && p.means(pod)
}
