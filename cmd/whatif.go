package cmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/prompt"
)

// whatifFlags choose the changes to try, and when.
type whatifFlags struct {
	input   inputFlags
	do      []string
	at      string
	output  string
	verdict verdictFlags
}

func whatifCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	f := whatifFlags{input: inputFlags{plugins: plugins}}
	c := &cobra.Command{
		Use:   "whatif FILE... --do 'COMMANDS'",
		Short: "Carry out edits on a branch, and say which pods end elsewhere than without them",
		Long: `whatif plays FILE, carries out the commands of --do on a branch, runs both to their end, and prints
the pods that end elsewhere. The commands are the what-ifs of the screen: add-node, delete, drain,
cordon, taint, label, set, tolerate, relax, evict, add-volume, bind, apply; ; divides several.

--at says when: end (what was played to its end), start (before the first cycle), or the number of
a cycle, after which it happens. The exit code is 3 when a pod has no node with the edits.`,
		Example: `  schedstep whatif cluster.json rollout.yaml --do 'add-node n9 like n1'
  schedstep whatif cluster.json --at start --do 'drain n1; drain n2'
  schedstep whatif bundle/ --do 'apply 1 web-7' -o json`,
		Args: someFiles,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, s, args) },
	}
	f.input.add(c)
	f.input.addNodes(c)
	c.Flags().StringArrayVar(&f.do, "do", nil, "commands to carry out, divided by ;")
	c.Flags().StringVar(&f.at, "at", "end", "when: end, start, or the number of a cycle")
	c.Flags().StringVarP(&f.output, "output", "o", "table", "table, json or yaml")
	offer(c, "output", []string{"table", "json", "yaml"})
	f.verdict.add(c)
	return c
}

func (f *whatifFlags) check() error {
	if len(f.do) == 0 {
		return usageError{phrase.Errorf("whatif needs --do (such as --do 'add-node n9 like n1')")}
	}
	if !slices.Contains([]string{"table", "json", "yaml"}, f.output) {
		return usageError{phrase.Errorf("-o %q: it is table, json or yaml", f.output)}
	}
	if n, err := strconv.Atoi(f.at); f.at != "start" && f.at != "end" && (err != nil || n < 1) {
		return usageError{phrase.Errorf("--at %q: use start, end or the number of a cycle", f.at)}
	}
	return f.verdict.check()
}

func (f *whatifFlags) run(c *cobra.Command, s Streams, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	in, err := f.input.openToPlay(c, s, args)
	if err != nil {
		return err
	}
	walk := in.sessionOf(in.input.Play(in.config, in.seed, trace.Reported))
	without, err := walk.Finish(c.Context())
	if err != nil {
		return err
	}
	if err := f.goThere(c.Context(), walk); err != nil {
		return err
	}
	answers := s.Err
	if f.input.quiet {
		answers = discard{}
	}
	for _, lines := range f.do {
		if err := prompt.CarryOut(c.Context(), walk, lines, command.Everything, answers); err != nil {
			return usageError{phrase.Errorf("--do %q: %w", lines, err)}
		}
	}
	walk.Move(c.Context(), session.Continue, session.Forward, nil)
	if err := c.Context().Err(); err != nil {
		return err
	}
	with, err := walk.At().Trial() // where the branch has ended
	if err != nil {
		return err
	}
	old := choice{labels: labels.Everything()}.end(without)
	now := choice{labels: labels.Everything()}.end(with)
	moved := session.Moved(with.Scheduler().State(), without.Scheduler().State())
	if err := f.print(s.Out, comparison(old, now, moved, with.Scheduler().State()), in.language); err != nil {
		return err
	}
	return f.verdict.of(in, now)
}

// goThere puts the cursor where the edits are to happen.
func (f *whatifFlags) goThere(ctx context.Context, walk *session.Session) error {
	switch f.at {
	case "end":
		walk.Move(ctx, session.Continue, session.Forward, nil)
		return nil
	case "start":
		if stop := walk.GotoCycle(ctx, 1, nil); stop.Reason == session.NotFound {
			return nil
		}
		walk.Goto(ctx, session.Position{Step: walk.Position().Step - 1, Fact: -1}, nil)
		return nil
	}
	number, _ := strconv.ParseInt(f.at, 10, 64)
	if stop := walk.GotoCycle(ctx, number, nil); stop.Reason == session.NotFound {
		return usageError{phrase.Errorf("--at %s: %s", f.at, stop.Text)}
	}
	return nil
}

// tried is the result of a what-if. Its JSON is stable: members are added, and none changes its meaning.
type tried struct {
	Pods      int     `json:"pods"`
	Without   int     `json:"unplacedWithout"` // pods without a node, without the edits
	With      int     `json:"unplacedWith"`
	Elsewhere []there `json:"elsewhere"`
}

// there is a pod that ends elsewhere; "" is no node.
type there struct {
	Pod     string `json:"pod"`
	Without string `json:"without"`
	With    string `json:"with"`
	Deleted bool   `json:"deleted"`
}

func comparison(old, now end, moved []session.Elsewhere, state *cluster.State) tried {
	t := tried{Pods: state.PodCount(), Without: old.unplaced(), With: now.unplaced(), Elsewhere: []there{}}
	for _, e := range moved {
		t.Elsewhere = append(t.Elsewhere, there{e.Pod, e.Before, e.There, e.Gone})
	}
	return t
}

func (f *whatifFlags) print(out io.Writer, t tried, l words.Language) error {
	if f.output != "table" {
		return writeData(out, t, f.output)
	}
	if len(t.Elsewhere) > 0 {
		rows := aligned{out: out}
		rows.add(l.Each("POD", "WITHOUT", "WITH")...)
		for _, e := range t.Elsewhere {
			with := orDash(e.With)
			if e.Deleted {
				with = l.Of("(deleted)")
			}
			rows.add(clean(e.Pod), orDash(e.Without), with)
		}
		if err := rows.flush(); err != nil {
			return err
		}
	}
	said := l.Say("%d pods end elsewhere; without a node: %d with it, %d without it", len(t.Elsewhere), t.With, t.Without)
	if len(t.Elsewhere) == 1 {
		said = l.Say("1 pod ends elsewhere; without a node: %d with it, %d without it", t.With, t.Without)
	}
	_, err := fmt.Fprintln(out, said)
	return err
}
