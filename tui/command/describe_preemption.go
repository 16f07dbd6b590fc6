package command

import (
	"fmt"
	"strings"
	"time"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session"
)

// describePreemption is whom a pod could push aside: what came of it, the candidates as they are ranked, and then every
// other node whose line contains a text, with the reason why it is none.
func describePreemption(f *session.Frame, containing string) []string {
	c := f.About()
	switch {
	case c == nil:
		return []string{"no cycle has run yet"}
	case c.Group != nil && c.Group.Preempted != nil:
		return []string{c.Group.Preempted.String()}
	case c.Latest().Preemption == nil:
		return []string{"no preemption has been tried here"}
	}
	t := c.Latest()
	p := t.Preemption
	lines := []string{"says: " + p.Message}
	if p.Eligible {
		lines = append(lines, fmt.Sprintf("search: %s where evictions could help, %s wanted, %s, %d in vain, %d not tried",
			plural(p.Potential, "node", "nodes"), plural(p.Wanted, "candidate", "candidates"),
			plural(p.Found, "candidate found", "candidates found"), len(p.Refused), len(p.Untried)))
	}
	if p.Node != "" {
		lines = append(lines, "nominated: "+p.Node+", victims "+strings.Join(p.Victims, ", "))
	}
	if p.Decided != trace.ByNothing {
		lines = append(lines, "decided by: "+p.Decided.String())
	}
	if p.TieBreak != "" {
		lines = append(lines, fmt.Sprintf("tie: %d candidates, broken by %s", p.Tied, p.TieBreak))
	}
	for _, line := range preemptionLines(t, "") {
		if strings.Contains(line, containing) {
			lines = append(lines, line)
		}
	}
	return lines
}

// preemptionLines is a line for each node of a preemption, or for one.
func preemptionLines(t *trace.Try, only string) []string {
	p := t.Preemption
	var lines []string
	add := func(node int32, text string) {
		if only == "" || p.Nodes[node] == only {
			lines = append(lines, "node "+p.Nodes[node]+": "+text)
		}
	}
	for i := range p.Candidates {
		add(p.Candidates[i].Node, candidateLine(p, i))
	}
	for _, r := range p.Refused {
		text := "tried in vain; "
		if r.Plugin != "" {
			text += r.Plugin + ": "
		}
		text += r.Verdict.Message() + " (" + r.Verdict.Code.String() + ")"
		for _, e := range r.Verdict.Evidence {
			text += " (" + e.String() + ")"
		}
		add(r.Node, text)
	}
	for _, node := range p.Untried {
		add(node, "not tried, enough candidates were found before")
	}
	for _, node := range p.Unhelpful {
		text := trace.ReasonNotHelpful
		if m := t.Matrix; m != nil && m.First[node] >= 0 {
			if v, ok := m.Verdict(int(node), int(m.First[node])); ok {
				text += "; " + m.Plugins[m.First[node]] + ": " + v.Message() + " (" + v.Code.String() + ")"
			}
		}
		add(node, text)
	}
	return lines
}

func candidateLine(p *trace.Preemption, i int) string {
	c := &p.Candidates[i]
	line := fmt.Sprintf("candidate %d; budget violations %d, highest priority %d, sum of priorities %d, victims %d, the most important since %s",
		i+1, c.Violations(), c.Highest, c.Sum, len(c.Victims), c.Earliest.UTC().Format(time.RFC3339))
	if c.Behind != trace.ByNothing {
		line += "; behind the one before by " + c.Behind.String()
	}
	for k, pod := range c.Victims {
		line += "; leaves: " + pod
		if k < len(c.Leaving) {
			line += fmt.Sprintf(" priority %d", c.Leaving[k].Priority)
			if budget := c.Leaving[k].Budget; budget != "" {
				line += " against disruption budget " + budget
			}
		}
	}
	if len(c.Reprieved) > 0 {
		line += "; may stay: " + strings.Join(c.Reprieved, ", ")
	}
	return line
}
