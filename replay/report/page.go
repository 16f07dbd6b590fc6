package report

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
)

//go:embed page.html
var pages embed.FS

// page is a report as a page shows it: titles and rows of text.
type page struct {
	Title  string
	Said   string
	Tables []table
}

type table struct {
	Title string
	Head  []string
	Rows  [][]cell
}

// cell is a text and, where it is a share, the width of its bar in percent.
type cell struct {
	Text string
	Bar  int
}

func plain(texts ...string) []cell {
	cells := make([]cell, len(texts))
	for i, t := range texts {
		cells[i] = cell{Text: strings.Map(visible, ansi.Strip(t))}
	}
	return cells
}

// visible drops characters that control a terminal or are not seen.
func visible(r rune) rune {
	if r < ' ' || r >= 0x7f && r < 0xa0 {
		return -1
	}
	return r
}

func share(percent float64) cell {
	return cell{strconv.FormatFloat(percent, 'f', 1, 64) + " %", int(min(max(percent, 0), 100))}
}

// mostUnplaced is how many pods without a node a page names.
const mostUnplaced = 50

func (r *Report) page() page {
	p := page{Title: strings.Map(visible, ansi.Strip(r.Title)), Said: fmt.Sprintf(
		"%d of %d pods that were to be placed have a node, after %d cycles and %s of virtual time.",
		r.Placed, r.Placed+len(r.Unplaced), r.Cycles, r.Took.Round(time.Millisecond))}
	p.add("Run", []string{"figure", "value"}, r.run())
	var resources [][]cell
	for _, x := range r.Resources {
		resources = append(resources, slices.Concat([]cell{{Text: x.Name}, share(x.Packing())}, plain(
			amount(x.Name, x.Requested), amount(x.Name, x.Capacity), amount(x.Name, x.LargestFree),
		), []cell{share(x.Fragmentation)}, plain(
			amount(x.Name, x.Stranded), fmt.Sprintf("%.0f to %.0f %%", x.Lowest, x.Highest))))
	}
	p.add("Resources", []string{
		"resource", "requested", "amount", "of", "most free on one node", "fragmentation", "stranded", "nodes differ",
	}, resources)
	var zones [][]cell
	for _, z := range r.Zones {
		name := z.Name
		if name == "" {
			name = "(no zone)"
		}
		zones = append(zones, slices.Concat(plain(name, strconv.Itoa(z.Nodes), strconv.Itoa(z.Pods)), []cell{
			share(z.CPU), share(z.Memory),
		}))
	}
	p.add("Spread over zones", []string{"zone", "nodes", "pods", "cpu requested", "memory requested"}, zones)
	var waiting [][]cell
	for _, name := range r.Unplaced[:min(len(r.Unplaced), mostUnplaced)] {
		waiting = append(waiting, plain(name))
	}
	if more := len(r.Unplaced) - mostUnplaced; more > 0 {
		waiting = append(waiting, plain(fmt.Sprintf("and %d more", more)))
	}
	p.add("Pods without a node", []string{"pod"}, waiting)
	return p
}

func (p *page) add(title string, head []string, rows [][]cell) {
	if len(rows) > 0 {
		p.Tables = append(p.Tables, table{title, head, rows})
	}
}

// run are the figures about the run as a whole.
func (r *Report) run() [][]cell {
	rows := [][]cell{
		plain("cycles", strconv.FormatInt(r.Cycles, 10)),
		plain("nodes", fmt.Sprintf("%d, %d of them without pods, %d cordoned", r.Nodes.All, r.Nodes.Empty, r.Nodes.Closed)),
		plain("waiting time, median", seconds(r.Waiting.Median)),
		plain("waiting time, 95th percentile", seconds(r.Waiting.P95)),
		plain("waiting time, longest", strings.TrimSpace(seconds(r.Waiting.Longest)+" "+r.Waiting.Pod)),
		plain("preemptions", fmt.Sprintf("%d, for which %d pods had to go", r.Preemptions, len(r.Evicted))),
	}
	outcomes := make([]string, 0, len(r.Outcomes))
	for o, n := range r.Outcomes {
		outcomes = append(outcomes, fmt.Sprintf("%s %d", o, n))
	}
	slices.Sort(outcomes)
	rows = append(rows, plain("outcomes of cycles", strings.Join(outcomes, ", ")))
	attempts := make([]string, len(r.Attempts))
	for i, a := range r.Attempts {
		attempts[i] = words.Count(a.Pods, "pod") + " " + words.Count(a.Times, "time")
	}
	return append(rows, plain("attempts", strings.Join(attempts, ", ")))
}

func seconds(s float64) string { return strconv.FormatFloat(s, 'f', 3, 64) + " s" }

func amount(resource string, n int64) string {
	switch resource {
	case "cpu":
		return trace.MilliCPU(n).String()
	case "memory", "ephemeral-storage":
		return trace.Bytes(n).String()
	}
	return strconv.FormatInt(n, 10)
}

// Markdown writes the report as tables.
func (r *Report) Markdown(out io.Writer) error {
	p := r.page()
	text := "# " + cellText(p.Title) + "\n\n" + p.Said + "\n"
	for _, t := range p.Tables {
		text += "\n## " + t.Title + "\n\n| " + strings.Join(t.Head, " | ") + " |\n|" +
			strings.Repeat("---|", len(t.Head)) + "\n"
		for _, row := range t.Rows {
			cells := make([]string, len(row))
			for i, c := range row {
				cells[i] = cellText(c.Text)
			}
			text += "| " + strings.Join(cells, " | ") + " |\n"
		}
	}
	_, err := io.WriteString(out, text)
	return err
}

// cellText is a text that divides no table and is no markup.
func cellText(text string) string {
	return strings.NewReplacer("|", "\\|", "<", "&lt;", "`", "'").Replace(text)
}

// HTML writes the report as one page that needs nothing else.
func (r *Report) HTML(out io.Writer) error {
	t, err := template.ParseFS(pages, "page.html")
	if err != nil {
		return err
	}
	return t.Execute(out, r.page())
}
