package command

import (
	"strings"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
)

// labelled puts a label before each line.
func labelled(label string, lines []string) []string {
	for i := range lines {
		lines[i] = label + strings.TrimLeft(lines[i], " ")
	}
	return lines
}

// containing are the lines that contain a text.
func containing(text string, lines []string) []string {
	var found []string
	for _, line := range lines {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	return found
}

// describeGroup is the try of a pod group: the quorum, then every placement and member whose line contains a text, what
// decided, and how it ended.
func describeGroup(f *session.Frame, text string) []string {
	c := f.About()
	switch {
	case c == nil:
		return []string{f.Language.Of("no cycle has run yet")}
	case c.Group == nil:
		return []string{f.Language.Of("this cycle is about a single pod, not about a pod group")}
	}
	lines := labelled(f.Language.Of("group: "), prose.Plain(prose.Quorum(f.Language, c)))
	lines = append(lines, containing(text, groupLines(f.Language, c))...)
	return append(lines, labelled(f.Language.Of("group: "), prose.Plain(prose.GroupEnd(f.Language, c)))...)
}

// groupLines is a line for each placement and each of its members, as they were tried.
func groupLines(lang words.Language, c *trace.Cycle) []string {
	var lines []string
	for i := range c.Group.Placements {
		lines = append(lines, prose.PlacementLines(lang, c, i)...)
	}
	for _, m := range c.Group.Settled {
		lines = append(lines, lang.Say("settled: %s", m.String()))
	}
	return lines
}

// selectedInGroup is what is under the cursor of the group's panel.
func selectedInGroup(lang words.Language, c *trace.Cycle, s view.Selection) []string {
	if s.Subject == view.OfMember {
		return []string{lang.Say("pod %s", s.Pod)}
	}
	if s.Placement < 0 || s.Placement >= len(c.Group.Placements) {
		return nil
	}
	return prose.PlacementLines(lang, c, s.Placement)[:1]
}

// aboutMember are lines about one pod; in the cycle of a pod group those of the member that a screen would show.
func aboutMember(f *session.Frame, lines func(*session.Frame) []string) []string {
	one, who := view.MemberFrame(f)
	if who == "" {
		return lines(f)
	}
	return append([]string{f.Language.Say("member: %s", who)}, lines(one)...)
}

// describePreemption is the pods that a pod could evict: the result, the candidates as they are ranked, and then every
// other node whose line contains a text, with the reason why it is no candidate.
func describePreemption(f *session.Frame, text string) []string {
	c := f.About()
	lines := labelled(f.Language.Of("preemption: "), prose.Plain(prose.NoPreemption(f.Language, c)))
	if c == nil || c.Latest() == nil || c.Latest().Preemption == nil {
		return lines
	}
	t := c.Latest()
	p := t.Preemption
	var nodes []string
	add := func(node int32) {
		nodes = append(nodes, f.Language.Say("node %s: %s", p.Nodes[node], prose.CandidateLine(f.Language, t, int(node))))
	}
	for i := range p.Candidates {
		add(p.Candidates[i].Node)
	}
	for i := range p.Refused {
		add(p.Refused[i].Node)
	}
	for _, node := range append(p.Untried[:len(p.Untried):len(p.Untried)], p.Unhelpful...) {
		add(node)
	}
	return append(lines, containing(text, nodes)...)
}
