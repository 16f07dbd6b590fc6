package prose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
)

// Group is the cycle of a pod group: whether it has the nodes it needs, what decided, and how the cycle ended.
func Group(c *trace.Cycle) []Line {
	var t told
	t.add(0, Verdict, "%s", fmt.Sprintf(textGroupCycle, Entity(c.Entity.Key()), c.Number, c.Attempt, c.Entity.Priority,
		c.From, words.Sentence(len(c.Group.Members), textPod, textPods)))
	t = append(t, Quorum(c)...)
	t = append(t, GroupEnd(c)...)
	if c.Diverged != nil {
		t.signed(Diverges, c.Diverged.String())
	}
	if c.Ended != nil {
		t.signed(outcomeSign(c.Ended.Outcome), outcome(c.Ended))
	}
	return t
}

// Entity is what a cycle is about: "default/web-0", or "pod group default/train".
func Entity(key string) string {
	if group, is := strings.CutPrefix(key, "podgroup/"); is {
		return fmt.Sprintf(textPodGroup, group)
	}
	return key
}

// Domain is a placement as it is read: "zone b", or "all nodes" when the nodes are not divided.
func Domain(g *trace.Group, name string) string {
	switch {
	case name == "":
		return textAllNodes
	case g.Topology == "":
		return name
	}
	return g.Topology[strings.LastIndexByte(g.Topology, '/')+1:] + " " + name
}

// InDomain is a placement as the place where something is tried: "in zone b", or "on all nodes".
func InDomain(g *trace.Group, name string) string {
	if name == "" {
		return textOnAllNodes
	}
	return fmt.Sprintf(textInDomain, Domain(g, name))
}

// outcome is how a cycle ended.
func outcome(ended *trace.Ended) string {
	said := string(ended.Outcome)
	switch {
	case ended.NominatedNode != "":
		return fmt.Sprintf(textOutcomeNominated, said, ended.NominatedNode)
	case ended.Node != "":
		return fmt.Sprintf(textOutcomeOn, said, ended.Node)
	case !ended.BackoffUntil.IsZero():
		return fmt.Sprintf(textOutcomeBackoff, said, words.Clock(ended.BackoffUntil))
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

// Quorum says whether the group of a cycle has the nodes it needs, and who has none.
func Quorum(c *trace.Cycle) []Line {
	var t told
	g, in := c.Group, counted(c)
	where := ""
	if in.Name != "" {
		where = " " + InDomain(g, in.Name)
	}
	have := g.Scheduled + in.Found()
	lacks := max(g.MinCount-have, 0)
	what, sign := fmt.Sprintf(textQuorum, have, g.MinCount), Passes
	switch {
	case g.Policy != "gang":
		what, sign = textNoQuorum, NoSign
	case lacks > 0 && c.Ended == nil:
		sign = Running
	case lacks > 0:
		sign = Rejects
	}
	pods := words.Sentence(len(g.Members), textPod, textPods)
	t.signed(sign, what+fmt.Sprintf(textFoundOne, g.Scheduled, in.Found(), pods, where))
	if c.Ended != nil || in.Ended != nil {
		t.missing(g, in, "")
	}
	return t
}

// missing says who of a group has no node and why not; the members of a gang that are not there yet included. A pod
// that the page is about is left out.
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
		t.add(1, Evidence, textNoNodeFor, m.Entity.Key(), orElse(m.Found.Message, textNoReason))
	}
	if more := len(failed) - mostNames; more > 0 {
		t.add(1, Evidence, "%s", words.Sentence(more, textNoNodeForOther, textNoNodeForOthers))
	}
	if len(untried) > 0 {
		t.add(1, Evidence, textUntried, names(untried))
	}
	if absent := g.MinCount - g.Scheduled - len(g.Members); absent > 0 {
		t.add(1, Evidence, "%s", words.Sentence(absent, textAbsent, textAbsents))
	}
}

// GroupEnd says what decided between the placements of a group's cycle, whether room is made, and how it ended.
func GroupEnd(c *trace.Cycle) []Line {
	var t told
	if said := decidedPlacement(c); said != "" {
		t.add(0, Verdict, "%s", said)
	}
	if c.Group.Preempted != nil {
		t.signed(Final, roomFor(c.Group.Preempted))
	}
	if c.Ended == nil {
		return t
	}
	t.add(0, Verdict, "%s", settled(c))
	if c.Ended.Message != "" {
		t.note(says(c.Ended.Message))
	}
	return t
}

// decidedPlacement says which placement the group got, and what decided; "" before it is known.
func decidedPlacement(c *trace.Cycle) string {
	g := c.Group
	switch {
	case g.Generated != nil && !g.Generated.Verdict.OK():
		return fmt.Sprintf(textNoPlacements, g.Generated.Plugin, g.Generated.Verdict.Message())
	case len(g.Placements) == 0:
		return ""
	case g.Placements[0].Of == 1 && g.Placements[0].Name == "":
		return textOnePlacement
	case g.Selected == nil && c.Ended == nil:
		return ""
	case g.Selected == nil && len(g.Placements) == 1:
		return fmt.Sprintf(textOnlyRejects, Domain(g, g.Placements[0].Name))
	case g.Selected == nil:
		return fmt.Sprintf(textNoneTakes, len(g.Placements))
	}
	name := Domain(g, g.Selected.Name)
	switch {
	case !g.Selected.Scored:
		return fmt.Sprintf(textOnlyTakes, name)
	case len(g.Selected.Tied) > 1:
		return fmt.Sprintf(textPlacementsTied, names(g.Selected.Tied), g.Selected.Total, name, g.Selected.TieBreak)
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
		return fmt.Sprintf(textPlacementWon, name, g.Selected.Total)
	}
	var by []string
	for i := range s.Columns {
		if d := s.Columns[i].Weighted(ours) - s.Columns[i].Weighted(next); d != 0 {
			by = append(by, fmt.Sprintf(textDifference, s.Columns[i].Plugin, d))
		}
	}
	return fmt.Sprintf(textPlacementLed, name, s.Totals[ours], s.Totals[next], Domain(g, s.Names[next]),
		strings.Join(by, ", "))
}

// settled says what became of the members when the cycle was over.
func settled(c *trace.Cycle) string {
	g := c.Group
	n := map[trace.Outcome]int{}
	for _, m := range g.Settled {
		n[m.Outcome]++
	}
	bound, waiting := n[trace.Scheduled], n[trace.Waiting]
	var said []string
	if bound > 0 {
		said = append(said, words.Sentence(bound, textPodBound, textPodsBound))
	}
	if waiting > 0 {
		said = append(said, words.Sentence(waiting, textPodWaits, textPodsWait))
	}
	switch without := len(g.Settled) - bound - waiting; {
	case len(said) == 0 && c.Ended.Outcome == trace.SkippedScheduling:
		return textNothingToPlace
	case len(said) == 0 && g.Found() > 0 && g.MinCount > 1:
		return fmt.Sprintf(textGivesUp, words.Sentence(g.Found(), textPodFound, textPodsFound), g.MinCount)
	case len(said) == 0:
		return textNobodyBound
	case without > 0:
		said = append(said, words.Sentence(without, textPodWithout, textPodsWithout))
	}
	return strings.Join(said, ", ") + "."
}

// Placement is what became of the group of a cycle in one set of nodes, with its score.
func Placement(c *trace.Cycle, at int) []Line {
	var t told
	g := c.Group
	p := &g.Placements[at]
	name := Domain(g, p.Name)
	switch {
	case p.Ended == nil:
		t.signed(Running, fmt.Sprintf(textPlacementTried, name, p.Index+1, max(p.Of, 1)))
	case p.Takes():
		t.signed(Passes, fmt.Sprintf(textPlacementTakes, name, p.Found(), len(g.Members)))
	default:
		t.signed(Rejects, fmt.Sprintf(textPlacementRejects, name, p.Ended.Verdict.Message()))
		if n := len(p.Feasible); n > 0 && p.Tried() < len(g.Members) {
			t.add(0, Verdict, "%s", fmt.Sprintf(textGaveUp, p.Feasible[n-1].Plugin, p.Tried(),
				words.Sentence(len(g.Members), textPod, textPods), g.MinCount))
		}
	}
	t.placementScores(g, p.Name)
	if said := decidedPlacement(c); said != "" {
		t.add(0, Verdict, "%s", said)
	}
	if c.Ended != nil {
		t.add(0, Verdict, "%s", settled(c))
	}
	return t
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
	t.add(0, Verdict, "%s", fmt.Sprintf(textScoreIs, g.Scores.Totals[at]))
	for i := range g.Scores.Columns {
		c := &g.Scores.Columns[i]
		t.add(1, Evidence, "%s", fmt.Sprintf(textPart, c.Plugin, c.Weighted(at), c.Raw[at], c.Normalized[at], c.Weight))
	}
}

// Untried says why no node was looked for, for the next member of a placement.
func Untried(p *trace.Placement) string {
	switch n := len(p.Feasible); {
	case p.Ended == nil:
		return textStillToCome
	case n > 0 && p.Feasible[n-1].Verdict.Code.Rejects():
		return textGroupLost
	}
	return textWasNotTried
}
