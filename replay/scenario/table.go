package scenario

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// examined is the last try of the last cycle, or for a named pod what a cycle would do with it now.
func (r *run) examined(pod string) (*trace.Try, error) {
	if pod == "" {
		if r.last == nil {
			return nil, errNoCycle
		}
		return r.last.Latest(), nil
	}
	facts, err := r.player.ForPod(key(pod)).Examine(key(pod))
	if err != nil {
		return nil, err
	}
	c, _ := trace.Fold(facts)
	t, _ := c.Try(key(pod))
	return t, nil
}

// cellWords name a cell in a word; a cell that kube-scheduler would not have reached is in parentheses.
var cellWords = [...]string{
	trace.CellUnknown: "?", trace.CellPass: "pass", trace.CellFail: "fail", trace.CellUnresolvable: "unresolvable",
	trace.CellError:   "error",
	trace.CellSkipped: "skipped", trace.CellWouldPass: "(pass)", trace.CellWouldFail: "(fail)",
	trace.CellWouldUnresolvable: "(unresolvable)", trace.CellWouldError: "(error)", trace.CellAhead: "",
}

// matrix prints the filters as rows and the nodes as columns.
func (r *run) matrix(pod string) error {
	c, err := r.examined(pod)
	if err != nil {
		return err
	}
	m := c.Matrix
	if m == nil {
		return phrase.Errorf("no filter was asked about %s", c.Entity.Key())
	}
	table := [][]string{append([]string{""}, m.Nodes...)}
	var skipped []string
	for p, name := range m.Plugins {
		if m.Skipped[p] {
			skipped = append(skipped, name)
			continue
		}
		row := []string{name}
		for n := range m.Nodes {
			row = append(row, cellWords[m.Cell(n, p)])
		}
		table = append(table, row)
	}
	if len(table) > 1 {
		r.printTable(table)
	}
	if len(skipped) > 0 {
		r.print("skipped: " + strings.Join(skipped, " "))
	}
	return nil
}

// scores prints the score plugins as rows and the nodes as columns.
func (r *run) scores(pod string) error {
	c, err := r.examined(pod)
	if err != nil {
		return err
	}
	s := c.Scores
	if s == nil {
		r.print("nothing was scored")
		return nil
	}
	head := []string{"", ""}
	for _, i := range s.Index {
		head = append(head, s.Nodes[i])
	}
	table := [][]string{head}
	var skipped []string
	for i := range s.Columns {
		column := &s.Columns[i]
		if column.Skipped {
			skipped = append(skipped, column.Plugin)
			continue
		}
		row := []string{column.Plugin, fmt.Sprintf("x%d", column.Weight)}
		for k := range s.Index {
			row = append(row, score(column.Raw[k], column.Normalized[k]))
		}
		table = append(table, row)
	}
	total := []string{"total", ""}
	for _, t := range s.Totals {
		total = append(total, fmt.Sprint(t))
	}
	r.printTable(append(table, total))
	if len(skipped) > 0 {
		r.print("skipped: " + strings.Join(skipped, " "))
	}
	return nil
}

func score(raw, normalized int64) string {
	if raw == normalized {
		return fmt.Sprint(raw)
	}
	return fmt.Sprintf("%d->%d", raw, normalized)
}

// printTable prints rows with their columns aligned to the left, and without spaces at the end.
func (r *run) printTable(table [][]string) {
	widths := make([]int, len(table[0]))
	for _, row := range table {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	for _, row := range table {
		var b strings.Builder
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			fmt.Fprintf(&b, "%-*s", widths[i], cell)
		}
		r.print(strings.TrimRight(b.String(), " "))
	}
}

// explain prints what the last cycle did, or what one would do with a pod now, node by node, with the evidence.
func (r *run) explain(pod string) error {
	c, err := r.examined(pod)
	if err != nil {
		return err
	}
	if c.Ended == nil {
		return phrase.Errorf("%s: the cycle has no end", c.Entity.Key())
	}
	verb := " would be "
	if pod == "" {
		verb = " was "
	}
	r.print(c.Entity.Key() + verb + string(c.Ended.Outcome) + ": " + c.Ended.Message)
	for _, f := range c.PreFilters {
		if matters(f) {
			r.print(indent + f.String())
			r.printEvidence(f.Verdict.Evidence)
		}
	}
	if c.Matrix == nil || c.PreFilterRejected() {
		return nil
	}
	for n := range c.Matrix.Nodes {
		r.explainNode(c, n)
	}
	return nil
}

func (r *run) explainNode(c *trace.Try, n int) {
	m := c.Matrix
	state := "fits"
	switch {
	case !m.Evaluated(n):
		state = "is not looked at"
	case !m.Feasible(n):
		state = "does not fit"
	}
	r.print(m.Nodes[n] + " " + state)
	for _, f := range m.OnNode(n) {
		text := m.Plugins[f.Plugin] + " " + f.Verdict.String()
		if !m.Cell(n, int(f.Plugin)).Reached() {
			text = "(" + text + ")"
		}
		r.print(indent + text)
		r.printEvidence(f.Verdict.Evidence)
	}
	if c.Scores == nil {
		return
	}
	k, scored := c.Scores.Of(n)
	if !scored {
		return
	}
	for i := range c.Scores.Columns {
		column := &c.Scores.Columns[i]
		if column.Skipped {
			continue
		}
		r.print(fmt.Sprintf("%s%s %s x%d", indent, column.Plugin, score(column.Raw[k], column.Normalized[k]), column.Weight))
		if column.Why != nil {
			r.printEvidence(column.Why[k])
		}
	}
}

func (r *run) printEvidence(all []trace.Evidence) {
	for _, e := range all {
		r.print(indent + indent + e.String())
	}
}
