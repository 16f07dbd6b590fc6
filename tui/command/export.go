package command

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// exportable are the parts that are tables.
var exportable = []string{"filter", "score", "preemption", "group"}

// exportScreen is the screen as it looks.
const exportScreen = "screen"

// exportWords are everything that can be exported.
func exportWords() []string {
	return append([]string{DocumentCycle, DocumentRun, exportScreen}, exportable...)
}

// formatsOf are what a part can be saved as, by the ending of the file; the first where none is named.
func formatsOf(part string) []string {
	switch part {
	case DocumentCycle, DocumentRun:
		return DocumentFormats()
	case exportScreen:
		return []string{"svg"}
	}
	return []string{"md", "csv", "json"}
}

// formats are all of them.
var formats = []string{"html", "md", "json", "csv", "svg"}

// View is how the tables of the screen are looked at.
type View struct {
	Order   view.Order
	Filter  string
	Numbers view.Numbers
	Member  view.Selection // of a pod group, whose filters and scores are looked at

	Screen func() (string, error) // the whole of it as SVG; nil: there is no screen
}

// export writes a part into a file that is not there yet, or shows what it would write.
func export(c Call) (Answer, error) {
	if len(c.Args) < 1 || len(c.Args) > 2 || !slices.Contains(exportWords(), c.Args[0]) {
		return Answer{}, c.lang().Errorf(
			"export: what, and into what? (export cycle page.html; export filter matrix.csv; %s)",
			strings.Join(exportWords(), ", "))
	}
	part, can := c.Args[0], formatsOf(c.Args[0])
	to := can[0]
	if len(c.Args) == 2 {
		to = strings.TrimPrefix(c.Args[1], "--")
	}
	format := strings.TrimPrefix(filepath.Ext(to), ".")
	isFile := format != ""
	if !isFile {
		format = to
	}
	if format == "markdown" {
		format = "md"
	}
	if !slices.Contains(can, format) {
		return Answer{}, c.lang().Errorf("export: %q is neither a format nor a file that ends in one (of %s: %s)",
			to, part,
			strings.Join(can, ", "))
	}
	text, err := textOfPart(c, part, format)
	if err != nil {
		return Answer{}, err
	}
	if !isFile {
		return Answer{Page: Page{
			Title: c.lang().Say("%s as %s", part, format), Lines: strings.Split(strings.TrimRight(text, "\n"), "\n"),
		}}, nil
	}
	if err := c.writeNew(to, text); err != nil {
		return Answer{}, phrase.Errorf("export: %w", err)
	}
	return Answer{
		Said: c.lang().Say("%s: %s written", to, c.lang().CountOf(len(text), "byte", "bytes")),
	}, nil
}

func textOfPart(c Call, part, format string) (string, error) {
	switch {
	case part == exportScreen && c.View.Screen == nil:
		return "", c.lang().Errorf("export: there is no screen here")
	case part == exportScreen:
		return c.View.Screen()
	case part == DocumentCycle || part == DocumentRun:
		return Document(c, part, format)
	}
	return exported(c.Session.Frame(), part, format, c.View)
}

// exported is a table of a frame as text.
func exported(f *session.Frame, part, format string, v View) (string, error) {
	whole := f
	if f = view.FrameOf(f, v.Member); f == whole && v.Member.Subject == view.OfNothing {
		f, _ = view.MemberFrame(f)
	}
	if part == "group" || part == "preemption" {
		f = whole
	}
	lang := f.Language
	if format == "csv" {
		lang = words.English
	}
	rows, err := tableOf(f, part, v, lang)
	if err != nil {
		return "", err
	}
	if rows == nil {
		return "", f.Language.Errorf("export: the cycle has no %s table here", part)
	}
	switch format {
	case "csv":
		return asCSV(rows)
	case "json":
		return asJSON(whole)
	}
	return asMarkdown(f, part, rows), nil
}

func asCSV(rows [][]string) (string, error) {
	var b strings.Builder
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.String(), err
}

// tableOf is a table in the order and with the filter it is looked at; nil: the frame has none.
func tableOf(f *session.Frame, part string, v View, lang words.Language) ([][]string, error) {
	switch part {
	case "filter":
		return view.FilterTable(f, v.Order, v.Filter, lang), nil
	case "score":
		return view.ScoreTable(f, v.Order, v.Filter, v.Numbers, lang), nil
	case "preemption":
		return view.PreemptionTable(f, v.Filter), nil
	case "group":
		return view.GroupTable(f, v.Filter), nil
	}
	return nil, f.Language.Errorf("export: %q is no table (%s)", part, strings.Join(exportable, ", "))
}

// asJSON is the whole cycle as schedstep explain prints it.
func asJSON(f *session.Frame) (string, error) {
	var printer trace.Printer
	document, err := printer.Print(f.About())
	if err != nil {
		return "", phrase.Errorf("export: %w", err)
	}
	document.Hash = ""
	text, err := json.MarshalIndent(document, "", "  ")
	return string(text) + "\n", err
}

func asMarkdown(f *session.Frame, part string, rows [][]string) string {
	var b strings.Builder
	c := f.About()
	fmt.Fprintf(
		&b, f.Language.Of("# %s of cycle %d: %s\n\n"), strings.ToUpper(part[:1])+part[1:], c.Number, c.Entity.Key(),
	)
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
