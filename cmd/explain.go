package cmd

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/prose"
	"github.com/schedstep/schedstep/replay/session"
)

type explainFlags struct {
	input   inputFlags
	until   time.Duration
	output  string
	failOn  string
	nearest int
}

func explainCommand(s Streams) *cobra.Command {
	var f explainFlags
	c := &cobra.Command{
		Use:   "explain POD [FILE...]",
		Short: "One pod, one page: what happened to it and what would change it",
		Long: `explain plays FILE to its end and says of one pod what kube-scheduler would report, then for
each node every reason with its numbers, then the nearest nodes and the smallest changes. POD
is a name, or namespace/name. Without FILE, standard input is read.

-o json, jsonl and yaml print the last cycle about the pod, in full and without the hash,
which says something about a whole run.`,
		Example: `  schedstep explain web-7 cluster.yaml
  kubectl get nodes,pods -A -o json | kubectl schedstep explain default/web-7`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{fmt.Errorf("%s needs a POD (a name, or namespace/name) and FILEs", c.CommandPath())}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.explain(c, s, args) },
	}
	f.input.add(c)
	c.Flags().DurationVar(&f.until, "until", 0, "let virtual time go on for this long after the start")
	c.Flags().IntVar(&f.nearest, "nearest", 5, "how many of the nearest nodes to list; -o wide lists all nodes")
	outputFlag(c, &f.output)
	failOnFlag(c, &f.failOn)
	return c
}

func (f *explainFlags) explain(c *cobra.Command, s Streams, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	printer, err := newPrinter(f.output, s.Out)
	if err != nil {
		return err
	}
	files := args[1:]
	if len(files) == 0 {
		files = []string{"-"}
	}
	in, err := f.input.open(c, s, files)
	if err != nil {
		return err
	}
	if !f.input.quiet {
		in.caution(s)
	}
	e, err := f.find(c, in, args[0])
	if err != nil {
		return err
	}
	if err := f.show(e, printer, s.Out); err != nil {
		return err
	}
	if err := in.complete(); err != nil {
		return err
	}
	missing := 0
	if e.Node == "" {
		missing = 1
	}
	return verdict(f.failOn, missing)
}

func (f *explainFlags) check() error {
	switch {
	case f.until < 0:
		return usageError{fmt.Errorf("--until %s: it is how long virtual time goes on, and not negative", f.until)}
	case f.nearest < 0:
		return usageError{fmt.Errorf("--nearest %d: it is 0 or more", f.nearest)}
	}
	return verdict(f.failOn, 0)
}

// show prints the page, or the last cycle as data.
func (f *explainFlags) show(e session.Explanation, as printer, out io.Writer) error {
	switch f.output {
	case "table", "wide":
		p := page{Explanation: e, out: out, nearest: f.nearest, all: f.output == "wide"}
		return p.print()
	case "markdown":
		var text strings.Builder
		p := page{Explanation: e, out: &text, nearest: f.nearest}
		if err := p.print(); err != nil {
			return err
		}
		_, err := fmt.Fprintf(out, "### %s\n\n```\n%s```\n", clean(e.Pod), text.String())
		return err
	}
	if e.Cycle == nil {
		return fmt.Errorf("pod %q: no cycle is about it (%s)", e.Pod, e.State)
	}
	if documents, is := as.(*documents); is {
		documents.alone = true
	}
	if err := as.print(e.Cycle); err != nil {
		return err
	}
	return as.close()
}

// find plays to the end and asks about the pod.
func (f *explainFlags) find(c *cobra.Command, in *opened, pod string) (session.Explanation, error) {
	player := in.Play(in.config, in.seed, trace.Summary)
	if f.until > 0 {
		player.RunOn(in.Start.Add(f.until))
	}
	play := session.New(player, session.About{Title: in.Title, Version: in.config.Gates.Release().Version})
	play.Move(c.Context(), session.Continue, session.Forward, nil)
	if err := c.Context().Err(); err != nil {
		return session.Explanation{}, err
	}
	return play.Explain(pod)
}

// page is an explanation as a person reads it.
type page struct {
	session.Explanation
	out     io.Writer
	nearest int
	all     bool
	err     error
}

func (p *page) line(format string, args ...string) {
	if p.err != nil {
		return
	}
	values := make([]interface{}, len(args))
	for i, a := range args {
		values[i] = clean(a)
	}
	_, p.err = fmt.Fprintf(p.out, format+"\n", values...)
}

func (p *page) print() error {
	p.line("%s", p.Pod)
	p.line("  now      %s", p.State)
	if p.Cycle != nil {
		p.verdict()
	}
	for i, next := range p.Next {
		p.line("  %-8s %s", map[bool]string{true: "next", false: ""}[i == 0], next)
	}
	if p.Cycle != nil {
		p.prefilters()
		p.groups()
		p.nearestNodes()
		p.extenders()
		p.changes()
		p.contest()
	}
	p.history()
	return p.err
}

// verdict is what kube-scheduler would say, and how it got there.
func (p *page) verdict() {
	who := "says"
	if p.Asked {
		who = "would say"
	}
	p.line("  %-8s %s", who, p.Says)
	if ended := p.Cycle.Ended; ended != nil {
		p.line("  %-8s cycle %s, attempt %s: looked at %s of %s nodes, %s feasible", "how",
			strconv.FormatInt(p.Cycle.Number, 10),
			strconv.Itoa(p.Cycle.Attempt), strconv.Itoa(ended.Evaluated), strconv.Itoa(p.Cycle.Nodes),
			strconv.Itoa(ended.Feasible))
	}
}

// prefilters is what rejected the pod before any node was looked at.
func (p *page) prefilters() {
	for _, f := range p.Cycle.PreFilters {
		if f.Verdict.Code.Rejects() || f.Verdict.Code == trace.Error {
			p.line("\nBefore any node, %s answers %s", f.Plugin, f.Verdict.String())
			p.evidence("  ", f.Verdict, nil)
		}
	}
}

func (p *page) evidence(indent string, v trace.Verdict, users []trace.Use) {
	for _, e := range v.Evidence {
		p.line("%s%s", indent, prose.Evidence(e, users))
	}
}

func (p *page) groups() {
	if len(p.Groups) == 0 {
		return
	}
	p.line("\nNodes that reject it, by all their reasons")
	for _, g := range p.Groups {
		names := g.Nodes
		more := ""
		if len(names) > 6 {
			names, more = names[:6], fmt.Sprintf(" and %d more", len(g.Nodes)-6)
		}
		p.line("  %5s  %s", strconv.Itoa(len(g.Nodes)), strings.Join(g.Reasons, "; "))
		p.line("         %s%s", strings.Join(names, " "), more)
	}
}

func (p *page) nearestNodes() {
	shown := p.Nearest
	title := "Every rejecting node, the nearest first"
	if !p.all && len(shown) > p.nearest {
		shown, title = shown[:p.nearest], "The nearest nodes"
	}
	if len(shown) == 0 {
		return
	}
	p.line("\n%s", title)
	for _, near := range shown {
		first := true
		for _, f := range near.Failures {
			name := near.Node
			if !first {
				name = ""
			}
			first = false
			p.line("  %-24s %s: %s", name, f.Plugin, f.Verdict.Message())
			p.evidence(strings.Repeat(" ", 29), f.Verdict, f.Advice.Users)
		}
	}
}

// extenders is what extenders were asked, and what came of it.
func (p *page) extenders() {
	for i := range p.Cycle.Extended {
		if i == 0 {
			p.line("\nExtenders")
		}
		p.line("  %s", p.Cycle.Extended[i].String())
	}
}

func (p *page) changes() {
	if len(p.Changes) == 0 {
		return
	}
	p.line("\nWhat alone would open a node")
	shown := p.Changes[:min(5, len(p.Changes))]
	for _, change := range shown {
		where := strings.Join(change.Nodes[:min(3, len(change.Nodes))], " ")
		if len(change.Nodes) > 3 {
			where += fmt.Sprintf(" and %d more", len(change.Nodes)-3)
		}
		p.line("  %s  ->  %s", prose.Change(change.Change), where)
	}
}

// contest is the chosen node against the runner-up, plugin by plugin.
func (p *page) contest() {
	c := p.Cycle
	if c.Selected == nil {
		return
	}
	if !c.Selected.Scored || c.Scores == nil {
		p.line("\n%s was the only feasible node, so nothing was scored", c.Selected.Node)
		return
	}
	second := c.RunnerUp()
	if second < 0 || p.err != nil {
		return
	}
	chosen := -1
	for k, i := range c.Scores.Index {
		if c.Scores.Nodes[i] == c.Selected.Node {
			chosen = k
		}
	}
	p.line("\nWhy %s and not %s", c.Selected.Node, c.Scores.Nodes[c.Scores.Index[second]])
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\tplugin\traw\tnormalised\tweight\tweighted\trunner-up\tdifference\t\n")
	for i := range c.Scores.Columns {
		column := &c.Scores.Columns[i]
		if column.Skipped {
			continue
		}
		mine, theirs := column.Weighted(chosen), column.Weighted(second)
		fmt.Fprintf(
			w, "\t%s\t%d\t%d\t%d\t%d\t%d\t%+d\t\n", column.Plugin, column.Raw[chosen], column.Normalized[chosen],
			column.Weight, mine, theirs, mine-theirs,
		)
	}
	fmt.Fprintf(
		w, "\ttotal\t\t\t\t%d\t%d\t%+d\t\n", c.Scores.Totals[chosen], c.Scores.Totals[second],
		c.Scores.Totals[chosen]-c.Scores.Totals[second],
	)
	p.err = w.Flush()
	if len(c.Selected.Tied) > 1 {
		p.line("  %s nodes tied at %s (%s): %s decided", strconv.Itoa(len(c.Selected.Tied)),
			strconv.FormatInt(c.Selected.Total, 10),
			strings.Join(c.Selected.Tied[:min(5, len(c.Selected.Tied))], " "), c.Selected.TieBreak)
	}
}

func (p *page) history() {
	if len(p.History) == 0 {
		return
	}
	p.line("\nHistory")
	for _, e := range p.History {
		p.line("  %s  %s", e.At.UTC().Format("15:04:05.000"), e.Text)
	}
}
