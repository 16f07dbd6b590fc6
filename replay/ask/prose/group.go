package prose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
)

// Group is the cycle of a pod group: whether it has the nodes it needs, what decided, and how the cycle ended.
func Group(lang words.Language, c *trace.Cycle) []Line {
	t := told{language: lang}
	t.add(0, Verdict, "%s", lang.Say(textGroupCycle, Entity(lang, c.Entity.Key()), c.Number, c.Attempt, c.Entity.Priority,
		c.From, lang.Sentence(len(c.Group.Members), textPod, textPods)))
	t.lines = append(t.lines, Quorum(lang, c)...)
	t.lines = append(t.lines, GroupEnd(lang, c)...)
	if c.Diverged != nil {
		t.signed(Diverges, t.language.Render(c.Diverged))
	}
	if c.Ended != nil {
		t.signed(outcomeSign(c.Ended.Outcome), outcome(lang, c.Ended))
	}
	return t.lines
}

// Entity is what a cycle is about: "default/web-0", or "pod group default/train".
func Entity(lang words.Language, key string) string {
	if group, is := trace.GroupOfKey(key); is {
		return lang.Say(textPodGroup, group)
	}
	return key
}

// Domain is a placement as it is read: "zone b", or "all nodes" when the nodes are not divided.
func Domain(lang words.Language, g *trace.Group, name string) string {
	switch {
	case name == "":
		return lang.Of(textAllNodes)
	case g.Topology == "":
		return name
	}
	return g.Topology[strings.LastIndexByte(g.Topology, '/')+1:] + " " + name
}

// InDomain is a placement as the place where something is tried: "in zone b", or "on all nodes".
func InDomain(lang words.Language, g *trace.Group, name string) string {
	if name == "" {
		return lang.Of(textOnAllNodes)
	}
	return lang.Say(textInDomain, Domain(lang, g, name))
}

// outcome is how a cycle ended.
func outcome(lang words.Language, ended *trace.Ended) string {
	said := string(ended.Outcome)
	switch {
	case ended.NominatedNode != "":
		return lang.Say(textOutcomeNominated, said, ended.NominatedNode)
	case ended.Node != "":
		return lang.Say(textOutcomeOn, said, ended.Node)
	case !ended.BackoffUntil.IsZero():
		return lang.Say(textOutcomeBackoff, said, words.Clock(ended.BackoffUntil))
	}
	return said
}

// counted is the placement that counts: the one that is being tried, else the chosen one.
func counted(c *trace.Cycle) *trace.Placement {
	g := c.Group
	if c.Ended == nil && g.Selected == nil && len(g.Placements) > 0 {
		return &g.Placements[len(g.Placements)-1]
	}
	if chosen := g.Chosen(); chosen != nil {
		return chosen
	}
	return &trace.Placement{}
}

// Quorum reports whether the group of a cycle has the nodes it needs, and which members have none.
func Quorum(lang words.Language, c *trace.Cycle) []Line {
	t := told{language: lang}
	g, in := c.Group, counted(c)
	where := ""
	if in.Name != "" {
		where = " " + InDomain(lang, g, in.Name)
	}
	have := g.Scheduled + in.Found()
	lacks := max(g.MinCount-have, 0)
	what, sign := lang.Say(textQuorum, have, g.MinCount), Passes
	switch {
	case g.Policy != "gang":
		what, sign = lang.Of(textNoQuorum), NoSign
	case lacks > 0 && c.Ended == nil:
		sign = Running
	case lacks > 0:
		sign = Rejects
	}
	pods := lang.Sentence(len(g.Members), textPod, textPods)
	t.signed(sign, what+lang.Say(textFoundOne, g.Scheduled, in.Found(), pods, where))
	if c.Ended != nil || in.Ended != nil {
		t.missing(g, in, "")
	}
	return t.lines
}

// missing lists the members of a group without a node and why; the members of a gang that are not there yet included. A
// pod that the page is about is left out.
func (t *told) missing(g *trace.Group, in *trace.Placement, but string) {
	var failed []*trace.Try
	var untried []string
	for _, m := range in.Members {
		if m.Entity.Key() == but {
			continue
		}
		switch m.State {
		case trace.FoundNone, trace.Failed:
			failed = append(failed, m)
		case trace.NotTried:
			untried = append(untried, m.Entity.Key())
		case trace.Trying, trace.FoundNode:
		}
	}
	for _, m := range failed[:min(len(failed), mostNames)] {
		t.add(1, Evidence, textNoNodeFor, m.Entity.Key(), orElse(m.Found.Message, t.language.Of(textNoReason)))
	}
	if more := len(failed) - mostNames; more > 0 {
		t.add(1, Evidence, "%s", t.language.Sentence(more, textNoNodeForOther, textNoNodeForOthers))
	}
	if len(untried) > 0 {
		t.add(1, Evidence, textUntried, names(t.language, untried))
	}
	if absent := g.MinCount - g.Scheduled - len(g.Members); absent > 0 {
		t.add(1, Evidence, "%s", t.language.Sentence(absent, textAbsent, textAbsents))
	}
}

// GroupEnd returns what decided between the placements of a group's cycle, whether room is made, and how it ended.
func GroupEnd(lang words.Language, c *trace.Cycle) []Line {
	t := told{language: lang}
	if said := decidedPlacement(lang, c); said != "" {
		t.add(0, Verdict, "%s", said)
	}
	if c.Group.Preempted != nil {
		t.signed(Final, roomFor(lang, c.Group.Preempted))
	}
	if c.Ended == nil {
		return t.lines
	}
	t.add(0, Verdict, "%s", settled(lang, c))
	if c.Ended.Message != "" {
		t.note(says(lang, c.Ended.Message))
	}
	return t.lines
}

// decidedPlacement returns which placement the group got, and what decided; "" before it is known.
func decidedPlacement(lang words.Language, c *trace.Cycle) string {
	g := c.Group
	switch {
	case g.Generated != nil && !g.Generated.Verdict.OK():
		return lang.Say(textNoPlacements, g.Generated.Plugin, g.Generated.Verdict.Message())
	case len(g.Placements) == 0:
		return ""
	case g.Placements[0].Of == 1 && g.Placements[0].Name == "":
		return lang.Of(textOnePlacement)
	case g.Selected == nil && c.Ended == nil:
		return ""
	case g.Selected == nil && len(g.Placements) == 1:
		return lang.Say(textOnlyRejects, Domain(lang, g, g.Placements[0].Name))
	case g.Selected == nil:
		return lang.Say(textNoneTakes, len(g.Placements))
	}
	name := Domain(lang, g, g.Selected.Name)
	switch {
	case !g.Selected.Scored:
		return lang.Say(textOnlyTakes, name)
	case len(g.Selected.Tied) > 1:
		return lang.Say(textPlacementsTied, names(lang, g.Selected.Tied), g.Selected.Total, name, g.Selected.TieBreak)
	}
	return ledBy(lang, g, name)
}

// ledBy names the plugins by which the chosen placement is ahead of the next.
func ledBy(lang words.Language, g *trace.Group, name string) string {
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
		return lang.Say(textPlacementWon, name, g.Selected.Total)
	}
	var by []string
	for i := range s.Columns {
		if d := s.Columns[i].Weighted(ours) - s.Columns[i].Weighted(next); d != 0 {
			by = append(by, fmt.Sprintf(textDifference, s.Columns[i].Plugin, d))
		}
	}
	return lang.Say(textPlacementLed, name, s.Totals[ours], s.Totals[next], Domain(lang, g, s.Names[next]),
		strings.Join(by, ", "))
}

// settled counts the outcomes of the members at the end of the cycle, in words.
func settled(lang words.Language, c *trace.Cycle) string {
	g := c.Group
	n := map[trace.Outcome]int{}
	for _, m := range g.Settled {
		n[m.Outcome]++
	}
	bound, waiting := n[trace.Scheduled], n[trace.Waiting]
	var said []string
	if bound > 0 {
		said = append(said, lang.Sentence(bound, textPodBound, textPodsBound))
	}
	if waiting > 0 {
		said = append(said, lang.Sentence(waiting, textPodWaits, textPodsWait))
	}
	switch without := len(g.Settled) - bound - waiting; {
	case len(said) == 0 && c.Ended.Outcome == trace.SkippedScheduling:
		return lang.Of(textNothingToPlace)
	case len(said) == 0 && g.Found() > 0 && g.MinCount > 1:
		return lang.Say(textGivesUp, lang.Sentence(g.Found(), textPodFound, textPodsFound), g.MinCount)
	case len(said) == 0:
		return lang.Of(textNobodyBound)
	case without > 0:
		said = append(said, lang.Sentence(without, textPodWithout, textPodsWithout))
	}
	return sentence(lang, strings.Join(said, lang.Of(", ")))
}

// Placement is the result for the group of a cycle on one set of nodes, with its score.
func Placement(lang words.Language, c *trace.Cycle, at int) []Line {
	t := told{language: lang}
	g := c.Group
	p := &g.Placements[at]
	name := Domain(lang, g, p.Name)
	switch {
	case p.Ended == nil:
		t.signed(Running, lang.Say(textPlacementTried, name, p.Index+1, max(p.Of, 1)))
	case p.Takes():
		t.signed(Passes, lang.Say(textPlacementTakes, name, p.Found(), len(g.Members)))
	default:
		t.signed(Rejects, lang.Say(textPlacementRejects, name, p.Ended.Verdict.Message()))
		if n := len(p.Feasible); n > 0 && p.Tried() < len(g.Members) {
			t.add(0, Verdict, "%s", lang.Say(textGaveUp, p.Feasible[n-1].Plugin, p.Tried(),
				lang.Sentence(len(g.Members), textPod, textPods), g.MinCount))
		}
	}
	t.placementScores(g, p.Name)
	if said := decidedPlacement(lang, c); said != "" {
		t.add(0, Verdict, "%s", said)
	}
	if c.Ended != nil {
		t.add(0, Verdict, "%s", settled(lang, c))
	}
	return t.lines
}

// placementScores lists what the plugins gave a placement.
func (t *told) placementScores(g *trace.Group, name string) {
	if g.Scores == nil {
		return
	}
	at := slices.Index(g.Scores.Names, name)
	if at < 0 {
		return
	}
	t.add(0, Verdict, "%s", t.language.Say(textScoreIs, g.Scores.Totals[at]))
	for i := range g.Scores.Columns {
		c := &g.Scores.Columns[i]
		t.add(1, Evidence, "%s", t.language.Say(textPart, c.Plugin, c.Weighted(at), c.Raw[at], c.Normalized[at], c.Weight))
	}
}

// Untried explains why no node was looked for, for the next member of a placement.
func Untried(lang words.Language, p *trace.Placement) string {
	switch n := len(p.Feasible); {
	case p.Ended == nil:
		return lang.Of(textStillToCome)
	case n > 0 && p.Feasible[n-1].Verdict.Code.Rejects():
		return lang.Of(textGroupLost)
	}
	return lang.Of(textWasNotTried)
}
