package cmd

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/page"
	"github.com/schedstep/schedstep/replay/ask/plan"
)

// mostOnPage is how many rows of one list a page has; JSON has all.
const mostOnPage = 500

// planPage is a plan as a page: the verdict, then the results, then the commands.
type planPage struct {
	page.Page
	l words.Language
}

// planPageOf is a page that begins with the first line of a sheet.
func planPageOf(goal string, head *sheet) *planPage {
	p := &planPage{l: head.l}
	p.Title, p.Said, p.Language = goal, head.lines[0], head.l
	return p
}

// rows adds a table of n rows, and how many more there are.
func (p *planPage) rows(title string, header []string, n int, row func(i int) []string) {
	var rows [][]page.Cell
	for i := range min(n, mostOnPage) {
		rows = append(rows, page.Plain(row(i)...))
	}
	if n > mostOnPage {
		more := make([]string, len(header))
		more[0] = p.l.Say(textAndMore, n-mostOnPage)
		rows = append(rows, page.Plain(more...))
	}
	p.Add(title, header, rows)
}

// text adds the lines of a sheet that has some.
func (p *planPage) text(title string, lines []string) {
	if len(lines) > 0 {
		p.Sections = append(p.Sections, page.Section{Title: title, Text: lines})
	}
}

// commands adds what a command line for the steps prints.
func (p *planPage) commands(write func(out io.Writer) error) error {
	var script strings.Builder
	if err := write(&script); err != nil {
		return err
	}
	p.text(p.l.Of("Commands"), strings.Split(strings.TrimSuffix(script.String(), "\n"), "\n"))
	return nil
}

func (p *planPage) waits(all []plan.Wait) {
	p.rows(p.l.Of("Pods left without a node"), p.l.Each("POD", "PRIORITY", "SURE", "MESSAGE"),
		len(all), func(i int) []string {
			w := &all[i]
			return []string{w.Pod, strconv.Itoa(int(w.Priority)), word(p.l, cmp.Or(string(w.Sure), "certain")), w.Message}
		})
}

// plan adds what every plan has after what is its own. rest are the lines of its own.
func (p *planPage) plan(of *plan.Plan, rest *sheet) error {
	unlocks, others := sheet{l: p.l}, sheet{l: p.l, lines: slices.Clone(rest.lines)}
	unlocks.unlocks(of)
	others.others(of)
	p.text(p.l.Of("Unlocks"), unlocks.lines)
	p.waits(of.Pending)
	if len(of.Steps) > 0 {
		at := len(p.Sections)
		p.rows(p.l.Of("Steps"), p.l.Each("STEP", "AFTER", "REQUEST", "COMES", "SURE", "AWAY"),
			len(of.Steps), func(i int) []string {
				return stepCells(&of.Steps[i], p.l)
			})
		p.Sections[at].Picture = p.away(of)
	}
	var moves []plan.Move
	for i := range of.Steps {
		moves = append(moves, of.Steps[i].Moves...)
	}
	p.rows(p.l.Of("Pods that move"), p.l.Each("POD", "OWNER", "FROM", "TO", "SURE", "AWAY"),
		len(moves), func(i int) []string {
			m := &moves[i]
			return []string{m.Pod, m.Owner, m.From, comesTo(m, p.l), word(p.l, string(m.Sure)), awayFor(m)}
		})
	p.rows(p.l.Of("Budgets"), p.l.Each("BUDGET", "LOWEST SLACK"), len(of.Budgets), func(i int) []string {
		return []string{of.Budgets[i].Name, strconv.Itoa(of.Budgets[i].Slack)}
	})
	p.text(p.l.Of("What else came of it"), others.lines)
	return p.commands(func(out io.Writer) error { return printCommands(out, *of) })
}

// comesTo is the node, or the nodes, that a pod may come to.
func comesTo(m *plan.Move, l words.Language) string {
	switch {
	case m.To == "":
		return strings.Join(append([]string{l.Of("no node")}, m.Among...), "|")
	case len(m.Among) > 1:
		return strings.Join(m.Among, "|")
	}
	return m.To
}

// awayFor is how long a pod is away; "": it is not Ready again.
func awayFor(m *plan.Move) string {
	if m.Away < 0 {
		return ""
	}
	return seconds(m.Away)
}

// mostAway is how many pods a picture has a bar for.
const mostAway = 60

// away is a picture of when each pod that moves is away: from its eviction until it is Ready again.
func (p *planPage) away(of *plan.Plan) page.SVG {
	const width, names, high = 960.0, 260.0, 18.0
	var shapes []page.Shape
	longest := of.Seconds
	for i := range of.Steps {
		for k := range of.Steps[i].Moves {
			longest = max(longest, of.Steps[i].At+of.Steps[i].Moves[k].Away)
		}
	}
	y := 0.0
	for i := range of.Steps {
		s := &of.Steps[i]
		for k := range s.Moves {
			if len(shapes) >= 3*mostAway {
				break
			}
			m := &s.Moves[k]
			kind, ends := page.Chosen, s.At+m.Away
			says := p.l.Say("%s: away for %s", m.Pod, seconds(m.Away))
			if m.Away < 0 {
				kind, ends, says = page.Bad, longest, p.l.Say("%s: not Ready again", m.Pod)
			}
			x := func(at float64) float64 { return names + (width-names)*at/cmp.Or(longest, 1) }
			shapes = append(shapes, page.Shape{X: 0, Y: y, Kind: page.Words, Label: m.Pod},
				page.Shape{X: names, Y: y, Width: width - names, Height: high - 4, Kind: page.Ground},
				page.Shape{X: x(s.At), Y: y, Width: max(x(ends)-x(s.At), 1), Height: high - 4, Kind: kind, Says: says})
			y += high
		}
	}
	if len(shapes) == 0 {
		return ""
	}
	return page.Draw(p.l.Say("when each pod that moves is away, in %s", seconds(longest)), width, y, shapes)
}

func (p *planPage) waves(r *plan.Upgraded) {
	p.rows(p.l.Of("Waves"), p.l.Each("WAVE", "OLD", "NEW", "MOVES", "BEGINS", "ENDS", "BLOCKED"),
		len(r.Waves), func(i int) []string {
			w := &r.Waves[i]
			cells := []string{
				strconv.Itoa(w.N), strings.Join(w.Nodes, " "), strings.Join(w.New, " "), strconv.Itoa(w.Moves), seconds(w.Begins),
				seconds(w.Ends), "",
			}
			if w.Blocked != nil {
				cells[6] = w.Blocked.Object + ": " + p.l.Render(w.Blocked.Message)
			}
			return cells
		})
	type waiting struct {
		wave string
		plan.Waiting
	}
	var all []waiting
	for i := range r.Waves {
		for _, w := range r.Waves[i].Waits {
			all = append(all, waiting{strconv.Itoa(r.Waves[i].N), w})
		}
	}
	p.rows(p.l.Of("Pods that wait on the way"), p.l.Each("WAVE", "POD", "WITHOUT A NODE"),
		len(all), func(i int) []string {
			wait := p.l.Of("to the end")
			if all[i].Seconds >= 0 {
				wait = seconds(all[i].Seconds)
			}
			return []string{all[i].wave, all[i].Pod, wait}
		})
}

func (p *planPage) packed(r *plan.Packed) {
	p.rows(p.l.Of("Nodes that can be emptied"), p.l.Each("ORDER", "NODE", "MOVES"),
		len(r.Emptied), func(i int) []string {
			return []string{strconv.Itoa(i + 1), r.Emptied[i].Node, strconv.Itoa(r.Emptied[i].Moves)}
		})
	p.rows(p.l.Of("Nodes that keep their pods"), p.l.Each("NODE", "OBJECT", "MESSAGE"),
		len(r.Kept), func(i int) []string {
			return []string{r.Kept[i].Node, r.Kept[i].Object, p.l.Render(r.Kept[i].Message)}
		})
}

// comes adds where pods get a node.
func (p *planPage) comes(all []plan.Move) {
	p.rows(p.l.Of("Pods that get a node"), p.l.Each("POD", "TO", "SURE"), len(all), func(i int) []string {
		return []string{all[i].Pod, comesTo(&all[i], p.l), word(p.l, string(all[i].Sure))}
	})
}

func (p *planPage) lost(of *plan.Lost) {
	p.rows(p.l.Of("After the loss"), p.l.Each("AFTER", "READY", "WITHOUT A NODE", "STUCK"),
		len(of.Moments), func(i int) []string {
			m := &of.Moments[i]
			return []string{seconds(m.Seconds), strconv.Itoa(m.Ready), strconv.Itoa(m.Pending), strconv.Itoa(m.Stuck)}
		})
	p.rows(p.l.Of("Workloads that lose pods"), p.l.Each("OWNER", "HAD", "LOST", "AT THE END", "AT LEAST", "MAJORITY"),
		len(of.Workloads), func(i int) []string {
			w := &of.Workloads[i]
			cells := []string{w.Owner, strconv.Itoa(w.Had), strconv.Itoa(w.Lost), strconv.Itoa(w.Now), strconv.Itoa(w.Least), ""}
			if w.Majority {
				cells[5] = p.l.Of("majority of replicas lost")
			}
			return cells
		})
	p.waits(of.Pending)
	p.rows(p.l.Of("Budgets"), p.l.Each("BUDGET", "LOWEST SLACK"), len(of.Broken), func(i int) []string {
		return []string{of.Broken[i].Name, strconv.Itoa(of.Broken[i].Slack)}
	})
}

// lossPage is the page of losses: each under its verdict.
func (f *planFlags) lossPage(out io.Writer, all []plan.Lost, l words.Language) error {
	var p *planPage
	for i := range all {
		head, rest := sheet{l: l}, sheet{l: l}
		head.loss(&all[i])
		rest.lossRange(&all[i])
		rest.afterLoss(&all[i])
		if p == nil {
			p = planPageOf(all[i].Goal, &head)
		} else {
			p.text(all[i].Goal, head.lines)
		}
		p.lost(&all[i])
		p.text(p.l.Of("What else came of it"), rest.lines)
	}
	return f.writePage(out, p)
}

func (f *planFlags) capacityPage(out io.Writer, found *plan.Capacity, head, rest *sheet) error {
	p := planPageOf(found.Goal, head)
	p.text(p.l.Of("What is in the way"), rest.lines)
	p.rows(p.l.Of("Pods that fit"), p.l.Each("NODE", "PODS"), len(found.On), func(i int) []string {
		return []string{found.On[i].Node, strconv.Itoa(found.On[i].Pods)}
	})
	return f.writePage(out, p)
}

func (f *planFlags) boughtPage(out io.Writer, r *plan.Bought, head, rest *sheet) error {
	p := planPageOf(r.Goal, head)
	p.rows(p.l.Of("Nodes to add"), p.l.Each("COUNT", "NODE", "PRICE OF EACH"), len(r.Nodes), func(i int) []string {
		return []string{strconv.Itoa(r.Nodes[i].Count), r.Nodes[i].Offer, r.Nodes[i].Each}
	})
	p.text(p.l.Of("What else came of it"), rest.lines)
	p.comes(r.Lands)
	p.waits(r.Pending)
	if r.Pods > 0 {
		if err := p.commands(func(out io.Writer) error { return printBuying(out, r) }); err != nil {
			return err
		}
	}
	return f.writePage(out, p)
}

// isPage reports whether the output is a page: its tables have what other outputs have as lines.
func (f *planFlags) isPage() bool { return f.output == "html" || f.output == "markdown" }

// writePage writes a page as HTML or as Markdown.
func (f *planFlags) writePage(out io.Writer, p *planPage) error {
	if f.output == "markdown" {
		return p.Markdown(out)
	}
	return p.HTML(out)
}
