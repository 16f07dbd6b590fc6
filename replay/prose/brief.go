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

// The functions of this file tell a thing in one line with a label, as lists are read that are filtered line by line.

// NodeLine is what became of a node of a matrix, and every plugin that rejects it.
func NodeLine(c *trace.Try, node int) string {
	m := c.Matrix
	became := textNodeRejected
	switch {
	case c.Selected != nil && c.Selected.Node == m.Nodes[node]:
		became = textNodeChosen
	case m.Feasible(node):
		became = textNodeFeasible
	case m.Ahead(node):
		became = textNodeAhead
	case !m.Evaluated(node):
		became = textNodeNotEvaluated
	}
	said := []string{fmt.Sprintf(textNodeLine, m.Nodes[node], became)}
	for i, failure := range m.OnNode(node) {
		line := fmt.Sprintf(textAnswer, m.Plugins[failure.Plugin], failure.Verdict.Message())
		users := []trace.Use(nil)
		if advice := m.AdviceOn(node); i < len(advice) {
			users = advice[i].Users
		}
		for _, e := range failure.Verdict.Evidence {
			line += fmt.Sprintf(textInBrackets, compared(e, users))
		}
		said = append(said, line)
	}
	return strings.Join(said, "; ")
}

// ScoreLine is the total of a scored node, and what each plugin adds to it. k is its position among the scored ones.
func ScoreLine(s *trace.Scores, k int) string {
	said := []string{fmt.Sprintf(textScoreLine, s.Nodes[s.Index[k]], s.Totals[k])}
	for i := range s.Columns {
		if !s.Columns[i].Skipped {
			said = append(said, partOf(&s.Columns[i], k))
		}
	}
	return strings.Join(said, "; ")
}

// Best names the nodes with the highest totals, the best first.
func Best(s *trace.Scores) string {
	order := make([]int, len(s.Index))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(s.Totals[b] - s.Totals[a]) })
	said := make([]string, len(order))
	for i, k := range order {
		said[i] = fmt.Sprintf(textTotalOf, s.Nodes[s.Index[k]], s.Totals[k])
	}
	return names(said)
}

// RowLine is a pod or a pod group that waits.
func RowLine(r session.QueueRow, now time.Time) string {
	said := fmt.Sprintf(textRow, r.Pod, r.Priority, r.Attempts)
	if r.Until.After(now) {
		said += fmt.Sprintf(textRowBacksOff, r.Until.Sub(now))
	}
	if r.MinCount > 1 {
		said += fmt.Sprintf(textRowGang, r.MinCount, len(r.Members), r.Placed)
	}
	if len(r.Plugins) > 0 {
		said += fmt.Sprintf(textRejectedBy, strings.Join(r.Plugins, ", "))
	}
	if r.Gate != "" {
		said += fmt.Sprintf(textRowGated, r.Gate)
	}
	if r.Node != "" {
		said += fmt.Sprintf(textNominatedOn, r.Node)
	}
	return said
}

// MarkLine is a cycle or an event of the timeline.
func MarkLine(m session.Mark) string {
	at := words.Clock(m.At)
	if m.Cycle > 0 {
		said := fmt.Sprintf(textMarkCycle, at, m.Cycle, Entity(m.Pod), m.Outcome)
		if m.Differs {
			said += textMarkDiffers
		}
		return said
	}
	return fmt.Sprintf(textMarkEvent, at, m.Step, m.Event)
}

// PlacementLines are a placement of a group's cycle, and below it its members as they were tried.
func PlacementLines(c *trace.Cycle, at int) []string {
	g := c.Group
	p := &g.Placements[at]
	name := Domain(g, p.Name)
	var t told
	t.placementScores(g, p.Name)
	said := []string{
		fmt.Sprintf(textPlacementLine, name, words.Sentence(p.Nodes, textNode, textNodes), DomainOutcome(g, at)),
	}
	for _, l := range t {
		said = append(said, l.Text)
	}
	lines := []string{strings.Join(said, "; ")}
	for k, m := range p.Members {
		if m.State == trace.NotTried {
			continue
		}
		outcome := Outcome(c, at, m)
		if m.State == trace.FoundNode {
			outcome = strings.TrimSuffix(fmt.Sprintf(textMemberFound, m.Found.Node, outcome), ", ")
		}
		lines = append(lines, fmt.Sprintf(textMemberLine, k+1, InDomain(g, p.Name), m.Entity.Key(), outcome))
	}
	return lines
}
