package panel

import (
	"fmt"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// scores adds how a node's total came about, and how far it is from the chosen one's.
func (w *telling) scores(node int) {
	s := w.try.Scores
	if s == nil {
		return
	}
	k, scored := s.Of(node)
	if !scored {
		return
	}
	w.against(k)
	w.line(
		widget.Span{Text: "Total ", Paint: themes.Text},
		widget.Span{Text: fmt.Sprint(s.Totals[k]), Paint: themes.Text.Strong()},
		widget.Span{Text: " =", Paint: themes.Text},
	)
	for i := range s.Columns {
		if c := &s.Columns[i]; c.Raw != nil {
			w.say(themes.Text, fmt.Sprintf("  %c %s: %s", w.signs.Bullet, c.Plugin, sum(c, k, w.signs)))
		}
	}
}

// sum is how a plugin's part of a total comes about: "raw 55 → 55 of 100, × 2 = 110".
func sum(c *trace.ScoreColumn, k int, g *themes.Glyphs) string {
	return fmt.Sprintf(
		"raw %d %c %d of 100, %c %d = %d", c.Raw[k], g.Arrow, c.Normalized[k], g.Times, c.Weight, c.Weighted(k),
	)
}

// against compares a scored node with the chosen one, or the chosen one with the runner-up.
func (w *telling) against(k int) {
	c := w.try
	if c.Selected == nil {
		return
	}
	ours, scored := positionOf(c.Scores, c.Selected.Node)
	if !scored {
		return
	}
	if ours == k {
		w.text = append(w.text, verdictOf(c)...)
		return
	}
	between := contest{scores: c.Scores, ours: ours, other: k}
	text := widget.Plain(themes.Text, fmt.Sprintf("%s leads by %d: ", c.Selected.Node, between.lead()))
	if between.lead() == 0 {
		text = widget.Plain(themes.Text, c.Selected.Node+" has the same total: ")
	}
	w.text = append(w.text, append(text, between.steps()...))
	if words := between.overtake(); words != "" && between.lead() > 0 {
		w.say(themes.Muted, words)
	}
}

// score explains one plugin's score of one node.
func (w *telling) score(node, plugin int) {
	s := w.try.Scores
	c := &s.Columns[plugin]
	k, scored := s.Of(node)
	switch {
	case !scored:
		w.say(themes.Muted, s.Nodes[node]+" was not scored, because it does not fit.")
		return
	case c.Raw == nil:
		w.signed(w.signs.NotAsked, themes.NotAsked, c.Plugin+
			" has nothing to score for this pod: its PreScore answered Skip. It counts 0 for every node.")
		return
	}
	w.line(
		widget.Span{Text: c.Plugin, Paint: themes.Text.Strong()},
		widget.Span{
			Text:  fmt.Sprintf(" on %s: %s, of a total of %d.", s.Nodes[node], sum(c, k, w.signs), s.Totals[k]),
			Paint: themes.Text,
		},
	)
	if c.Why != nil && k < len(c.Why) {
		w.evidence(c.Why[k], nil)
	}
	w.rank(c, k)
	if c.Raw[k] != c.Normalized[k] {
		w.say(themes.Muted, fmt.Sprintf(
			"NormalizeScore of the plugin turns raw scores, here %d to %d, into 0 to 100.", rangeOf(c.Raw).low,
			rangeOf(c.Raw).high,
		))
	}
}

// rank says where a node stands in a column.
func (w *telling) rank(c *trace.ScoreColumn, k int) {
	better, same := 0, 0
	for i := range c.Normalized {
		switch {
		case c.Normalized[i] > c.Normalized[k]:
			better++
		case c.Normalized[i] == c.Normalized[k] && i != k:
			same++
		}
	}
	all := len(c.Normalized)
	switch {
	case same == all-1:
		w.say(themes.Text, "Every node gets the same from it, so it decides nothing.")
	case better == 0 && same == 0:
		w.say(themes.Text, fmt.Sprintf("It is the highest of %d nodes.", all))
	case better == 0:
		w.say(themes.Text, fmt.Sprintf("It is the highest of %d nodes, as for %s more.", all, many(same, "node")))
	default:
		w.say(themes.Text, fmt.Sprintf("%d of %d nodes get more from it.", better, all))
	}
}
