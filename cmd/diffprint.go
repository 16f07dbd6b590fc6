package cmd

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/diff"
	"github.com/schedstep/schedstep/replay/ask/page"
	"github.com/schedstep/schedstep/replay/ask/prose"
)

func (f *diffFlags) print(out io.Writer, title string, r *diff.Report, l words.Language) error {
	if f.report != "" {
		p := f.page(title, r, l)
		if f.report == "html" {
			return p.HTML(out)
		}
		return p.Markdown(out)
	}
	if f.output == "json" || f.output == "yaml" {
		shown := *r
		shown.Differences = slices.DeleteFunc(slices.Clone(r.Differences), func(d diff.Difference) bool {
			return !f.shows(d.What)
		})
		return writeData(out, shown, f.output)
	}
	if _, err := fmt.Fprintf(out, "%s\n%s\n\n", clean(prose.DiffVerdict(l, r)), clean(prose.DiffSum(l, r))); err != nil {
		return err
	}
	sides, pods, causes := aligned{out: out}, aligned{out: out}, aligned{out: out}
	sides.add("", "A: "+hear(l, r.A), "B: "+hear(l, r.B))
	for _, row := range prose.DiffFigures(l, r) {
		sides.add(row...)
	}
	pods.add(head(f.output, r, l)...)
	for i := range r.Differences {
		if d := &r.Differences[i]; f.lists(r, d.What) {
			pods.add(cells(f.output, d, l)...)
		}
	}
	causes.add(l.Each("PODS", "WHAT", "CAUSE", "PLUGIN", "FOR EXAMPLE")...)
	for _, w := range r.Ways {
		causes.add(strconv.Itoa(w.Pods), word(l, string(w.What)), word(l, string(w.Kind)), orDash(w.Plugin), clean(w.Example))
	}
	all := []*aligned{&sides}
	if len(pods.rows) > 1 {
		all = append(all, &pods)
	}
	if len(causes.rows) > 1 {
		all = append(all, &causes)
	}
	return tables(out, f.output, all...)
}

// tables writes the tables with an empty line between.
func tables(out io.Writer, format string, all ...*aligned) error {
	for i, rows := range all {
		if i > 0 {
			if _, err := fmt.Fprintln(out); err != nil {
				return err
			}
		}
		write := rows.flush
		if format == "markdown" {
			write = func() error { return asMarkdown(out, rows.rows) }
		}
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

func head(format string, r *diff.Report, l words.Language) []string {
	columns := append(l.Each("POD", "WHAT"), "A: "+hear(l, r.A), "B: "+hear(l, r.B))
	columns = append(columns, l.Each("CAUSE", "PLUGIN")...)
	if format == "wide" {
		columns = append(columns, l.Each("A SAYS", "B SAYS")...)
	}
	return append(columns, l.Of("WHY"))
}

func cells(format string, d *diff.Difference, l words.Language) []string {
	row := []string{
		clean(d.Pod), word(l, string(d.What)), clean(prose.Became(l, &d.A)), clean(prose.Became(l, &d.B)),
		word(l, string(d.Cause.Kind)), orDash(d.Cause.Plugin),
	}
	if format == "wide" {
		row = append(row, orDash(d.A.Message), orDash(d.B.Message))
	}
	return append(row, hear(l, d.Cause.Text))
}

// page is the comparison as a page that a change's reviewers read: the verdict, both sides, then the pods.
func (f *diffFlags) page(title string, r *diff.Report, l words.Language) page.Page {
	p := page.Page{Title: title, Language: l, Said: clean(prose.DiffVerdict(l, r) + " " + prose.DiffSum(l, r))}
	beside := func(of string) []string { return []string{l.Of(of), "A: " + hear(l, r.A), "B: " + hear(l, r.B)} }
	var rows [][]page.Cell
	for _, row := range prose.DiffFigures(l, r) {
		rows = append(rows, page.Plain(row...))
	}
	p.Add(l.Of("Both sides"), beside("figure"), rows)
	for i := range r.Sides.A.Fill {
		p.Sections = append(p.Sections, fillSection(r, i, beside("requested"), l))
	}
	for _, what := range diff.Whats() {
		var rows [][]page.Cell
		for i := range r.Differences {
			if d := &r.Differences[i]; d.What == what && f.lists(r, what) {
				rows = append(rows, page.Plain(slices.Delete(cells("", d, l), 1, 2)...))
			}
		}
		p.Add(l.Say("Pods that end otherwise: %s", word(l, string(what))), slices.Delete(head("", r, l), 1, 2), rows)
	}
	rows = nil
	for _, w := range r.Ways {
		rows = append(rows, page.Plain(
			strconv.Itoa(w.Pods), word(l, string(w.What)), word(l, string(w.Kind)), orDash(w.Plugin), w.Example,
		))
	}
	p.Add(l.Of("All by cause"), l.Each("PODS", "WHAT", "CAUSE", "PLUGIN", "FOR EXAMPLE"), rows)
	p.Add(l.Of("Nodes in use under one side alone"), beside(""), nodesAlone(r))
	return p
}

// fillSection is how full the nodes are of one resource, under both sides.
func fillSection(r *diff.Report, i int, head []string, l words.Language) page.Section {
	a, b := &r.Sides.A.Fill[i], &r.Sides.B.Fill[i]
	parts := page.Parts(l)
	values := func(empty int, nodes []int) []int { return append([]int{empty}, nodes...) }
	va, vb := values(a.Empty, a.Nodes[:]), values(b.Empty, b.Nodes[:])
	title := l.Say("Nodes by how much of their %s is requested", a.Name)
	s := page.Section{Title: title, Head: head, Picture: page.Histogram(
		title, parts, page.Bars{Name: head[1], Values: va, Kind: page.Filled},
		page.Bars{Name: head[2], Values: vb, Kind: page.Line},
	)}
	for k, part := range parts {
		s.Rows = append(s.Rows, page.Plain(part, strconv.Itoa(va[k]), strconv.Itoa(vb[k])))
	}
	return s
}

// mostAlone is how many nodes a page names that one side alone uses.
const mostAlone = 50

// nodesAlone are the nodes that pods are on under one side alone.
func nodesAlone(r *diff.Report) [][]page.Cell {
	var rows [][]page.Cell
	at := func(names []string, i int) string {
		if i < len(names) {
			return names[i]
		}
		return ""
	}
	for i := range min(max(len(r.Sides.OnlyA), len(r.Sides.OnlyB)), mostAlone) {
		rows = append(rows, page.Plain(strconv.Itoa(i+1), at(r.Sides.OnlyA, i), at(r.Sides.OnlyB, i)))
	}
	return rows
}
