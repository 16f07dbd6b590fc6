package prose

import (
	"slices"
	"strconv"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// Member is what one placement of a group's cycle had for one of its pods: its turn, the result of its search, and its
// outcome.
func Member(lang words.Language, c *trace.Cycle, placement int, pod string) []Line {
	t := told{language: lang}
	if placement < 0 {
		t.add(0, Verdict, textNoPlacementTried, pod)
		return append(t.lines, Group(lang, c)...)
	}
	g := c.Group
	p := &g.Placements[placement]
	t.turn(g, p, pod)
	try := p.Try(pod)
	if try == nil || try.State == trace.NotTried {
		t.signed(NotTried, lang.Say(textMemberUntried, pod, InDomain(lang, g, p.Name), Untried(lang, p)))
		t.lostGroup(g, p)
	} else {
		t.found(try)
	}
	if c.Ended != nil {
		t.became(g, p, pod)
	}
	if try != nil && try.Matrix != nil {
		e := session.Judge(try)
		t.tried(&e, Usual)
	}
	return t.lines
}

// turn is when a member is tried, and which of those before it were taken as placed then.
func (t *told) turn(g *trace.Group, p *trace.Placement, pod string) {
	at := slices.IndexFunc(p.Members, func(m *trace.Try) bool { return m.Entity.Key() == pod })
	if at < 0 {
		return
	}
	said := t.language.Say(textNumberOf, at+1, len(g.Members), InDomain(t.language, g, p.Name))
	var before []string
	for _, m := range p.Members[:at] {
		if m.State == trace.FoundNode {
			before = append(before, t.language.Say(textOutcomeOn, m.Entity.Key(), m.Found.Node))
		}
	}
	if len(before) > 0 {
		said += t.language.Say(textTakenAsPlaced, names(t.language, before))
	}
	t.note(sentence(t.language, said))
}

// found is what the search for a member's node came to.
func (t *told) found(try *trace.Try) {
	switch try.State {
	case trace.NotTried:
	case trace.Trying:
		t.signed(Running, t.language.Say(textIsTrying, try.Phase))
	case trace.FoundNode:
		t.signed(Passes, t.language.Say(textWouldGoTo, try.Found.Node))
	case trace.FoundNone, trace.Failed:
		t.signed(Rejects, t.language.Say(textFindsNoNode, orElse(try.Found.Message, t.language.Of(textNoReason))))
	}
}

// lostGroup is why the search of a placement ended before all members were tried.
func (t *told) lostGroup(g *trace.Group, p *trace.Placement) {
	n := len(p.Feasible)
	if p.Ended == nil || n == 0 || !p.Feasible[n-1].Verdict.Code.Rejects() {
		return
	}
	last := &p.Feasible[n-1]
	t.add(0, Verdict, "%s", t.language.Say(textCouldNotComeTo, t.language.Sentence(p.Tried(), textPod, textPods),
		last.Plugin,
		last.Verdict.Message(), t.language.Sentence(last.Remaining, textPod, textPods), g.MinCount))
}

// became is the outcome of a member at the end of the cycle.
func (t *told) became(g *trace.Group, p *trace.Placement, pod string) {
	if g.Selected != nil && g.Selected.Name != p.Name {
		t.note(t.language.Say(textOnlyATry, Domain(t.language, g, g.Selected.Name)))
		return
	}
	s, ok := g.SettledOf(pod)
	if !ok {
		return
	}
	said := string(s.Outcome)
	switch {
	case s.Node != "":
		said = t.language.Say(textOutcomeOn, said, s.Node)
	case s.NominatedNode != "":
		said = t.language.Say(textOutcomeNominated, said, s.NominatedNode)
	}
	t.signed(outcomeSign(s.Outcome), said)
	if s.Message != "" {
		t.note(says(t.language, s.Message))
	}
}

// Outcome is the result for a member of a group on one placement, in few words; "" while that is open.
func Outcome(lang words.Language, c *trace.Cycle, placement int, m *trace.Try) string {
	g := c.Group
	switch {
	case m.State == trace.NotTried && placement < 0:
		return lang.Of(textWasNotTried)
	case m.State == trace.NotTried:
		return Untried(lang, &g.Placements[placement])
	case m.State == trace.Trying:
		return lang.Say(textTryingIn, m.Phase)
	case m.State != trace.FoundNode:
		return orElse(m.Found.Message, lang.Of(textNoReason))
	case c.Ended == nil || g.Chosen().Name != g.Placements[placement].Name:
		return ""
	}
	s, ok := g.SettledOf(m.Entity.Key())
	switch {
	case !ok:
		return ""
	case s.Outcome == trace.Scheduled:
		return lang.Of(textBound)
	case s.Outcome == trace.Waiting:
		return lang.Of(textReservedWaits)
	case s.NominatedNode != "":
		return lang.Say(textReleasedNominated, s.NominatedNode)
	}
	return lang.Of(textReleased)
}

// DomainOutcome is the result of a placement, in few words.
func DomainOutcome(lang words.Language, g *trace.Group, placement int) string {
	p := &g.Placements[placement]
	switch {
	case p.Ended == nil:
		return lang.Say(textBeingTried, p.Index+1, max(p.Of, 1))
	case !p.Takes():
		return p.Ended.Verdict.Message()
	case g.Selected != nil && g.Selected.Name == p.Name:
		return lang.Of(textDomainChosen)
	case g.Selected == nil:
		return lang.Of(textDomainTakes)
	}
	return lang.Of(textDomainTakesToo)
}

// gang is what a gang that did not get its nodes means for one of its pods: whether the pod fits, and which other pods
// have no node.
func (t *told) gang(e *session.Explanation) {
	g := e.Group
	if g == nil || g.Selected != nil || g.MinCount < 2 || g.Missing() == 0 {
		return
	}
	switch e.Cycle.State {
	case trace.FoundNode:
		t.add(0, Verdict, textFitsItself, e.Cycle.Found.Node)
	case trace.NotTried:
		if chosen := g.Chosen(); chosen != nil {
			t.add(0, Verdict, textItself, Untried(t.language, chosen))
		}
	case trace.Trying, trace.FoundNone, trace.Failed:
	}
	t.add(0, Verdict, textGang, strconv.Itoa(g.MinCount), strconv.Itoa(g.Scheduled+g.Found()))
	if chosen := g.Chosen(); chosen != nil {
		t.missing(g, chosen, e.Pod)
	}
}

// nominated describes a member for which room was made: the node, and the victims.
func (t *told) nominated(e *session.Explanation) {
	if e.Node != "" {
		return
	}
	node, victims := "", []string(nil)
	if p := e.Cycle.Preemption; p != nil {
		node, victims = p.Node, p.Victims
	}
	if e.Group != nil && e.Group.Preempted != nil {
		for _, to := range e.Group.Preempted.Nodes {
			if to.Pod == e.Pod {
				node, victims = to.Node, e.Group.Preempted.Victims
			}
		}
	}
	if node != "" && node == e.Place.Row.Node {
		t.add(0, Verdict, textRoomMade, node, names(t.language, victims))
	}
}
