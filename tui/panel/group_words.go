package panel

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/prose"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// placementName is a placement as it is read: "zone b", or "all nodes" when the nodes are not divided.
func placementName(g *trace.Group, p *trace.Placement) string {
	if p.Name == "" {
		return "all nodes"
	}
	return namedPlacement(g, p.Name)
}

// namedPlacement is the name of a placement after the label it is a domain of, without the label's prefix.
func namedPlacement(g *trace.Group, name string) string {
	if g.Topology == "" {
		return name
	}
	return g.Topology[strings.LastIndexByte(g.Topology, '/')+1:] + " " + name
}

// quorumWords say whether the group has what it needs, and who is missing.
func quorumWords(c *trace.Cycle) []widget.Paragraph {
	g := c.Group
	counts := &trace.Placement{}
	if chosen := g.Chosen(); chosen != nil {
		counts = chosen
	}
	if c.Ended == nil && g.Selected == nil && len(g.Placements) > 0 {
		counts = &g.Placements[len(g.Placements)-1]
	}
	found, where := counts.Found(), ""
	if counts.Name != "" {
		where = " in " + placementName(g, counts)
	}
	have := g.Scheduled + found
	lacks := max(g.MinCount-have, 0)
	paint := themes.Pass
	if lacks > 0 {
		paint = themes.Fail
		if c.Ended == nil {
			paint = themes.Accent
		}
	}
	what := fmt.Sprintf("Quorum %d of %d", have, g.MinCount)
	if g.Policy != "gang" {
		what = fmt.Sprintf("No quorum: any of its %s may go alone", many(len(g.Members), "pod"))
		paint = themes.Text
	}
	said := fmt.Sprintf(
		": %d had a node before, %d of %s found one%s.", g.Scheduled, found, many(len(g.Members), "pod"), where,
	)
	lines := []widget.Paragraph{{{Text: what, Paint: paint.Strong()}, {Text: said, Paint: themes.Text}}}
	if missing := missingWords(c, counts, lacks); missing != "" {
		lines = append(lines, widget.Plain(themes.Warn, missing))
	}
	return lines
}

// mostMissing is how many missing members a line names.
const mostMissing = 4

// missingWords say who has no node and why not, as shortly as the table below allows; "" while that is not known, and
// when nobody is missing.
func missingWords(c *trace.Cycle, counts *trace.Placement, lacks int) string {
	g := c.Group
	if c.Ended == nil && counts.Ended == nil {
		return ""
	}
	var failed, untried []string
	for _, m := range counts.Members {
		switch m.State {
		case trace.FoundNone, trace.Failed:
			failed = append(failed, podName(m.Entity.Key()))
		case trace.NotTried:
			untried = append(untried, podName(m.Entity.Key()))
		case trace.Trying, trace.FoundNode:
		}
	}
	var said []string
	if lacks > 0 {
		said = append(said, fmt.Sprintf("%d missing", lacks))
	}
	if len(failed) > 0 {
		said = append(said, "no node for "+someOf(failed))
	}
	if len(untried) > 0 {
		said = append(said, "not tried: "+someOf(untried))
	}
	if absent := g.MinCount - g.Scheduled - len(g.Members); absent > 0 {
		said = append(said, fmt.Sprintf("%s not there yet", isOrArePods(absent)))
	}
	return joined("; ", said...)
}

func isOrArePods(n int) string {
	if n == 1 {
		return "1 pod is"
	}
	return fmt.Sprintf("%d pods are", n)
}

func someOf(names []string) string {
	if more := len(names) - mostMissing; more > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostMissing], ", "), more)
	}
	return strings.Join(names, ", ")
}

// groupSummary says what decided between the placements, whether room is made, and how the cycle ended.
func groupSummary(c *trace.Cycle) []widget.Paragraph {
	g := c.Group
	var lines []widget.Paragraph
	add := func(p themes.Paint, text string) {
		if text != "" {
			lines = append(lines, widget.Plain(p, text))
		}
	}
	add(themes.Text, decidedPlacement(c))
	add(themes.Warn, roomWords(g.Preempted))
	if c.Ended == nil {
		return lines
	}
	add(themes.Text, settledWords(c))
	if c.Ended.Message != "" {
		add(themes.Muted, prose.Says(c.Ended.Message))
	}
	return lines
}

// decidedPlacement says which placement the group got, and what decided; "" before it is known.
func decidedPlacement(c *trace.Cycle) string {
	g := c.Group
	switch {
	case g.Generated != nil && !g.Generated.Verdict.OK():
		return fmt.Sprintf("%s finds no set of nodes to try: %s.", g.Generated.Plugin, g.Generated.Verdict.Message())
	case len(g.Placements) == 0:
		return ""
	case isOnly(g, 0) && g.Placements[0].Name == "":
		return "No topology is asked for: all nodes are one placement."
	case g.Selected == nil && c.Ended == nil:
		return ""
	case g.Selected == nil && len(g.Placements) == 1:
		return "The only " + namedPlacement(g, g.Placements[0].Name) + " does not take the group."
	case g.Selected == nil:
		return fmt.Sprintf("None of the %d placements takes the group; the first of them is the one that is reported.", len(
			g.Placements,
		))
	}
	name := namedPlacement(g, g.Selected.Name)
	switch {
	case !g.Selected.Scored:
		return "Only " + name + " takes the group."
	case len(g.Selected.Tied) > 1:
		return fmt.Sprintf("%s tied at %d; %s is the first in %s, and kube-scheduler would draw lots.",
			strings.Join(g.Selected.Tied, ", "), g.Selected.Total, name, g.Selected.TieBreak)
	}
	return ledBy(g, name)
}

// ledBy says by which plugins the chosen placement is ahead of the next.
func ledBy(g *trace.Group, name string) string {
	s := g.Scores
	ours, next := -1, -1
	for i := range s.Names {
		switch {
		case s.Names[i] == g.Selected.Name:
			ours = i
		case next < 0 || s.Totals[i] > s.Totals[next]:
			next = i
		}
	}
	if ours < 0 || next < 0 {
		return fmt.Sprintf("%s won with %d.", name, g.Selected.Total)
	}
	var by []string
	for i := range s.Columns {
		if d := s.Columns[i].Weighted(ours) - s.Columns[i].Weighted(next); d != 0 {
			by = append(by, fmt.Sprintf("%s %+d", s.Columns[i].Plugin, d))
		}
	}
	return fmt.Sprintf(
		"%s won with %d against %d of %s: %s.", name, s.Totals[ours], s.Totals[next], namedPlacement(g, s.Names[next]),
		strings.Join(by, ", "),
	)
}

// roomWords say who has to leave for the group; "" when nobody has.
func roomWords(p *trace.GroupPreempted) string {
	if p == nil {
		return ""
	}
	said := fmt.Sprintf(
		"Room is made for all of it: %s to leave (%s)", hasOrHave(len(p.Victims)), someOf(shortPods(p.Victims)),
	)
	if p.Violating > 0 {
		said += fmt.Sprintf(", %d against a disruption budget", p.Violating)
	}
	var to []string
	for _, n := range p.Nodes {
		to = append(to, podName(n.Pod)+" to "+n.Node)
	}
	if len(to) > 0 {
		said += "; then " + someOf(to)
	}
	return said + "."
}

func shortPods(keys []string) []string {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = podName(key)
	}
	return names
}

// settledWords say what became of the members when the cycle was over.
func settledWords(c *trace.Cycle) string {
	g := c.Group
	n := map[trace.Outcome]int{}
	for _, m := range g.Settled {
		n[m.Outcome]++
	}
	bound, waiting := n[trace.Scheduled], n[trace.Waiting]
	var said []string
	if bound > 0 {
		said = append(said, many(bound, "pod")+" bound")
	}
	if waiting > 0 {
		said = append(said, many(waiting, "pod")+" on hold, with a node")
	}
	found := g.Found()
	switch without := len(g.Settled) - bound - waiting; {
	case len(said) == 0 && c.Ended.Outcome == trace.SkippedScheduling:
		return "Nobody had to be placed any more."
	case len(said) == 0 && found > 0 && g.MinCount > 1:
		return fmt.Sprintf(
			"Nobody is bound: %s that found a node must give it up, as the group needs %d nodes or none.",
			many(found, "pod"), g.MinCount,
		)
	case len(said) == 0:
		return "Nobody is bound."
	case without > 0:
		said = append(said, fmt.Sprintf("%d without a node", without))
	}
	return strings.Join(said, ", ") + "."
}

// outcome is what came of a row, in few words.
func (t *groupTable) outcome(row groupRow) string {
	if row.member < 0 {
		return t.placementOutcome(row)
	}
	m := t.try(row)
	switch {
	case m.State == trace.NotTried:
		return t.whyUntried(row)
	case m.State == trace.Trying:
		return "being tried: " + m.Phase.String()
	case m.State != trace.FoundNode:
		return orNothing(m.Found.Message)
	case t.cycle.Ended == nil || t.group.Chosen().Name != t.group.Placements[row.placement].Name:
		return ""
	}
	settled, ok := t.group.SettledOf(m.Entity.Key())
	switch {
	case !ok:
		return ""
	case settled.Outcome == trace.Scheduled:
		return "bound"
	case settled.Outcome == trace.Waiting:
		return "on hold"
	case settled.NominatedNode != "":
		return "gives it up; nominated on " + settled.NominatedNode
	}
	return "gives it up: not all can be placed"
}

func (t *groupTable) placementOutcome(row groupRow) string {
	p := &t.group.Placements[row.placement]
	switch {
	case p.Ended == nil:
		return fmt.Sprintf("being tried, %d of %d", p.Index+1, max(p.Of, 1))
	case !p.Takes():
		return p.Ended.Verdict.Message()
	case t.isChosen(row):
		return "chosen"
	case t.group.Selected == nil:
		return "takes the group"
	}
	return "takes the group too"
}

// whyUntried says why nobody looked for a node for a member.
func (t *groupTable) whyUntried(row groupRow) string {
	if row.placement < 0 {
		return "not tried"
	}
	p := &t.group.Placements[row.placement]
	if p.Ended == nil {
		return "still to come"
	}
	if n := len(p.Feasible); n > 0 && p.Feasible[n-1].Verdict.Code.Rejects() {
		return "not tried: the group is lost already"
	}
	return "not tried"
}

// Quorum says in lines whether the group of a cycle has what it needs, and who is missing.
func Quorum(c *trace.Cycle) []string { return plainLines("group: ", quorumWords(c)) }

// GroupEnd says in lines what decided between the placements of a group's cycle, and how it ended.
func GroupEnd(c *trace.Cycle) []string { return plainLines("group: ", groupSummary(c)) }

func plainLines(label string, paragraphs []widget.Paragraph) []string {
	lines := make([]string, len(paragraphs))
	for i, paragraph := range paragraphs {
		lines[i] = label
		for _, span := range paragraph {
			lines[i] += span.Text
		}
	}
	return lines
}
