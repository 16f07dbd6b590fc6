package tui

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/panel"
)

// formats are what a part can be saved as, by the ending of the file.
var formats = []string{"csv", "json", "md"}

// exportable are the parts that are tables.
var exportable = []string{"filter", "score", "preemption", "group"}

// view is how the tables of the screen are looked at.
type view struct {
	order   panel.Order
	filter  string
	numbers panel.Numbers
	member  panel.Selection // of a pod group, whose filters and scores are looked at
}

// export writes a table of the cycle into a file that is not there yet, or shows what it would write.
func export(c call) (answer, error) {
	if len(c.args) < 1 || len(c.args) > 2 {
		return answer{}, fmt.Errorf("export: which table, and into what? (export filter matrix.csv; %s; files end in .%s)",
			strings.Join(exportable, ", "), strings.Join(formats, ", ."))
	}
	to := "md"
	if len(c.args) == 2 {
		to = c.args[1]
	}
	format := strings.TrimPrefix(filepath.Ext(to), ".")
	isFile := format != ""
	if !isFile {
		format = to
	}
	if !slices.Contains(formats, format) {
		return answer{}, fmt.Errorf(
			"export: %q is neither a format nor a file that ends in one (%s)", to, strings.Join(formats, ", "),
		)
	}
	text, err := exported(c.session.Frame(), c.args[0], format, c.view)
	if err != nil {
		return answer{}, err
	}
	if !isFile {
		return answer{page: page{title: c.args[0] + " as " +
			format, lines: strings.Split(strings.TrimRight(text, "\n"), "\n")}}, nil
	}
	if err := writeNew(to, text); err != nil {
		return answer{}, err
	}
	return answer{said: fmt.Sprintf("%s: %s written", to, plural(len(text), "byte", "bytes"))}, nil
}

// writeNew makes a file; one that is there already stays as it is.
func writeNew(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("export: %s is there already (name another file)", path)
	case err != nil:
		return fmt.Errorf("export: %w", err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// exported is a table of a frame as text.
func exported(f *session.Frame, part, format string, v view) (string, error) {
	whole := f
	if f = panel.FrameOf(f, v.member); f == whole && v.member.Subject == panel.OfNothing {
		f = new(panel.Group).Frame(f)
	}
	if part == "group" || part == "preemption" {
		f = whole
	}
	rows, err := tableOf(f, part, v)
	if err != nil {
		return "", err
	}
	if rows == nil {
		return "", fmt.Errorf("export: the cycle has no %s table here", part)
	}
	switch format {
	case "csv":
		var b strings.Builder
		w := csv.NewWriter(&b)
		if err := w.WriteAll(rows); err != nil {
			return "", err
		}
		return b.String(), nil
	case "json":
		return asJSON(whole)
	}
	return asMarkdown(f, part, rows), nil
}

// tableOf is a table in the order and with the filter it is looked at; nil: the frame has none.
func tableOf(f *session.Frame, part string, v view) ([][]string, error) {
	switch part {
	case "filter":
		p := &panel.Filters{}
		p.Sort(v.order)
		p.Filter(v.filter)
		return p.Export(f), nil
	case "score":
		p := &panel.Scores{}
		p.Sort(v.order)
		p.Filter(v.filter)
		p.Show(v.numbers)
		return p.Export(f), nil
	case "preemption":
		p := &panel.Preemption{}
		p.Filter(v.filter)
		return p.Export(f), nil
	case "group":
		p := &panel.Group{}
		p.Filter(v.filter)
		return p.Export(f), nil
	}
	return nil, fmt.Errorf("export: %q is no table (%s)", part, strings.Join(exportable, ", "))
}

// asJSON is the whole cycle as schedstep explain prints it.
func asJSON(f *session.Frame) (string, error) {
	var printer trace.Printer
	document, err := printer.Print(cycleOf(f))
	if err != nil {
		return "", fmt.Errorf("export: %w", err)
	}
	document.Hash = ""
	text, err := json.MarshalIndent(document, "", "  ")
	return string(text) + "\n", err
}

func asMarkdown(f *session.Frame, part string, rows [][]string) string {
	var b strings.Builder
	c := cycleOf(f)
	fmt.Fprintf(&b, "# %s of cycle %d: %s\n\n", strings.ToUpper(part[:1])+part[1:], c.Number, c.Entity.Key())
	escape := strings.NewReplacer("|", `\|`, "\n", " ")
	for i, row := range rows {
		cells := make([]string, len(row))
		for k, cell := range row {
			cells[k] = escape.Replace(cell)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return b.String()
}
