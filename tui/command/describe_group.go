package command

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/panel"
)

// describeGroup is the try of a pod group: the quorum, then every placement and member whose line contains a text, what
// decided, and how it ended.
func describeGroup(f *session.Frame, containing string) []string {
	c := f.About()
	switch {
	case c == nil:
		return []string{"no cycle has run yet"}
	case c.Group == nil:
		return []string{"this cycle is about a single pod, not about a pod group"}
	}
	lines := panel.Quorum(c)
	for _, line := range groupLines(c.Group) {
		if strings.Contains(line, containing) {
			lines = append(lines, line)
		}
	}
	return append(lines, panel.GroupEnd(c)...)
}

// groupLines is a line for each placement and each of its members, as they were tried.
func groupLines(g *trace.Group) []string {
	var lines []string
	for i := range g.Placements {
		p := &g.Placements[i]
		name := p.Name
		if name == "" {
			name = "all nodes"
		}
		lines = append(lines, "placement "+name+": "+placementLine(g, p))
		for k, t := range p.Members {
			line := fmt.Sprintf("member %d in %s: %s: ", k+1, name, t.Entity.Key())
			switch t.State {
			case trace.NotTried:
				continue
			case trace.Trying:
				line += "being tried"
			case trace.FoundNode:
				line += "found " + t.Found.Node
			case trace.FoundNone, trace.Failed:
				line += "no node: " + t.Found.Message
			}
			lines = append(lines, line)
		}
	}
	for _, m := range g.Settled {
		line := "settled: " + m.Pod.Key() + " " + string(m.Outcome)
		if m.Node != "" {
			line += " on " + m.Node
		}
		if m.NominatedNode != "" {
			line += ", nominated on " + m.NominatedNode
		}
		lines = append(lines, line)
	}
	return lines
}

func placementLine(g *trace.Group, p *trace.Placement) string {
	line := plural(p.Nodes, "node", "nodes")
	switch {
	case p.Ended == nil:
		return line + ", being tried"
	case !p.Ended.Verdict.OK():
		return line + ", does not take the group: " + p.Ended.Verdict.Message()
	}
	line += ", takes the group"
	if g.Selected != nil && g.Selected.Name == p.Name {
		line += ", chosen"
	}
	if g.Scores == nil {
		return line
	}
	for k, name := range g.Scores.Names {
		if name != p.Name {
			continue
		}
		line += fmt.Sprintf("; total %d", g.Scores.Totals[k])
		for i := range g.Scores.Columns {
			column := &g.Scores.Columns[i]
			line += fmt.Sprintf(
				"; %s %d (raw %d, normalized %d, weight %d)", column.Plugin, column.Weighted(k), column.Raw[k],
				column.Normalized[k], column.Weight,
			)
		}
	}
	return line
}

// selectedInGroup is what is under the cursor of the group's panel.
func selectedInGroup(g *trace.Group, s panel.Selection) []string {
	if s.Subject == panel.OfMember {
		return []string{"pod " + s.Pod}
	}
	if s.Placement < 0 || s.Placement >= len(g.Placements) {
		return nil
	}
	return []string{"placement " + g.Placements[s.Placement].Name + ": " + placementLine(g, &g.Placements[s.Placement])}
}

// aboutMember are lines about one pod; in the cycle of a pod group those of the member that a screen would show.
func aboutMember(f *session.Frame, lines func(*session.Frame) []string) []string {
	var g panel.Group
	who := g.Who(f)
	if who == "" {
		return lines(f)
	}
	return append([]string{"member: " + who}, lines(g.Frame(f))...)
}
