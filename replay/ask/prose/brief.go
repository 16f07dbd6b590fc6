package prose

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// The functions of this file put a thing in one line with a label, as lists are read that are filtered line by line.

// NodeLine is the result for a node of a matrix, and every plugin that rejects it.
func NodeLine(lang words.Language, c *trace.Try, node int) string {
	m := c.Matrix
	became := lang.Of(textNodeRejected)
	switch {
	case c.Selected != nil && c.Selected.Node == m.Nodes[node]:
		became = lang.Of(textNodeChosen)
	case m.Feasible(node):
		became = lang.Of(textNodeFeasible)
	case m.Ahead(node):
		became = lang.Of(textNodeAhead)
	case !m.Evaluated(node):
		became = lang.Of(textNodeNotEvaluated)
	}
	said := []string{lang.Say(textNodeLine, m.Nodes[node], became)}
	for i, failure := range m.OnNode(node) {
		line := fmt.Sprintf(textAnswer, m.Plugins[failure.Plugin], failure.Verdict.Message())
		users := []trace.Use(nil)
		if advice := m.AdviceOn(node); i < len(advice) {
			users = advice[i].Users
		}
		for _, e := range failure.Verdict.Evidence {
			line += fmt.Sprintf(textInBrackets, compared(lang, e, users))
		}
		said = append(said, line)
	}
	return strings.Join(said, lang.Of("; "))
}

// ScoreLine is the total of a scored node, and what each plugin adds to it. k is its position among the scored ones.
func ScoreLine(lang words.Language, s *trace.Scores, k int) string {
	said := []string{lang.Say(textScoreLine, s.Nodes[s.Index[k]], s.Totals[k])}
	for i := range s.Columns {
		if !s.Columns[i].Skipped {
			said = append(said, partOf(lang, &s.Columns[i], k))
		}
	}
	return strings.Join(said, lang.Of("; "))
}

// Best names the nodes with the highest totals, the best first.
func Best(lang words.Language, s *trace.Scores) string {
	order := make([]int, len(s.Index))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(s.Totals[b] - s.Totals[a]) })
	said := make([]string, len(order))
	for i, k := range order {
		said[i] = fmt.Sprintf(textTotalOf, s.Nodes[s.Index[k]], s.Totals[k])
	}
	return names(lang, said)
}

// RowLine is a pod or a pod group that waits.
func RowLine(lang words.Language, r session.QueueRow, now time.Time) string {
	said := lang.Say(textRow, r.Pod, r.Priority, r.Attempts)
	if r.Until.After(now) {
		said += lang.Say(textRowBacksOff, r.Until.Sub(now))
	}
	if r.MinCount > 1 {
		said += lang.Say(textRowGang, r.MinCount, len(r.Members), r.Placed)
	}
	if len(r.Plugins) > 0 {
		said += lang.Say(textRejectedBy, strings.Join(r.Plugins, ", "))
	}
	if r.Gate != "" {
		said += lang.Say(textRowGated, r.Gate)
	}
	if r.Node != "" {
		said += lang.Say(textNominatedOn, r.Node)
	}
	return said
}

// MarkLine is a cycle or an event of the timeline.
func MarkLine(lang words.Language, m session.Mark) string {
	at := words.Clock(m.At)
	if m.Cycle > 0 {
		said := lang.Say(textMarkCycle, at, m.Cycle, Entity(lang, m.Pod), m.Outcome)
		if m.Differs {
			said += lang.Of(textMarkDiffers)
		}
		return said
	}
	return lang.Say(textMarkEvent, at, m.Step, m.Event)
}

// PlacementLines are a placement of a group's cycle, and below it its members as they were tried.
func PlacementLines(lang words.Language, c *trace.Cycle, at int) []string {
	g := c.Group
	p := &g.Placements[at]
	name := Domain(lang, g, p.Name)
	t := told{language: lang}
	t.placementScores(g, p.Name)
	said := []string{
		lang.Say(textPlacementLine, name, lang.Sentence(p.Nodes, textNode, textNodes), DomainOutcome(lang, g, at)),
	}
	for _, l := range t.lines {
		said = append(said, l.Text)
	}
	lines := []string{strings.Join(said, lang.Of("; "))}
	for k, m := range p.Members {
		if m.State == trace.NotTried {
			continue
		}
		outcome := Outcome(lang, c, at, m)
		if m.State == trace.FoundNode {
			outcome = strings.TrimSuffix(lang.Say(textMemberFound, m.Found.Node, outcome), ", ")
		}
		lines = append(lines, lang.Say(textMemberLine, k+1, InDomain(lang, g, p.Name), m.Entity.Key(), outcome))
	}
	return lines
}
