package panel

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/prose"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// Charts is what the other panels do not draw: the waiting pods after each cycle, how evenly the pods of the present
// one's rules are spread over their domains, how the figures of the run went, and how much is requested of each node
// now and was before the first cycle.
type Charts struct {
	filter string // in lower case; "": none

	list  widget.List
	lines chartLines
	made  *session.Frame
}

// The longest charts: a node or a domain more is counted only.
const (
	mostChartNodes   = 200
	mostChartDomains = 60
)

// chartLine is one row of a chart. It is drawn where there is a picture, and written in words otherwise.
type chartLine interface {
	draw(lang words.Language, r widget.Region)
	words(lang words.Language) string // "": it only belongs to the line before
}

// Title is the title of its box.
func (p *Charts) Title(f *session.Frame) string {
	return listed(f.Language, f.Language.Of("Charts"), which(f))
}

// Note is the number of nodes that the bars show.
func (p *Charts) Note(f *session.Frame) string { return f.Language.Count(len(f.Usage()), "node") }

// Filter shows only rows whose words contain the text, whatever the case; "" shows all.
func (p *Charts) Filter(text string) { p.filter, p.made = strings.ToLower(text), nil }

// Filtered is the text that Filter was given, in lower case.
func (p *Charts) Filtered() string { return p.filter }

// Draw fills the region.
func (p *Charts) Draw(f *session.Frame, r widget.Region, focus widget.Focus) {
	p.sync(f)
	p.list.Draw(r, p.lines, focus)
}

// Move takes the cursor some rows down.
func (p *Charts) Move(f *session.Frame, rows, _ int) {
	p.sync(f)
	p.list.Move(p.lines, rows)
}

// MovePages takes the cursor whole windows down; less than zero is up.
func (p *Charts) MovePages(f *session.Frame, pages int) {
	p.sync(f)
	p.list.MovePages(p.lines, pages)
}

// MoveTo takes the cursor to the first or the last row.
func (p *Charts) MoveTo(f *session.Frame, end End) {
	p.sync(f)
	line := 0
	if end == Last {
		line = p.lines.Len() - 1
	}
	p.list.MoveTo(p.lines, line)
}

// Point puts the cursor on the row drawn at a place of the region; false: none is there.
func (p *Charts) Point(f *session.Frame, _, y int) bool {
	p.sync(f)
	line, ok := p.list.At(p.lines, y)
	if ok {
		p.list.MoveTo(p.lines, line)
	}
	return ok
}

// Selection is the node whose bars are under the cursor.
func (p *Charts) Selection(f *session.Frame) Selection {
	p.sync(f)
	s := nothing()
	line, ok := p.list.Cursor(p.lines)
	if !ok {
		return s
	}
	used, is := p.lines.rows[line].(usageLine)
	if !is {
		return s
	}
	s.Node = used.node
	if t := f.Try(); t != nil && t.Matrix != nil {
		if s.NodeIndex = slices.Index(t.Matrix.Nodes, s.Node); s.NodeIndex >= 0 {
			s.Subject, s.Pod = OfNode, f.About().Entity.Key()
		}
	}
	return s
}

func (p *Charts) sync(f *session.Frame) {
	if p.made == f {
		return
	}
	p.made, p.lines = f, chartLines{lang: f.Language}
	for _, l := range chartsOf(f) {
		if p.filter == "" || matches(l.words(f.Language), p.filter) {
			p.lines.rows = append(p.lines.rows, l)
		}
	}
}

// chartLines are the rows for a list.
type chartLines struct {
	lang words.Language
	rows []chartLine
}

func (l chartLines) Len() int           { return len(l.rows) }
func (l chartLines) IsHeading(int) bool { return false }
func (l chartLines) DrawLine(line int, r widget.Region) {
	l.rows[line].draw(l.lang, r)
}

// ChartLines are the charts in words, a line for each row that contains a text.
func ChartLines(f *session.Frame, containing string) []string {
	var lines []string
	for _, l := range chartsOf(f) {
		if text := l.words(f.Language); text != "" && strings.Contains(text, containing) {
			lines = append(lines, text)
		}
	}
	return lines
}

// chartsOf are the rows of all charts.
func chartsOf(f *session.Frame) []chartLine {
	gap := []chartLine{blankLine{}}
	return slices.Concat(waitChart(f), gap, skewChart(f), gap, trendChart(f), gap, usageChart(f))
}

// textLine is a line of text.
type textLine struct {
	text  string
	paint themes.Paint
}

func (l textLine) draw(_ words.Language, r widget.Region) {
	r.Fit(0, 0, r.Width(), l.paint, l.text, widget.Left)
}
func (l textLine) words(words.Language) string { return l.text }

func heading(text string) chartLine { return textLine{text, themes.Title.Strong()} }
func aside(text string) chartLine   { return textLine{text, themes.Muted} }

type blankLine struct{}

func (blankLine) draw(words.Language, widget.Region) {}
func (blankLine) words(words.Language) string        { return "" }

// Spreads are the rules about how evenly pods are spread that the cycle of a frame found.
func Spreads(f *session.Frame) []trace.Spread {
	if t := f.Try(); t != nil && t.Matrix != nil {
		return t.Matrix.Spreads
	}
	return nil
}

// skewChart has a bar for each domain of each rule of the pod that the frame is about.
func skewChart(f *session.Frame) []chartLine {
	lang := f.Language
	lines := []chartLine{heading(lang.Of("Skew by domain"))}
	c := f.About()
	if c == nil {
		return append(lines, aside(lang.Of("No cycle has run yet.")))
	}
	pod := prose.Entity(lang, c.Entity.Key())
	if t := f.Try(); t != nil {
		pod = t.Entity.Key()
	}
	spreads := Spreads(f)
	if len(spreads) == 0 {
		return append(lines, aside(lang.Say("%s has no topology spread constraint that can reject a node.", pod)))
	}
	for i := range spreads {
		lines = append(lines, spreadLines(lang, pod, &spreads[i])...)
	}
	return lines
}

// SpreadInWords describes what a rule compares, and the result.
func SpreadInWords(lang words.Language, s *trace.Spread) []string {
	if len(s.Domains) == 0 {
		return []string{lang.Of("no node with this label takes part")}
	}
	var said []string
	if int64(len(s.Domains)) < s.MinDomains {
		said = append(said, lang.Say("minDomains is %d and there are %d domains: the fewest counts as 0", s.MinDomains,
			len(s.Domains)))
	}
	said = append(said, lang.Say(
		"the fewest pods are %d, maxSkew is %d: a domain may have at most %d", s.Fewest, s.MaxSkew, s.Most(),
	))
	if s.Self == 0 {
		said = append(said, lang.Of("the pod itself does not count: its labels do not match"))
	}
	return said
}

// DomainInWords is how many pods a domain has, and whether it takes the pod of the cycle.
func DomainInWords(lang words.Language, s *trace.Spread, d trace.Domain) string {
	if s.Takes(d) {
		return lang.Say("%d of at most %d", d.Pods, s.Most())
	}
	return lang.Say("%d of at most %d: no room", d.Pods, s.Most())
}

func spreadLines(lang words.Language, pod string, s *trace.Spread) []chartLine {
	lines := []chartLine{aside(lang.Say("for %s, by %s", pod, s.Topology))}
	for _, text := range SpreadInWords(lang, s) {
		lines = append(lines, aside(text))
	}
	width, top := 0, max(s.Most(), 1)
	for _, d := range s.Domains {
		width, top = max(width, widget.Width(d.Name)), max(top, d.Pods)
	}
	for _, d := range s.Domains[:min(len(s.Domains), mostChartDomains)] {
		lines = append(lines, domainLine{s, d, min(width, mostChartName), top})
	}
	if more := len(s.Domains) - mostChartDomains; more > 0 {
		return append(lines, aside(lang.Say("and %d more", more)))
	}
	return append(lines, axisLine{s, min(width, mostChartName), top})
}

// waitLine is one series of the queue's chart.
type waitLine struct {
	name string
	of   func(session.Waits) int
}

// waitLines are the series of the queue's chart.
func waitLines(f *session.Frame) []waitLine {
	lines := []waitLine{
		{f.Language.Of("all"), session.Waits.All},
		{activeName(f), func(w session.Waits) int { return int(w.Active) }},
		{"backoff", func(w session.Waits) int { return int(w.Backoff) }},
	}
	if exists(f, inUnschedulable) {
		lines = append(lines, waitLine{"unschedulable", func(w session.Waits) int { return int(w.Unschedulable) }})
	}
	if exists(f, inGated) {
		lines = append(lines, waitLine{"gated", func(w session.Waits) int { return int(w.Gated) }})
	}
	return lines
}

// bandsOfAll is how many rows high the line of all queues together is.
const bandsOfAll = 3

// waitChart is how many waited in each queue after each cycle.
func waitChart(f *session.Frame) []chartLine {
	lang := f.Language
	var ended []session.Mark
	for i := range f.Timeline {
		if f.Timeline[i].Cycle > 0 && f.Timeline[i].Outcome != "" {
			ended = append(ended, f.Timeline[i])
		}
	}
	lines := []chartLine{heading(lang.Of("Queue over time"))}
	if len(ended) == 0 {
		return append(lines, aside(lang.Of("No cycle has run yet.")))
	}
	first, last := &ended[0], &ended[len(ended)-1]
	lines = append(lines, aside(lang.Say("how many wait after each of the cycles %d to %d, %s to %s",
		first.Cycle, last.Cycle, clock(lang, first.At), clock(lang, last.At))))
	top := 1
	for i, s := range waitLines(f) {
		values := make([]int, len(ended))
		for k := range ended {
			values[k] = s.of(ended[k].Waits)
		}
		if i == 0 {
			top = max(top, slices.Max(values))
			for band := bandsOfAll - 1; band > 0; band-- {
				lines = append(lines, waveLine{"", values, top, band, bandsOfAll})
			}
			lines = append(lines, waveLine{s.name, values, top, 0, bandsOfAll})
			continue
		}
		lines = append(lines, waveLine{s.name, values, top, 0, 1})
	}
	return lines
}

// ChangedUsage is how much of a resource was and is requested of a node.
type ChangedUsage struct {
	Node, Resource string
	Before, Now    session.Share
	New, Gone      bool // the node was not there before, or is not any more
}

// Points is how many percentage points more are requested than before.
func (u *ChangedUsage) Points() float64 {
	if u.New || u.Gone {
		return 0
	}
	return 100 * (u.Now.Part() - u.Before.Part())
}

// InWords is the same as a sentence, without the node.
func (u *ChangedUsage) InWords(lang words.Language) string {
	switch {
	case u.Gone:
		return lang.Say("%s %.0f%% before, the node is gone", u.Resource, 100*u.Before.Part())
	case u.New:
		return lang.Say("%s %.0f%% now, the node is new", u.Resource, 100*u.Now.Part())
	}
	return lang.Say("%s %.0f%% before, %.0f%% now", u.Resource, 100*u.Before.Part(), 100*u.Now.Part())
}

// ChangedUsages are the nodes of a frame with what is requested of each before and now, node by node: those that
// changed most first, then by name. Of each cpu, memory, and what else it has.
func ChangedUsages(f *session.Frame) [][]ChangedUsage {
	begin := f.Begin
	if begin == nil {
		begin = f.Usage()
	}
	was := make(map[string]*session.Usage, len(begin))
	for i := range begin {
		was[begin[i].Node] = &begin[i]
	}
	var all [][]ChangedUsage
	for _, now := range f.Usage() {
		all = append(all, changedOf(was[now.Node], &now))
		delete(was, now.Node)
	}
	for i := range begin {
		if gone := was[begin[i].Node]; gone != nil {
			all = append(all, changedOf(gone, nil))
		}
	}
	most := func(of []ChangedUsage) float64 {
		change := 0.0
		for i := range of {
			change = max(change, math.Abs(of[i].Points()))
			if of[i].New || of[i].Gone {
				change = math.Inf(1)
			}
		}
		return change
	}
	slices.SortStableFunc(all, func(a, b []ChangedUsage) int {
		return cmp.Or(cmp.Compare(most(b), most(a)), strings.Compare(a[0].Node, b[0].Node))
	})
	return all
}

// changedOf compares a node with itself; nil: it was not there, or is not there.
func changedOf(before, now *session.Usage) []ChangedUsage {
	of := now
	if of == nil {
		of = before
	}
	var all []ChangedUsage
	for _, s := range of.Shares {
		if s.Resource == "pods" {
			continue
		}
		u := ChangedUsage{Node: of.Node, Resource: s.Resource, New: before == nil, Gone: now == nil}
		if before != nil {
			u.Before, _ = before.Of(s.Resource)
		}
		if now != nil {
			u.Now, _ = now.Of(s.Resource)
		}
		all = append(all, u)
	}
	return all
}

// Since is the moment with which the usage of nodes is compared.
func Since(f *session.Frame) string {
	switch {
	case f.Begin == nil:
		return f.Language.Of("now; no cycle has run yet")
	case f.Branch != f.Branches[0]:
		return f.Language.Of("before the first what-if, and now")
	}
	return f.Language.Of("before the first cycle, and now")
}

// usageChart has two bars for each resource of each node.
func usageChart(f *session.Frame) []chartLine {
	lang := f.Language
	lines := []chartLine{
		heading(lang.Of("Utilisation by node")), aside(lang.Say("what is requested of each node %s", Since(f))),
	}
	nodes := ChangedUsages(f)
	short := ShortenerOf(len(nodes), func(i int) string { return nodes[i][0].Node })
	var names, resources int
	for _, of := range nodes {
		names = max(names, widget.Width(of[0].Node))
		for i := range of {
			resources = max(resources, widget.Width(of[i].Resource))
		}
	}
	for _, of := range nodes[:min(len(nodes), mostChartNodes)] {
		for i := range of {
			lines = append(lines, usageLine{
				node: of[0].Node, short: short, of: of, at: i,
				name: min(names, mostChartName), resource: min(resources, mostChartName),
			})
		}
	}
	if more := len(nodes) - mostChartNodes; more > 0 {
		lines = append(lines, aside(lang.Say("and %d more", more)))
	}
	return lines
}

// series are numbers as a text of at most so many: of longer series the highest of each stretch.
func series(values []int, most int) (text string, stretch int) {
	values, stretch = thinned(values, most)
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = strconv.Itoa(v)
	}
	return strings.Join(texts, " "), stretch
}

// thinned are at most so many values: of longer series the highest of each stretch of equal length.
func thinned[T cmp.Ordered](values []T, most int) (shown []T, stretch int) {
	stretch = max((len(values)+most-1)/max(most, 1), 1)
	if stretch == 1 {
		return values, 1
	}
	for of := range slices.Chunk(values, stretch) {
		shown = append(shown, slices.Max(of))
	}
	return shown, stretch
}
