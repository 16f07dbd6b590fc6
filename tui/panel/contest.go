package panel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// contest is two scored nodes side by side.
type contest struct {
	scores      *trace.Scores
	ours, other int // positions among the scored nodes
}

// lead is by how much one plugin's weighted score puts the first node ahead; less than zero is behind.
type lead struct {
	column     *trace.ScoreColumn
	weighted   int64
	normalized int64
}

// lead is by how much the first node is ahead in all.
func (c contest) lead() int64 { return c.scores.Totals[c.ours] - c.scores.Totals[c.other] }

// leads are the plugins that tell the two nodes apart, the most decisive first.
func (c contest) leads() []lead {
	var leads []lead
	for i := range c.scores.Columns {
		column := &c.scores.Columns[i]
		if column.Raw == nil {
			continue
		}
		l := lead{
			column, column.Weighted(c.ours) - column.Weighted(c.other),
			column.Normalized[c.ours] - column.Normalized[c.other],
		}
		if l.weighted != 0 {
			leads = append(leads, l)
		}
	}
	slices.SortStableFunc(leads, func(a, b lead) int { return cmp.Compare(magnitude(b.weighted), magnitude(a.weighted)) })
	return leads
}

func magnitude(n int64) int64 { return max(n, -n) }

// steps are the leads as text: what each plugin adds to the difference or takes from it.
func (c contest) steps() widget.Paragraph {
	var p widget.Paragraph
	for _, l := range c.leads() {
		paint := themes.Pass
		if l.weighted < 0 {
			paint = themes.Fail
		}
		p = append(p, widget.Span{Text: short(l.column.Plugin), Paint: themes.Text}, widget.Span{
			Text: fmt.Sprintf(" %+d  ", l.weighted), Paint: paint,
		})
	}
	return p
}

// overtake is the smallest change of one weight that would put the other node ahead; "" when no weight does.
func (c contest) overtake() string {
	best, words := int64(0), ""
	for _, l := range c.leads() {
		// The lead becomes lead + (weight - l.column.Weight) * normalized; it must fall below zero.
		by := c.lead()/magnitude(l.normalized) + 1
		weight := l.column.Weight + by
		if l.normalized > 0 {
			weight = l.column.Weight - by
		}
		if weight < 1 || words != "" && by >= best {
			continue
		}
		best = by
		words = fmt.Sprintf(
			"%s would be ahead if %s had weight %d instead of %d.", c.name(c.other), l.column.Plugin, weight,
			l.column.Weight,
		)
	}
	return words
}

func (c contest) name(k int) string { return c.scores.Nodes[c.scores.Index[k]] }

// verdictOf says why the chosen node won: the way from the runner-up's total to its own, and how a tie was broken.
func verdictOf(c *trace.Try) []widget.Paragraph {
	if c.Selected == nil {
		return []widget.Paragraph{widget.Plain(themes.Muted, "The choice is still ahead.")}
	}
	ours, scored := positionOf(c.Scores, c.Selected.Node)
	second := c.RunnerUp()
	if !scored || second < 0 {
		return nil
	}
	between := contest{scores: c.Scores, ours: ours, other: second}
	said := widget.Paragraph{
		{Text: c.Selected.Node, Paint: themes.Pass.Strong()},
		{Text: fmt.Sprintf(" %d", c.Scores.Totals[ours]), Paint: themes.Text},
		{Text: fmt.Sprintf(" against %s %d: ", between.name(second), c.Scores.Totals[second]), Paint: themes.Text},
	}
	steps := between.steps()
	if len(steps) == 0 {
		steps = widget.Plain(themes.Muted, "every plugin gives both the same")
	}
	lines := []widget.Paragraph{append(said, steps...)}
	if tied := c.Selected.Tied; len(tied) > 1 {
		return append(lines, widget.Plain(themes.Warn, tieWords(c.Selected)))
	}
	if words := between.overtake(); words != "" {
		lines = append(lines, widget.Plain(themes.Muted, words))
	}
	return lines
}

// mostTied is how many nodes of a tie are named.
const mostTied = 6

// tieWords say who tied and what decided.
func tieWords(s *trace.Selected) string {
	named := strings.Join(s.Tied[:min(len(s.Tied), mostTied)], ", ")
	if more := len(s.Tied) - mostTied; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	how := ""
	if s.TieBreak != "" {
		how = " by " + s.TieBreak
	}
	return fmt.Sprintf(
		"%d nodes tied at %d (%s). %s won%s: nothing about the nodes themselves decided.", len(s.Tied), s.Total, named,
		s.Node, how,
	)
}

// positionOf is the position of a node among the scored ones, by name.
func positionOf(s *trace.Scores, node string) (int, bool) {
	k := slices.IndexFunc(s.Index, func(i int32) bool { return s.Nodes[i] == node })
	return k, k >= 0
}
