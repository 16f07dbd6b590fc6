package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/play/compare"
	"github.com/schedstep/schedstep/replay/session/lint"
	"github.com/schedstep/schedstep/tui/widget"
)

// printer prints cycles in one format.
type printer interface {
	// needs is how much of a cycle the format shows.
	needs() trace.Detail
	print(c *trace.Cycle) error
	// close prints what comes last; total is of a whole run, nil for a single cycle.
	close(total *runTotal) error
	// conclude prints what a run comes to in sentences, after close, and reports whether the format has a place for them.
	conclude(says []string) (bool, error)
	// compare puts the result of every cycle beside that of the input's own cluster.
	compare(with *recorded)
}

var outputs = []string{"table", "wide", "json", "yaml", "jsonl", "name", "markdown"}

func outputFlag(c *cobra.Command, into *string) {
	c.Flags().StringVarP(into, "output", "o", "table", "one of "+strings.Join(outputs, ", "))
	offer(c, "output", outputs)
}

// newPrinter prints in a format; what is no data in the language.
func newPrinter(format string, l words.Language, out io.Writer) (printer, error) {
	switch format {
	case "table":
		return newTable(out, l, narrow), nil
	case "wide":
		return newTable(out, l, wide), nil
	case "json", "jsonl", "yaml":
		return &documents{out: out, format: format}, nil
	case "name":
		return &names{out: out}, nil
	case "markdown":
		return &markdown{tabular: tabular{language: l, columns: narrow}, out: out}, nil
	}
	return nil, usageError{phrase.Errorf("-o %q: use one of %s", format, strings.Join(outputs, ", "))}
}

// column is one column of a table of cycles.
type column struct {
	title string
	cell  func(r *row, l words.Language) string
}

// titles are those of columns.
func titles(columns []column, l words.Language) []string {
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = l.Of(c.title)
	}
	return all
}

var narrow = []column{
	{"CYCLE", func(r *row, _ words.Language) string { return strconv.FormatInt(r.Number, 10) }},
	{"POD", func(r *row, _ words.Language) string { return clean(r.Entity.Key()) }},
	{"OUTCOME", func(r *row, _ words.Language) string { return string(r.end.Outcome) }},
	{"NODE", func(r *row, _ words.Language) string { return orDash(r.end.Node) }},
	{"MESSAGE", func(r *row, _ words.Language) string { return clean(r.end.Message) }},
}

var wide = []column{
	narrow[0], narrow[1],
	{"TIME", func(r *row, _ words.Language) string { return words.Clock(r.Time) }},
	{"TRY", func(r *row, _ words.Language) string { return strconv.Itoa(r.Attempt) }},
	{"PRIORITY", func(r *row, _ words.Language) string { return strconv.Itoa(int(r.Entity.Priority)) }},
	narrow[2], narrow[3],
	{"EVALUATED", func(r *row, _ words.Language) string { return strconv.Itoa(r.end.Evaluated) }},
	{"FEASIBLE", func(r *row, _ words.Language) string { return strconv.Itoa(r.end.Feasible) }},
	{"TIED", tied},
	{"TO", func(r *row, _ words.Language) string { return orDash(string(r.end.MovedTo)) }},
	narrow[4],
}

// withRecorded adds a column for the input's own cluster, before the last one.
func withRecorded(columns []column) []column {
	last := len(columns) - 1
	return slices.Insert(slices.Clone(columns), last, column{"RECORDED", func(r *row, l words.Language) string {
		return word(l, mark(r.said, r.isSaid))
	}})
}

// row is what a table shows of a cycle, or of one member of a pod group in it.
type row struct {
	trace.Opening
	end  *trace.Ended
	tied []string // the hosts, or the placements, with the highest total

	said   compare.Decision // beside that of the cluster
	isSaid bool
}

// rowsOf is a row for a finished cycle, and below it one for each member of a pod group.
func rowsOf(c *trace.Cycle, beside *recorded) []row {
	if c.Group == nil {
		return []row{rowOf(c.Opening, c.Latest(), beside)}
	}
	whole := row{Opening: c.Opening, end: c.Ended}
	if s := c.Group.Selected; s != nil {
		whole.tied = s.Tied
	}
	rows := []row{whole}
	for _, t := range c.Group.Ends {
		rows = append(rows, rowOf(t.Opening, t, beside))
	}
	return rows
}

func rowOf(o trace.Opening, t *trace.Try, beside *recorded) row {
	r := row{Opening: o, end: t.Ended}
	r.said, r.isSaid = beside.of(t)
	if t.Selected != nil {
		r.tied = t.Selected.Tied
	}
	return r
}

func tied(r *row, _ words.Language) string {
	if len(r.tied) < 2 {
		return "-"
	}
	return strconv.Itoa(len(r.tied))
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return clean(s)
}

// clean keeps text of a cluster from controlling the terminal or breaking the line.
func clean(s string) string { return widget.Sanitize(s) }

// plain are lines without signs and paint, each made clean, as one text.
func plain(lines []prose.Line) string {
	text := prose.Plain(lines)
	for i := range text {
		text[i] = clean(text[i])
	}
	return strings.Join(text, "\n")
}

// writeMarkdown writes a page under its title, to paste into a report.
func writeMarkdown(out io.Writer, title, page string) error {
	_, err := fmt.Fprintf(out, "### %s\n\n```\n%s\n```\n", clean(title), page)
	return err
}

// pageRows is how many rows of a table are aligned and printed together, so that a long run prints something early.
const pageRows = 256

// aligned aligns the columns of rows. A column may become wider from page to page, never narrower.
type aligned struct {
	out    io.Writer
	widths []int
	rows   [][]string
}

func (a *aligned) add(row ...string) {
	for len(a.widths) < len(row) {
		a.widths = append(a.widths, 0)
	}
	for i, cell := range row[:len(row)-1] { // nothing stands behind the last one
		a.widths[i] = max(a.widths[i], ansi.StringWidth(cell))
	}
	a.rows = append(a.rows, row)
}

// narrowest is how wide a last column is at least that is broken into lines.
const narrowest = 24

// flush prints the rows that wait. Nothing is padded at the end of a line. On a terminal a last cell that is too wide
// goes on below itself; elsewhere a row is a line.
func (a *aligned) flush() error {
	var b strings.Builder
	before := 0 // the last column
	for _, w := range a.widths[:max(len(a.widths)-1, 0)] {
		before += w + 2
	}
	left := columnsOf(a.out) - before
	for _, row := range a.rows {
		var line strings.Builder
		for i, cell := range row[:len(row)-1] {
			line.WriteString(cell + strings.Repeat(" ", a.widths[i]-ansi.StringWidth(cell)+2))
		}
		last := row[len(row)-1]
		if left >= narrowest && len(row) == len(a.widths) {
			last = strings.ReplaceAll(ansi.Wrap(last, left, ""), "\n", "\n"+strings.Repeat(" ", before))
		}
		b.WriteString(strings.TrimRight(line.String()+last, " ") + "\n")
	}
	a.rows = a.rows[:0]
	_, err := io.WriteString(a.out, b.String())
	return err
}

// columnsOf is how wide the terminal is that out writes to; 0: it is none.
func columnsOf(out io.Writer) int {
	f := terminal(out)
	if f == nil {
		return 0
	}
	columns, _, err := term.GetSize(f.Fd())
	if err != nil {
		return 0
	}
	return columns
}

// tabular is what the printers of rows and columns have in common.
type tabular struct {
	language words.Language
	columns  []column
	beside   *recorded // nil: nothing is compared
}

func (t *tabular) compare(with *recorded) {
	t.beside = with
	if with.records.Tell() {
		t.columns = withRecorded(t.columns)
	}
}

func (t *tabular) needs() trace.Detail { return trace.Summary }

// table prints a row for every cycle.
type table struct {
	aligned
	tabular
}

func newTable(out io.Writer, l words.Language, columns []column) *table {
	return &table{aligned{out: out}, tabular{language: l, columns: columns}}
}

func (t *table) print(c *trace.Cycle) error {
	if len(t.widths) == 0 {
		t.add(titles(t.columns, t.language)...)
	}
	for k, r := range rowsOf(c, t.beside) {
		cells := make([]string, len(t.columns))
		for i, column := range t.columns {
			cells[i] = column.cell(&r, t.language)
		}
		if k > 0 {
			cells[1] = "  " + cells[1]
		}
		t.add(cells...)
	}
	if len(t.rows) < pageRows {
		return nil
	}
	return t.flush()
}

func (t *table) close(*runTotal) error { return t.flush() }

func (t *table) conclude(says []string) (bool, error) {
	return true, writeBelow(t.out, len(t.widths) > 0, says)
}

// writeBelow writes sentences, and a blank line above them where something is above.
func writeBelow(out io.Writer, above bool, says []string) error {
	if above {
		says = slices.Insert(slices.Clone(says), 0, "")
	}
	_, err := fmt.Fprintln(out, strings.Join(says, "\n"))
	return err
}

// documents prints every cycle as the JSON or YAML of the contract: as JSON all of them in one list.
type documents struct {
	out    io.Writer
	beside *recorded // nil: nothing is compared
	format string
	alone  bool                     // one cycle of a run, in no list: no hash, since there is none before it to chain with
	lint   []lint.Finding           // about the pod of a cycle alone
	page   func(trace.Document) any // what is printed of a cycle alone; nil: the cycle
	begun  bool                     // the list
	chain  trace.Printer
}

func (d *documents) compare(with *recorded) { d.beside = with }

func (d *documents) needs() trace.Detail { return trace.Full }

func (d *documents) print(c *trace.Cycle) error {
	printed, err := d.chain.Print(c)
	if err != nil {
		return err
	}
	if d.alone {
		printed.Hash = ""
	}
	if said, is := d.said(c); is {
		printed.Recorded = document(said)
	}
	printed.Doubt(c)
	for _, f := range d.lint {
		printed.Lint = append(printed.Lint, trace.LintDocument{Rule: f.Rule, Says: f.Says.String()})
	}
	var line []byte
	if d.page != nil {
		line, err = encoded(d.page(printed))
	} else {
		line, err = trace.Encode(printed)
	}
	if err != nil {
		return err
	}
	line, err = asData(line, d.format)
	if err != nil {
		return err
	}
	if d.format == "yaml" {
		line = append([]byte("---\n"), line...)
	}
	if d.isList() {
		return d.list(line)
	}
	_, err = d.out.Write(line)
	return err
}

// encoded is a value as JSON, on one line.
func encoded(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// said compares a cycle about one pod with what the cluster's own scheduler reported.
func (d *documents) said(c *trace.Cycle) (compare.Decision, bool) {
	if c.Group != nil {
		d.beside.see(c)
		return compare.Decision{}, false
	}
	return d.beside.of(c.Latest())
}

// names prints every pod that was tried as kubectl's -o name does.
type names struct {
	out    io.Writer
	beside *recorded
}

func (n *names) compare(with *recorded) { n.beside = with }

func (n *names) needs() trace.Detail { return trace.Summary }

func (n *names) print(c *trace.Cycle) error {
	n.beside.see(c)
	_, err := fmt.Fprintf(n.out, "%s/%s\n", c.Entity.Type, clean(c.Entity.Name))
	return err
}

func (n *names) close(*runTotal) error { return nil }

func (n *names) conclude([]string) (bool, error) { return false, nil }

// markdown prints a table to paste into a report.
type markdown struct {
	tabular
	out  io.Writer
	rows int
}

func (m *markdown) print(c *trace.Cycle) error {
	var line, rule strings.Builder
	if m.rows == 0 {
		for _, title := range titles(m.columns, m.language) {
			line.WriteString("| " + strings.ToLower(title) + " ")
			rule.WriteString("| --- ")
		}
		fmt.Fprintf(m.out, "%s|\n%s|\n", line.String(), rule.String())
		line.Reset()
	}
	m.rows++
	for k, r := range rowsOf(c, m.beside) {
		if k > 0 {
			line.WriteString("|\n")
		}
		for _, column := range m.columns {
			line.WriteString("| " + strings.ReplaceAll(column.cell(&r, m.language), "|", `\|`) + " ")
		}
	}
	_, err := fmt.Fprintln(m.out, line.String()+"|")
	return err
}

func (m *markdown) close(*runTotal) error { return nil }

func (m *markdown) conclude(says []string) (bool, error) {
	return true, writeBelow(m.out, m.rows > 0, []string{strings.Join(says, "\n\n")})
}
