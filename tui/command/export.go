package command

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
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/panel"
)

// formats are what a part can be saved as, by the ending of the file.
var formats = []string{"csv", "json", "md"}

// exportable are the parts that are tables.
var exportable = []string{"filter", "score", "preemption", "group"}

// View is how the tables of the screen are looked at.
type View struct {
	Order   panel.Order
	Filter  string
	Numbers panel.Numbers
	Member  panel.Selection // of a pod group, whose filters and scores are looked at
}

// export writes a table of the cycle into a file that is not there yet, or shows what it would write.
func export(c Call) (Answer, error) {
	if len(c.Args) < 1 || len(c.Args) > 2 {
		return Answer{}, fmt.Errorf("export: which table, and into what? (export filter matrix.csv; %s; files end in .%s)",
			strings.Join(exportable, ", "), strings.Join(formats, ", ."))
	}
	to := "md"
	if len(c.Args) == 2 {
		to = c.Args[1]
	}
	format := strings.TrimPrefix(filepath.Ext(to), ".")
	isFile := format != ""
	if !isFile {
		format = to
	}
	if !slices.Contains(formats, format) {
		return Answer{}, fmt.Errorf(
			"export: %q is neither a format nor a file that ends in one (%s)", to, strings.Join(formats, ", "),
		)
	}
	text, err := exported(c.Session.Frame(), c.Args[0], format, c.View)
	if err != nil {
		return Answer{}, err
	}
	if !isFile {
		return Answer{Page: Page{Title: c.Args[0] + " as " +
			format, Lines: strings.Split(strings.TrimRight(text, "\n"), "\n")}}, nil
	}
	if err := writeNew(to, text); err != nil {
		return Answer{}, err
	}
	return Answer{Said: fmt.Sprintf("%s: %s written", to, words.CountOf(len(text), "byte", "bytes"))}, nil
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
func exported(f *session.Frame, part, format string, v View) (string, error) {
	whole := f
	if f = panel.FrameOf(f, v.Member); f == whole && v.Member.Subject == panel.OfNothing {
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
func tableOf(f *session.Frame, part string, v View) ([][]string, error) {
	switch part {
	case "filter":
		p := &panel.Filters{}
		p.Sort(v.Order)
		p.Filter(v.Filter)
		return p.Export(f), nil
	case "score":
		p := &panel.Scores{}
		p.Sort(v.Order)
		p.Filter(v.Filter)
		p.Show(v.Numbers)
		return p.Export(f), nil
	case "preemption":
		p := &panel.Preemption{}
		p.Filter(v.Filter)
		return p.Export(f), nil
	case "group":
		p := &panel.Group{}
		p.Filter(v.Filter)
		return p.Export(f), nil
	}
	return nil, fmt.Errorf("export: %q is no table (%s)", part, strings.Join(exportable, ", "))
}

// asJSON is the whole cycle as schedstep explain prints it.
func asJSON(f *session.Frame) (string, error) {
	var printer trace.Printer
	document, err := printer.Print(f.About())
	if err != nil {
		return "", fmt.Errorf("export: %w", err)
	}
	document.Hash = ""
	text, err := json.MarshalIndent(document, "", "  ")
	return string(text) + "\n", err
}

func asMarkdown(f *session.Frame, part string, rows [][]string) string {
	var b strings.Builder
	c := f.About()
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
