package view

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/session/trend"
	"github.com/schedstep/schedstep/tui/widget"
)

// The longest charts: a node or a domain more is counted only.
const (
	mostChartNodes   = 200
	mostChartDomains = 60
)

// ChartLine is one row of a chart: data for a picture, and the same in words.
type ChartLine interface {
	Words(lang words.Language) string // "": it only belongs to the line before
}

// ChartLines are the charts in words, a line for each row that contains a text.
func ChartLines(f *session.Frame, containing string) []string {
	var lines []string
	for _, l := range ChartsOf(f) {
		if text := l.Words(f.Language); text != "" && strings.Contains(text, containing) {
			lines = append(lines, text)
		}
	}
	return lines
}

// ChartsOf are the rows of all charts.
func ChartsOf(f *session.Frame) []ChartLine {
	gap := []ChartLine{blankLine{}}
	return slices.Concat(waitChart(f), gap, skewChart(f), gap, trendChart(f), gap, usageChart(f))
}

// TextLine is a line of text.
type TextLine struct {
	Text    string
	Heading bool // else it stands aside
}

// Words is the text.
func (l TextLine) Words(words.Language) string { return l.Text }

func heading(text string) ChartLine { return TextLine{text, true} }

func aside(text string) ChartLine { return TextLine{text, false} }

type blankLine struct{}

func (blankLine) Words(words.Language) string { return "" }

// Spreads are the rules about how evenly pods are spread that the cycle of a frame found.
func Spreads(f *session.Frame) []trace.Spread {
	if t := f.Try(); t != nil && t.Matrix != nil {
		return t.Matrix.Spreads
	}
	return nil
}

// skewChart has a bar for each domain of each rule of the pod that the frame is about.
func skewChart(f *session.Frame) []ChartLine {
	lang := f.Language
	lines := []ChartLine{heading(lang.Of("Skew by domain"))}
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

func spreadLines(lang words.Language, pod string, s *trace.Spread) []ChartLine {
	lines := []ChartLine{aside(lang.Say("for %s, by %s", pod, s.Topology))}
	for _, text := range SpreadInWords(lang, s) {
		lines = append(lines, aside(text))
	}
	width, top := 0, max(s.Most(), 1)
	for _, d := range s.Domains {
		width, top = max(width, widget.Width(d.Name)), max(top, d.Pods)
	}
	for _, d := range s.Domains[:min(len(s.Domains), mostChartDomains)] {
		lines = append(lines, DomainLine{s, d, min(width, mostChartName), top})
	}
	if more := len(s.Domains) - mostChartDomains; more > 0 {
		return append(lines, aside(lang.Say("and %d more", more)))
	}
	return append(lines, AxisLine{s, min(width, mostChartName), top})
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
		{ActiveName(f), func(w session.Waits) int { return int(w.Active) }},
		{"backoff", func(w session.Waits) int { return int(w.Backoff) }},
	}
	if !f.Queue.InLine {
		lines = append(lines, waitLine{"unschedulable", func(w session.Waits) int { return int(w.Unschedulable) }})
	}
	if f.Queue.Gates {
		lines = append(lines, waitLine{"gated", func(w session.Waits) int { return int(w.Gated) }})
	}
	return lines
}

// bandsOfAll is how many rows high the line of all queues together is.
const bandsOfAll = 3

// waitChart is how many waited in each queue after each cycle.
func waitChart(f *session.Frame) []ChartLine {
	lang := f.Language
	var ended []session.Mark
	for i := range f.Timeline {
		if f.Timeline[i].Cycle > 0 && f.Timeline[i].Outcome != "" {
			ended = append(ended, f.Timeline[i])
		}
	}
	lines := []ChartLine{heading(lang.Of("Queue over time"))}
	if len(ended) == 0 {
		return append(lines, aside(lang.Of("No cycle has run yet.")))
	}
	first, last := &ended[0], &ended[len(ended)-1]
	lines = append(lines, aside(lang.Say("how many wait after each of the cycles %d to %d, %s to %s",
		first.Cycle, last.Cycle, Clock(lang, first.At), Clock(lang, last.At))))
	top := 1
	for i, s := range waitLines(f) {
		values := make([]int, len(ended))
		for k := range ended {
			values[k] = s.of(ended[k].Waits)
		}
		if i == 0 {
			top = max(top, slices.Max(values))
			for band := bandsOfAll - 1; band > 0; band-- {
				lines = append(lines, WaveLine{"", values, top, band, bandsOfAll})
			}
			lines = append(lines, WaveLine{s.name, values, top, 0, bandsOfAll})
			continue
		}
		lines = append(lines, WaveLine{s.name, values, top, 0, 1})
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
		begin = f.At.Usage()
	}
	was := make(map[string]*session.Usage, len(begin))
	for i := range begin {
		was[begin[i].Node] = &begin[i]
	}
	var all [][]ChangedUsage
	for _, now := range f.At.Usage() {
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
func usageChart(f *session.Frame) []ChartLine {
	lang := f.Language
	lines := []ChartLine{
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
			lines = append(lines, UsageLine{
				Node: of[0].Node, Short: short, Of: of, At: i,
				Name: min(names, mostChartName), Resource: min(resources, mostChartName),
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
	values, stretch = Thinned(values, most)
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = strconv.Itoa(v)
	}
	return strings.Join(texts, " "), stretch
}

// Thinned are at most so many values: of longer series the highest of each stretch of equal length.
func Thinned[T cmp.Ordered](values []T, most int) (shown []T, stretch int) {
	stretch = max((len(values)+most-1)/max(most, 1), 1)
	if stretch == 1 {
		return values, 1
	}
	for of := range slices.Chunk(values, stretch) {
		shown = append(shown, slices.Max(of))
	}
	return shown, stretch
}

// mostChartName is how wide the name before a bar is at most.
const mostChartName = 18

// WaveLine is one row of the line of a series: the highest row of it is that of the last band.
type WaveLine struct {
	Name        string // "" above the lowest row
	Values      []int
	Top         int // what fills all rows
	Band, Bands int
}

// Figures are the most and the newest value.
func (l WaveLine) Figures(lang words.Language) string {
	return lang.Say("most %d, now %d", slices.Max(l.Values), l.Values[len(l.Values)-1])
}

// mostSaidValues is how many numbers of a series are written in words.
const mostSaidValues = 20

// Words are the name and the newest values; "" for the rows of a wave below its first.
func (l WaveLine) Words(lang words.Language) string {
	if l.Name == "" {
		return ""
	}
	text, stretch := series(l.Values, mostSaidValues)
	if stretch > 1 {
		return lang.Say("%s: %s; the highest of every %d cycles: %s", l.Name, l.Figures(lang), stretch, text)
	}
	return lang.Say("%s: %s; after each cycle: %s", l.Name, l.Figures(lang), text)
}

// DomainLine is a bar for the pods of a domain, with the most that it may have.
type DomainLine struct {
	Spread *trace.Spread
	Domain trace.Domain
	Name   int   // columns of the names
	Top    int64 // what fills the bar
}

// Words are the domain and how many pods it has.
func (l DomainLine) Words(lang words.Language) string {
	return lang.Say("domain %s: %s", l.Domain.Name, DomainInWords(lang, l.Spread, l.Domain))
}

// AxisLine explains below the bars of domains their two marks.
type AxisLine struct {
	Spread *trace.Spread
	Name   int
	Top    int64
}

// Words is "": an axis is for eyes.
func (l AxisLine) Words(words.Language) string { return "" }

// UsageLine is two bars for one resource of a node: before, and now.
type UsageLine struct {
	Node           string
	Short          Shortener
	Of             []ChangedUsage
	At             int // in of
	Name, Resource int // columns
}

// Words are what is requested of the resource, before and now; "" for the rows below the first.
func (l UsageLine) Words(lang words.Language) string {
	if l.At > 0 {
		return ""
	}
	said := make([]string, len(l.Of))
	for i := range l.Of {
		said[i] = l.Of[i].InWords(lang)
	}
	return lang.Say("node %s: %s", l.Node, strings.Join(said, lang.Of("; ")))
}

// trendColumns is how many values a line of the run has at most.
const trendColumns = 60

// trendChart is how the figures of the run went until the cursor: packing, spread, waiting times and the like.
func trendChart(f *session.Frame) []ChartLine {
	lang := f.Language
	lines := []ChartLine{heading(lang.Of("The run over virtual time"))}
	t := f.At.Trend()
	curves := t.Curves(trendColumns)
	if len(curves) == 0 {
		return append(lines, aside(lang.Of("No cycle has run yet.")))
	}
	lines = append(lines, aside(t.About(lang, len(curves[0].Values))))
	names, says := 0, 0
	for i := range curves {
		names = max(names, widget.Width(curves[i].Name(lang)))
		says = max(says, widget.Width(curves[i].Says(lang)))
	}
	for i := range curves {
		lines = append(lines, CurveLine{&curves[i], min(names, mostCurveName), says})
	}
	return lines
}

// mostCurveName is how wide the name of a curve is at most.
const mostCurveName = 30

// CurveLine is one figure of the run, as a line of columns.
type CurveLine struct {
	Curve      *trend.Curve
	Name, Says int // columns of the names and of the figures
}

// Words are the values of the curve, at most mostSaidValues of them.
func (l CurveLine) Words(lang words.Language) string {
	c := l.Curve
	values, stretch := Thinned(c.Values, mostSaidValues)
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = c.Text(v)
	}
	text := strings.Join(texts, lang.Of(", "))
	if stretch > 1 {
		return lang.Say("%s: %s; the highest of every %d columns: %s", c.Name(lang), c.Says(lang), stretch, text)
	}
	return lang.Say("%s: %s; column by column: %s", c.Name(lang), c.Says(lang), text)
}
