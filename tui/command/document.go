package command

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/page"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/ask/remedy"
	"github.com/schedstep/schedstep/replay/ask/report"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
)

// What a document can be about.
const (
	DocumentCycle = "cycle" // the cycle of the cursor, with all its tables
	DocumentRun   = "run"   // everything from the start to the cursor
)

// DocumentFormats are what Document writes.
func DocumentFormats() []string { return []string{"html", "md", "json", "csv"} }

// Document is a whole cycle or a whole run, up to the cursor, as one text.
func Document(c Call, about, format string) (string, error) {
	switch about {
	case DocumentCycle:
		return cycleDocument(c, format)
	case DocumentRun:
		return runDocument(c, format)
	}
	return "", c.lang().Errorf("export: %q is neither %s nor %s", about, DocumentCycle, DocumentRun)
}

func cycleDocument(c Call, format string) (string, error) {
	f := c.Session.Frame()
	if f.About() == nil {
		return "", c.lang().Errorf("export: no cycle has run yet")
	}
	switch format {
	case "json":
		return asJSON(f)
	case "csv":
		return exported(f, "filter", format, c.View)
	}
	p, err := cyclePage(c)
	if err != nil {
		return "", err
	}
	return written(p, format)
}

func written(p page.Page, format string) (string, error) {
	var b strings.Builder
	if format == "html" {
		err := p.HTML(&b)
		return b.String(), err
	}
	err := p.Markdown(&b)
	return b.String(), err
}

func cyclePage(c Call) (page.Page, error) {
	f := c.Session.Frame()
	about := f.About()
	p := page.Page{
		Title: c.lang().Say("Cycle %d: %s", about.Number, prose.Entity(c.lang(), about.Entity.Key())),
		Said: c.lang().Say("%s, kube-scheduler %s, attempt %d, virtual time %s.", f.Title, f.Version,
			about.Attempt,
			words.Clock(about.Time)),
	}
	if about.Ended != nil {
		p.Said += " " + string(about.Ended.Outcome) + ": " + about.Ended.Message
	}
	pod := podOf(f, about.Entity.Key())
	e, err := c.Session.At().Explain(pod)
	if err != nil {
		return p, err
	}
	found, err := remedy.For(c.Context, c.Session.At(), &e, c.Progress)
	if err != nil {
		return p, err
	}
	p.Sections = append(p.Sections,
		page.Section{Title: c.lang().Of("Why"), Text: prose.Plain(prose.Page(e, found, prose.Usual))},
		page.Section{
			Title:   c.lang().Of("The cluster"),
			Picture: clusterPicture(c.lang(), view.MarkedNodes(f)),
		})
	p.Sections = append(p.Sections, skewSections(f)...)
	for _, t := range []struct {
		title, part string
		numbers     view.Numbers
	}{
		{c.lang().Of("Placements"), "group", 0},
		{c.lang().Of("Filters"), "filter", 0},
		{c.lang().Of("Scores, weighted"), "score", view.Weighted},
		{c.lang().Of("Scores, normalized"), "score", view.Normalized},
		{c.lang().Of("Scores, raw"), "score", view.Raw},
		{c.lang().Of("Preemption"), "preemption", 0},
	} {
		v := c.View
		v.Numbers, v.Filter = t.numbers, ""
		rows, err := tableOf(view.FrameOf(f, v.Member), t.part, v, c.lang())
		if err != nil {
			return p, err
		}
		addRows(&p, t.title, rows)
	}
	if f.Cycle != nil {
		p.Sections = append(p.Sections, page.Section{Title: c.lang().Of("Facts"), Text: describeFacts(f)})
	}
	return p, nil
}

// skewSections are the rules about how evenly pods are spread that a cycle found.
func skewSections(f *session.Frame) []page.Section {
	var all []page.Section
	spreads := view.Spreads(f)
	for i := range spreads {
		s := &spreads[i]
		text := view.SpreadInWords(f.Language, s)
		for _, d := range s.Domains {
			text = append(text, d.Name+": "+view.DomainInWords(f.Language, s, d))
		}
		all = append(all, page.Section{
			Title: f.Language.Say("Skew by domain: %s", s.Topology), Picture: skewPicture(f.Language, s), Text: text,
		})
	}
	return all
}

// usageSection is what was and is requested of each node.
func usageSection(f *session.Frame) page.Section {
	nodes := view.ChangedUsages(f)
	section := page.Section{
		Title:   f.Language.Say("Utilisation by node, %s", view.Since(f)),
		Picture: usagePicture(f.Language, nodes), Head: f.Language.Each("node", "resource", "before", "now", "change"),
	}
	share := func(s session.Share) page.Cell {
		return page.Cell{Text: fmt.Sprintf("%.0f %%", 100*s.Part()), Bar: int(min(100*s.Part(), 100))}
	}
	for _, of := range nodes[:min(len(nodes), mostUsageNodes)] {
		for i := range of {
			u := &of[i]
			cells := append(page.Plain(u.Node, u.Resource), share(u.Before), share(u.Now))
			change := fmt.Sprintf("%+.0f", u.Points())
			switch {
			case u.New:
				cells[2], change = page.Cell{}, f.Language.Of("new")
			case u.Gone:
				cells[3], change = page.Cell{}, f.Language.Of("gone")
			}
			section.Rows = append(section.Rows, append(cells, page.Plain(change)...))
		}
	}
	if more := len(nodes) - mostUsageNodes; more > 0 {
		section.Rows = append(section.Rows, page.Plain(f.Language.Say("and %d more", more), "", "", "", ""))
	}
	return section
}

// mostUsageNodes is how many nodes the table of a page has.
const mostUsageNodes = 500

// addRows adds a table whose first row are its titles.
func addRows(p *page.Page, title string, rows [][]string) {
	if len(rows) < 2 {
		return
	}
	cells := make([][]page.Cell, len(rows)-1)
	for i, row := range rows[1:] {
		cells[i] = page.Plain(row...)
	}
	p.Add(title, rows[0], cells)
}

// pastRun is what a page about a run is made of.
type pastRun struct {
	report report.Report
	cycles [][]string // a row of text for each, below titles
}

// cycleTitles stand above the cycles of a run: in a file of data as here, on a page in the reader's language.
var cycleTitles = words.English.Each("cycle", "time", "pod", "attempt", "outcome", "node", "message")

func past(c Call) (*pastRun, error) {
	f := c.Session.Frame()
	collector := report.New(f.Title)
	h := &pastRun{cycles: [][]string{cycleTitles}}
	end, err := c.Session.Again(c.Context, func(step play.Step, after *core.Scheduler) {
		collector.See(step, after)
		if step.Kind != play.Tried {
			return
		}
		cycle, _ := trace.Fold(step.Facts)
		h.cycles = append(h.cycles, []string{
			strconv.FormatInt(cycle.Number, 10), words.Clock(cycle.Time), cycle.Entity.Key(), strconv.Itoa(cycle.Attempt),
			string(cycle.Ended.Outcome), cycle.Ended.Node, cycle.Ended.Message,
		})
	})
	if err != nil {
		return nil, err
	}
	h.report = collector.Report(end)
	return h, nil
}

func runDocument(c Call, format string) (string, error) {
	h, err := past(c)
	if err != nil {
		return "", err
	}
	switch format {
	case "json":
		text, err := json.MarshalIndent(&h.report, "", "  ")
		return string(text) + "\n", err
	case "csv":
		return asCSV(h.cycles)
	}
	f := c.Session.Frame()
	p := h.report.Page(c.lang())
	pictures := []page.Section{{
		Title:   c.lang().Of("The cluster at the end"),
		Picture: clusterPicture(c.lang(), view.Nodes(f)),
	}}
	pictures = append(pictures, usageSection(f))
	p.Sections = append(pictures, p.Sections...)
	h.cycles[0] = c.lang().Each(cycleTitles...)
	addRows(&p, c.lang().Of("Cycles"), h.cycles)
	if len(f.Notes) > 0 {
		p.Sections = append(p.Sections, page.Section{
			Title: c.lang().Of("Notes about the input"), Text: rendered(c.lang(), f.Notes),
		})
	}
	return written(p, format)
}
