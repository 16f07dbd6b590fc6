package cmd

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/compare"
	"github.com/schedstep/schedstep/replay/play/input"
)

// recorded puts the result of cycles beside the decisions of the scheduler of the input's own cluster. Each decision
// counts once, beside the first cycle about it.
type recorded struct {
	records *compare.Records
	report  compare.Report
	seen    map[saidOf]bool
}

// saidOf is one decision of the cluster.
type saidOf struct {
	pod  string
	what string
	at   time.Time
}

func newRecorded(o *opened) *recorded {
	return &recorded{records: o.input.Records(o.config.Gates.Release().Version), seen: map[saidOf]bool{}}
}

// of is the comparison for a try; false when the cluster decided nothing about it.
func (r *recorded) of(t *trace.Try) (compare.Decision, bool) {
	if r == nil {
		return compare.Decision{}, false
	}
	d, said := r.records.Compare(t)
	if key := (saidOf{d.Pod, d.What, d.At}); said && !r.seen[key] {
		r.seen[key] = true
		r.report.Add(d)
	}
	return d, said
}

// see counts the tries of a cycle.
func (r *recorded) see(c *trace.Cycle) {
	if r == nil {
		return
	}
	if c.Group == nil {
		r.of(c.Latest())
		return
	}
	for _, t := range c.Group.Ends {
		r.of(t)
	}
}

// summary is one line about all decisions; "" when there were none.
func (r *recorded) summary(l words.Language) string {
	total := r.report.Hosts.Total() + r.report.Messages.Total()
	if total == 0 {
		return ""
	}
	text := summaryOf(&r.report, l)
	if r.report.Hosts.Agreed+r.report.Messages.Agreed < total {
		return l.Say("%s (--recorded lists them)", text)
	}
	return text
}

// lines are the summary, or nothing.
func (r *recorded) lines(l words.Language) []string {
	if text := r.summary(l); text != "" {
		return []string{text}
	}
	return nil
}

// summaryOf counts the verdicts of a report.
func summaryOf(r *compare.Report, l words.Language) string {
	hosts, messages := r.Hosts, r.Messages
	total := hosts.Total() + messages.Total()
	if total == 0 {
		return l.Of("recorded and here: the input says nothing of what its scheduler decided")
	}
	same, explained := hosts.Agreed+hosts.Tied+messages.Agreed+messages.Tied, hosts.Explained+messages.Explained
	parts := []string{l.Say("recorded and here: %d of %s the same", same, l.Count(total, "decision"))}
	if explained > 0 {
		parts = append(parts, l.Say("%d explained", explained))
	}
	if other := total - same - explained; other > 0 {
		parts = append(parts, l.Say("%d different", other))
	}
	return strings.Join(parts, l.Of(textAlso))
}

// mark is a comparison as the cell of a table.
func mark(d compare.Decision, said bool) string {
	switch {
	case !said:
		return "-"
	case d.Verdict == compare.Agreed:
		return "same"
	}
	return string(d.Verdict)
}

// document is a comparison in the JSON of a cycle.
func document(d compare.Decision) *trace.RecordedDocument {
	r := trace.RecordedDocument{What: d.What, Theirs: d.Theirs, Verdict: string(d.Verdict), Why: d.Why.String()}
	if !d.At.IsZero() {
		at := d.At.UTC()
		r.Time = &at
	}
	return &r
}

// all compares whatever the input holds. A recording is compared decision by decision, each on the state just before
// it. Of a dump, the cycles of pods that wait are compared; each other pod is tried again on its own node.
func (f *runFlags) all(ctx context.Context, in *opened, player *play.Player) (*compare.Report, error) {
	if in.input.World == input.Recorded {
		report := watch(ctx, in, in.input.Script.Log())
		return report, ctx.Err()
	}
	defer player.Heed(ctx)()
	r := newRecorded(in)
	for steps, asked := 0, false; ; steps++ {
		if steps%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !asked && player.Remaining() == 0 {
			asked = true
			if err := r.standing(ctx, player); err != nil {
				return nil, err
			}
		}
		step, ok := player.Step()
		if !ok {
			break
		}
		if step.Kind == play.Tried {
			c, _ := trace.Fold(step.Facts)
			r.see(c)
		}
	}
	r.report.Complete()
	return &r.report, nil
}

// standing tries every pod that has a node on that node again.
func (r *recorded) standing(ctx context.Context, player *play.Player) error {
	s := player.Scheduler()
	var pods []string
	s.State().EachPod(func(p *cluster.Pod) bool {
		if p.NodeName != "" {
			pods = append(pods, p.Key)
		}
		return true
	})
	for _, pod := range pods {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if d, asked := r.records.Standing(s, pod); asked {
			r.seen[saidOf{d.Pod, d.What, d.At}] = true
			r.report.Add(d)
		}
	}
	return nil
}

// printRecorded writes the cluster's decisions and those made here.
func printRecorded(out io.Writer, r *compare.Report, past *input.Past, format string, l words.Language) error {
	switch format {
	case "json", "yaml", "jsonl":
		return writeReport(out, &agreement{Report: r, Past: past}, format)
	case "table":
		return listRecorded(out, r, l)
	}
	rows := aligned{out: out}
	rows.add(l.Each("POD", "VERDICT", "WHAT", "RECORDED", "HERE", "PROBABLY BECAUSE")...)
	for _, d := range r.Decisions {
		rows.add(clean(d.Pod), word(l, string(d.Verdict)), word(l, d.What), hear(l, d.Said()), hear(l, d.Ours),
			orDash(hear(l, d.Why)))
	}
	if format == "markdown" {
		return asMarkdown(out, rows.rows)
	}
	return rows.flush()
}

// listRecorded writes each decision in a few lines, which are easier to read than a table that wide.
func listRecorded(out io.Writer, r *compare.Report, l words.Language) error {
	var b strings.Builder
	for _, d := range r.Decisions {
		fmt.Fprintf(&b, "%s: %s\n", clean(d.Pod), word(l, string(d.Verdict)))
		b.WriteString(l.Say("  recorded: %s\n  here: %s\n", hear(l, d.Said()), hear(l, d.Ours)))
		if d.Why != "" {
			b.WriteString(l.Say("  probably because: %s\n", hear(l, d.Why)))
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// asMarkdown writes rows as a table; the first is its head.
func asMarkdown(out io.Writer, rows [][]string) error {
	var b strings.Builder
	for i, row := range rows {
		for _, cell := range row {
			b.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}
