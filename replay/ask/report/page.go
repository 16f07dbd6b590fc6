package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/page"
	"github.com/schedstep/schedstep/replay/session/room"
)

func plain(texts ...string) []page.Cell { return page.Plain(texts...) }

func share(percent float64) page.Cell {
	return page.Cell{Text: strconv.FormatFloat(percent, 'f', 1, 64) + " %", Bar: int(min(max(percent, 0), 100))}
}

// mostUnplaced is how many pods without a node a page names.
const mostUnplaced = 50

// Page is the report as a page shows it, in a language.
func (r *Report) Page(l words.Language) page.Page {
	p := page.Page{Title: r.Title, Language: l, Said: l.Say(
		"%d of %d pods that were to be placed have a node, after %d cycles and %s of virtual time.",
		r.Placed, r.Placed+len(r.Unplaced), r.Cycles, r.Took.Round(time.Millisecond))}
	if len(r.Queued) > 0 {
		p.Sections = append(p.Sections, page.Section{
			Title:   l.Of("Pods that wait, cycle by cycle"),
			Picture: page.Graph(l.Say("pods in any queue after each cycle; at most %.0f", slices.Max(r.Queued)), r.Queued),
		})
	}
	p.Sections = append(p.Sections, trendSection(r.Trend, l)...)
	p.Add(l.Of("Run"), l.Each("figure", "value"), r.run(l))
	var resources [][]page.Cell
	for i := range r.Resources {
		x := &r.Resources[i]
		resources = append(resources, slices.Concat([]page.Cell{{Text: x.Name}, share(x.Packing())}, plain(
			room.Written(x.Name, x.Requested), room.Written(x.Name, x.Capacity), room.Written(x.Name, x.LargestFree),
		), []page.Cell{share(x.Fragmentation)}, plain(
			room.Written(x.Name, x.Stranded), l.Say("%.0f to %.0f %%", x.Lowest, x.Highest))))
	}
	p.Add(l.Of("Resources"), l.Each(
		"resource", "requested", "amount", "of", "most free on one node", "fragmentation", "stranded", "nodes differ",
	), resources)
	var zones [][]page.Cell
	for _, z := range r.Zones {
		name := z.Name
		if name == "" {
			name = l.Of("(no zone)")
		}
		zones = append(zones, slices.Concat(plain(name, strconv.Itoa(z.Nodes), strconv.Itoa(z.Pods)), []page.Cell{
			share(z.CPU), share(z.Memory),
		}))
	}
	p.Add(l.Of("Spread over zones"), l.Each("zone", "nodes", "pods on them", "cpu requested", "memory requested"), zones)
	var waiting [][]page.Cell
	for _, name := range r.Unplaced[:min(len(r.Unplaced), mostUnplaced)] {
		waiting = append(waiting, plain(name))
	}
	if more := len(r.Unplaced) - mostUnplaced; more > 0 {
		waiting = append(waiting, plain(l.Say("and %d more", more)))
	}
	p.Add(l.Of("Pods without a node"), l.Each("pod"), waiting)
	p.Add(l.Of("Free, and of use to no pod without a node"), l.Each(
		"node", "free", "would do for", "but for each the node has too little of",
	), r.stranded(l))
	p.Add(l.Of("What became of nodes"), l.Each(
		"node", "searches", "chosen", "fitted, another was chosen", "not looked at", "rejected first by",
	), r.fates(l))
	return p
}

// run are the figures about the run as a whole.
func (r *Report) run(l words.Language) [][]page.Cell {
	rows := [][]page.Cell{
		plain(l.Of("cycles"), strconv.FormatInt(r.Cycles, 10)),
		plain(l.Of("nodes"), l.Say("%d, %d of them without pods, %d cordoned", r.Nodes.All, r.Nodes.Empty, r.Nodes.Closed)),
		plain(l.Of("waiting time, median"), seconds(r.Waiting.Median)),
		plain(l.Of("waiting time, 95th percentile"), seconds(r.Waiting.P95)),
		plain(l.Of("waiting time, 99th percentile"), seconds(r.Waiting.P99)),
		plain(l.Of("waiting time, longest"), strings.TrimSpace(seconds(r.Waiting.Longest)+" "+r.Waiting.Pod)),
		plain(l.Of("preemptions"), l.Say("%d, for which %d pods had to go", r.Preemptions, len(r.Evicted))),
	}
	outcomes := make([]string, 0, len(r.Outcomes))
	for o, n := range r.Outcomes {
		outcomes = append(outcomes, fmt.Sprintf("%s %d", o, n))
	}
	slices.Sort(outcomes)
	rows = append(rows, plain(l.Of("outcomes of cycles"), strings.Join(outcomes, ", ")))
	attempts := make([]string, len(r.Attempts))
	for i, a := range r.Attempts {
		attempts[i] = l.Count(a.Pods, "pod") + " " + l.Count(a.Times, "time")
	}
	return append(rows, plain(l.Of("attempts"), strings.Join(attempts, ", ")))
}

// mostNodes is how many nodes a page lists.
const mostNodes = 500

// stranded are the rows of the resources on nodes that no pending pod can use.
func (r *Report) stranded(l words.Language) [][]page.Cell {
	var rows [][]page.Cell
	for _, s := range r.Stranded[:min(len(r.Stranded), mostNodes)] {
		rows = append(rows, plain(s.Node, s.Amount()+" "+s.Resource, l.Count(s.Pods, "pod"),
			strings.Join(s.Lacks, ", ")))
	}
	return moreThan(rows, len(r.Stranded), l)
}

// fates are the rows of what cycles made of nodes.
func (r *Report) fates(l words.Language) [][]page.Cell {
	var rows [][]page.Cell
	for _, f := range r.Fates[:min(len(r.Fates), mostNodes)] {
		by := make([]string, len(f.Rejected))
		for i, rejected := range f.Rejected {
			by[i] = fmt.Sprintf("%s %d", rejected.Plugin, rejected.Times)
		}
		rows = append(rows, plain(f.Node, strconv.Itoa(f.Tries), strconv.Itoa(f.Chosen), strconv.Itoa(f.Outdone),
			strconv.Itoa(f.Passed), strings.Join(by, ", ")))
	}
	return moreThan(rows, len(r.Fates), l)
}

// moreThan adds after the rows how many more there would be.
func moreThan(rows [][]page.Cell, all int, l words.Language) [][]page.Cell {
	if more := all - len(rows); more > 0 {
		last := plain(make([]string, len(rows[0]))...)
		last[0].Text = l.Say("and %d more", more)
		return append(rows, last)
	}
	return rows
}

func seconds(s float64) string { return strconv.FormatFloat(s, 'f', 3, 64) + " s" }

// Markdown writes the report as tables, in a language.
func (r *Report) Markdown(out io.Writer, l words.Language) error {
	p := r.Page(l)
	return p.Markdown(out)
}

// HTML writes the report as one page that needs nothing else, in a language.
func (r *Report) HTML(out io.Writer, l words.Language) error {
	p := r.Page(l)
	return p.HTML(out)
}
