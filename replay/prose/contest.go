package prose

import (
	"fmt"
	"strconv"

	"github.com/schedstep/schedstep/core/trace"
)

// contest is the chosen node against the runner-up, plugin by plugin.
func (t *told) contest(c *trace.Try) {
	if c.Selected == nil {
		return
	}
	if !c.Selected.Scored || c.Scores == nil {
		t.add(0, Heading, textOnlyNode, c.Selected.Node)
		return
	}
	second, chosen := c.RunnerUp(), -1
	for k, i := range c.Scores.Index {
		if c.Scores.Nodes[i] == c.Selected.Node {
			chosen = k
		}
	}
	if second < 0 || chosen < 0 {
		return
	}
	t.add(0, Heading, textWhy, c.Selected.Node, c.Scores.Nodes[c.Scores.Index[second]])
	for i := range c.Scores.Columns {
		if column := &c.Scores.Columns[i]; !column.Skipped {
			mine, theirs := column.Weighted(chosen), column.Weighted(second)
			t.add(1, Evidence, "%s", fmt.Sprintf(textScores, column.Plugin, mine, theirs, mine-theirs,
				column.Raw[chosen], column.Normalized[chosen], column.Weight))
		}
	}
	ours, others := c.Scores.Totals[chosen], c.Scores.Totals[second]
	t.add(1, Verdict, "%s", fmt.Sprintf(textTotal, ours, others, ours-others))
	if n := len(c.Selected.Tied); n > 1 {
		t.add(1, Note, textTied, strconv.Itoa(n), strconv.FormatInt(c.Selected.Total, 10), names(c.Selected.Tied),
			c.Selected.TieBreak)
	}
}
