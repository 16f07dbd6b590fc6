package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/ask/remedy"
	"github.com/schedstep/schedstep/replay/ask/workload"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
)

type explainFlags struct {
	input   inputFlags
	until   time.Duration
	cycle   int64 // 0: the end
	output  string
	verdict verdictFlags
	nearest int
}

func explainCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	f := explainFlags{input: inputFlags{plugins: plugins, live: newLiveFlags()}}
	c := &cobra.Command{
		Use:   "explain POD [FILE...]",
		Short: "One pod, one page: what happened to it and what would change it",
		Long: `explain plays FILE to its end and says of one pod what kube-scheduler would report, then for
each node every reason with its numbers, then the nearest nodes and the smallest changes. POD
is a name, or namespace/name; podgroup/NAME is a pod group, and node/NAME is a node: what is
on it, which pods it rejects and why, and what became of it in every search of the run.

deploy/NAME is a whole workload, as are sts/, ds/, rs/, job/ and cronjob/NAME: how many of its
pods fit, what rejects the next ones, and the smallest changes with which all fit, each run over
all replicas; then the page of its first pod without a node.

Without FILE it reads the cluster of the current context once, and writes nothing to it. A
POD without a namespace is in the namespace of the context then; -n names another one.

-o json, jsonl and yaml print the last cycle about the pod, in full and without the hash,
which says something about a whole run, and what the page tells besides: causes, changes with
their commands, wake-ups, victims. Of a pod group and of a workload they print where its pods
are, with such a cycle in it. schedstep schema explain prints the schema.`,
		Example: `  kubectl schedstep explain web-7 -n shop
  schedstep explain web-7 cluster.yaml
  schedstep explain deploy/web deploy.yaml cluster.yaml
  schedstep explain node/worker-1 bundle/
  schedstep explain web-7 cluster.yaml --cycle 12
  kubectl get nodes,pods -A -o json | schedstep explain default/web-7 -`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{phrase.Errorf("%s needs a POD (a name, or namespace/name) and FILEs", c.CommandPath())}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.explain(c, s, args) },
	}
	f.input.add(c)
	f.input.addPeriod(c)
	f.input.addNodes(c)
	f.input.live.add(c)
	f.input.live.completePage(c)
	c.Flags().DurationVar(&f.until, "until", 0, "let virtual time go on for this long after the start")
	c.Flags().Int64Var(&f.cycle, "cycle", 0, "explain as of the end of this cycle, and not of the run")
	c.Flags().IntVar(&f.nearest, "nearest", 5, "how many of the nearest nodes to list; -o wide lists all nodes")
	outputFlag(c, &f.output)
	f.verdict.add(c)
	return c
}

func (f *explainFlags) explain(c *cobra.Command, s Streams, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	printer, err := newPrinter(f.output, languageOf(c), s.Out)
	if err != nil {
		return err
	}
	if isSwapped(args) {
		return usageError{phrase.Errorf("the POD stands before the FILE: %s %s %s", c.CommandPath(), args[1], args[0])}
	}
	f.input.acts = isWorkload(args[0])
	in, err := f.input.openToPlay(c, s, args[1:])
	if err != nil {
		return err
	}
	if session.IsGroup(args[0]) {
		return f.explainGroup(c, s, in, args[0])
	}
	if node, is := strings.CutPrefix(args[0], nodeWord); is {
		return f.explainNode(c, s, in, node)
	}
	walk, err := f.play(c, s, in)
	if err != nil {
		return err
	}
	namespace := cmp.Or(in.namespace(), f.input.live.cluster.Namespace())
	if w, is, err := workload.At(walk.At(), args[0], namespace); is || err != nil {
		if err != nil {
			return err
		}
		return f.explainWorkload(c, s, in, walk, w)
	}
	e, found, err := f.find(c, walk, podIn(args[0], namespace))
	if err != nil {
		return err
	}
	printer.compare(newRecorded(in))
	if err := f.show(e, found, printer, s.Out); err != nil {
		return err
	}
	end := end{}
	if e.Node == "" && !e.Place.Assumed && !e.Gone { // a pod that is gone needs no node
		end.others = 1
	}
	return f.verdict.of(in, end)
}

// isSwapped reports whether the user wrote the file before the pod: the first word is a file, the second is none.
func isSwapped(args []string) bool {
	return len(args) == 2 && input.Names(args[0]) && !input.Names(args[1])
}

func (f *explainFlags) check() error {
	switch {
	case f.until < 0:
		return usageError{phrase.Errorf("--until %s: it must not be negative", f.until)}
	case f.cycle < 0:
		return usageError{phrase.Errorf("--cycle %d: it must be 1 or more", f.cycle)}
	case f.nearest < 0:
		return usageError{phrase.Errorf("--nearest %d: it must be 0 or more", f.nearest)}
	}
	return f.verdict.check()
}

// show prints the page, or the last cycle as data.
func (f *explainFlags) show(e session.Explanation, found *remedy.Answer, as printer, out io.Writer) error {
	text := plain(prose.Page(e, found, prose.Extent{All: f.output == "wide", Nearest: f.nearest}))
	switch f.output {
	case "table", "wide":
		_, err := fmt.Fprintln(out, text)
		return err
	case "markdown":
		return writeMarkdown(out, e.Pod, text)
	}
	if e.Cycle == nil {
		return phrase.Errorf("pod %q: no cycle is about it (%s)", e.Pod, prose.Place(e.Language, e.Place, e.Now))
	}
	if documents, is := as.(*documents); is {
		documents.alone, documents.lint = true, e.Lint
		documents.page = func(d trace.Document) any { return podPage{d, pageDataOf(&e, found)} }
	}
	if err := as.print(e.Cycle.Alone()); err != nil {
		return err
	}
	return as.close(nil)
}

// find explains the pod and, for a page, looks for the changes that would give it a node.
func (f *explainFlags) find(
	c *cobra.Command, walk *session.Session, pod string,
) (session.Explanation, *remedy.Answer, error) {
	e, err := walk.At().Explain(pod)
	if errors.Is(err, session.ErrNoPod) {
		return e, nil, otherThan(err, walk.At().Names(), pod)
	}
	if err != nil || f.output == "name" {
		return e, nil, err
	}
	defer letGarbageLie()()
	found, err := remedy.For(c.Context(), walk.At(), &e, nil)
	return e, found, err
}

// play is a session at the end of the input, or of a cycle.
func (f *explainFlags) play(c *cobra.Command, s Streams, in *opened) (*session.Session, error) {
	player := in.input.Play(in.config, in.seed, trace.Summary)
	if f.until > 0 {
		player.RunOn(in.input.Start.Add(f.until))
	}
	walk := session.New(player, in.about())
	walk.Speak(in.language)
	if f.cycle > 0 {
		if stop := walk.GotoCycle(c.Context(), f.cycle, nil); stop.Reason == session.NotFound {
			return nil, phrase.Errorf("--cycle: %s", stop.Text)
		}
		return walk, c.Context().Err()
	}
	walk.Move(c.Context(), session.Continue, session.Forward, nil)
	if len(walk.At().Names().Nodes) == 0 && in.cluster == nil && !f.input.quiet {
		fmt.Fprintln(s.Err, in.language.Of(
			"note: there is no node: --nodes 3x4cpu16Gi makes some, and kubectl get nodes -o yaml writes those of a cluster",
		))
	}
	return walk, c.Context().Err()
}

// otherThan is an error about a pod that is not there, or names the pod group or the node that is called so.
func otherThan(err error, names session.Names, pod string) error {
	if group := names.Group(pod); group != "" {
		return phrase.Errorf("there is no pod %q, but a pod group: explain %s", pod, group)
	}
	if slices.Contains(names.Nodes, pod) {
		return phrase.Errorf("there is no pod %q, but a node: explain %s%s", pod, nodeWord, pod)
	}
	return err
}
