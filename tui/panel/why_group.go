package panel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/prose"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// group explains a placement or a member; one that does not fit the frame any more explains the cycle.
func (w *telling) group(s Selection) {
	switch c := w.cycle; {
	case c == nil || c.Group == nil || s.Placement >= len(c.Group.Placements):
		w.wholeCycle()
	case s.Subject == OfMember:
		w.memberOf(c.Group, s)
	default:
		w.placement(c.Group, s.Placement)
	}
}

// wholeGroup sums up the cycle of a pod group.
func (w *telling) wholeGroup() {
	c := w.cycle
	w.line(
		widget.Span{Text: entityName(c.Entity), Paint: themes.Title.Strong()},
		widget.Span{Text: fmt.Sprintf(": cycle %d, attempt %d, priority %d, taken from %s. Its %s are tried one after the other, each with those before it as if placed, and bound together.",
			c.Number, c.Attempt, c.Entity.Priority, c.From, many(len(c.Group.Members), "pod")), Paint: themes.Text},
	)
	w.text = append(w.text, quorumWords(c)...)
	w.text = append(w.text, groupSummary(c)...)
	if c.Diverged != nil {
		w.signed(w.signs.Divergence, themes.Warn, c.Diverged.String())
	}
	if c.Ended != nil {
		w.text = append(w.text, outcomeText(c, w.signs))
	}
}

// placement explains what became of the group in one set of nodes.
func (w *telling) placement(g *trace.Group, at int) {
	if at < 0 {
		w.wholeGroup()
		return
	}
	p := &g.Placements[at]
	name := placementName(g, p)
	if p.Name == "" {
		name = "The cluster"
	}
	switch {
	case p.Ended == nil:
		w.signed(w.signs.Pointer, themes.Accent, fmt.Sprintf("%s is being tried, number %d of %d.", name, p.Index+1, p.Of))
	case p.Takes():
		w.signed(w.signs.Pass, themes.Pass, fmt.Sprintf(
			"%s takes the group: %d of %d found a node in it.", name, p.Found(), len(g.Members),
		))
	default:
		w.signed(w.signs.Fail, themes.Fail, fmt.Sprintf("%s does not take the group: %s.", name, p.Ended.Verdict.Message()))
	}
	if n := len(p.Feasible); n > 0 && p.Ended != nil && !p.Takes() && p.Tried() < len(g.Members) {
		w.say(themes.Text, fmt.Sprintf(
			"%s gave up after %d of %s: there were too few left to come to %d.", p.Feasible[n-1].Plugin, p.Tried(),
			many(len(g.Members), "pod"), g.MinCount,
		))
	}
	w.placementScores(g, p.Name)
	if said := decidedPlacement(w.cycle); said != "" {
		w.say(themes.Text, said)
	}
	if w.cycle.Ended != nil {
		w.say(themes.Text, settledWords(w.cycle))
	}
}

// placementScores lists what the plugins gave a placement.
func (w *telling) placementScores(g *trace.Group, name string) {
	s := g.Scores
	if s == nil {
		return
	}
	at := slices.Index(s.Names, name)
	if at < 0 {
		return
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		w.say(themes.Text, fmt.Sprintf(
			"  %c %s: %d %c weight %d = %d (raw %d)", w.signs.Bullet, c.Plugin, c.Normalized[at], w.signs.Times,
			c.Weight, c.Weighted(at), c.Raw[at],
		))
	}
	w.say(themes.Text, fmt.Sprintf("  total %d", s.Totals[at]))
}

// memberOf explains what one member found in one placement.
func (w *telling) memberOf(g *trace.Group, s Selection) {
	if s.Placement < 0 {
		w.say(themes.Text, s.Pod+" was not tried: no set of nodes was.")
		w.wholeGroup()
		return
	}
	p := &g.Placements[s.Placement]
	at := slices.IndexFunc(p.Members, func(t *trace.Try) bool { return t.Entity.Key() == s.Pod })
	if at < 0 || p.Members[at].State == trace.NotTried {
		w.untriedMember(g, p, s.Pod)
		return
	}
	t := p.Members[at]
	said := fmt.Sprintf("%s, number %d of %d, tried in %s", podName(s.Pod), at+1, len(g.Members), placementName(g, p))
	if before := takenBy(p.Members[:at]); before != "" {
		said += " with " + before + " taken as placed"
	}
	w.say(themes.Text, said+".")
	switch t.State {
	case trace.NotTried:
	case trace.Trying:
		w.say(themes.Accent, "It is being tried: "+t.Phase.String()+".")
		if !isWalking(w.frame) {
			w.choice(t)
		}
		return
	case trace.FoundNode:
		w.signed(w.signs.Pass, themes.Pass, "It would go to "+t.Found.Node+".")
		w.choice(t)
	case trace.FoundNone, trace.Failed:
		w.signed(w.signs.Fail, themes.Fail, "It finds no node: "+t.Found.Message)
		w.rejections(t)
	}
	w.settled(g, p, s.Pod)
}

// choice says how the node of a member was chosen.
func (w *telling) choice(c *trace.Try) {
	if c.Matrix != nil {
		w.say(themes.Text, fmt.Sprintf(
			"%s looked at, %d fit.", many(len(c.Matrix.Visited), "node"), c.Matrix.FeasibleCount(),
		))
	}
	if c.Selected != nil && c.Scores != nil {
		w.text = append(w.text, verdictOf(c)...)
	}
}

// mostRejections is how many nodes an explanation of a member goes through; the Filter tab has them all.
const mostRejections = 8

// rejections says for each node that was looked at why a member cannot go there.
func (w *telling) rejections(t *trace.Try) {
	for _, pre := range t.PreFilters {
		if pre.Verdict.Code.Rejects() {
			w.say(themes.Text, fmt.Sprintf("PreFilter %s: %s", pre.Plugin, pre.Verdict.Message()))
		}
	}
	m := t.Matrix
	if m == nil {
		return
	}
	for i, node := range m.Visited {
		if i == mostRejections {
			w.say(themes.Muted, fmt.Sprintf("  and %s more: the Filter tab has them all", many(len(m.Visited)-i, "node")))
			return
		}
		plugin, v, ok := rejectedFor(t, int(node))
		if !ok {
			continue
		}
		sign, paint := verdictSign(v, w.signs)
		w.line(
			widget.Span{Text: "  " + sign + " ", Paint: paint},
			widget.Span{Text: m.Nodes[node], Paint: themes.Text.Strong()},
			widget.Span{Text: ": " + plugin + ": " + v.Message() + comparedIn(v), Paint: themes.Text},
		)
	}
}

// comparedIn is what a verdict rests on, in brackets.
func comparedIn(v trace.Verdict) string {
	said := make([]string, len(v.Evidence))
	for i := range v.Evidence {
		said[i] = prose.Compared(v.Evidence[i], nil)
	}
	if len(said) == 0 {
		return ""
	}
	return " (" + strings.Join(said, "; ") + ")"
}

func (w *telling) untriedMember(g *trace.Group, p *trace.Placement, pod string) {
	if p.Ended == nil {
		w.say(themes.Text, podName(pod)+" is still to be tried in "+placementName(g, p)+".")
		return
	}
	w.signed(w.signs.NotSampled, themes.NotSampled, podName(pod)+" was not tried in "+placementName(g, p)+".")
	if n := len(p.Feasible); n > 0 && p.Feasible[n-1].Verdict.Code.Rejects() {
		last := &p.Feasible[n-1]
		w.say(themes.Text, fmt.Sprintf("After %s, %s said: %s. With %s left, the group could not come to %d any more.",
			many(p.Tried(), "pod"), last.Plugin, last.Verdict.Message(), many(last.Remaining, "pod"), g.MinCount))
	}
	w.settled(g, p, pod)
}

// settled says what became of a member when the cycle was over.
func (w *telling) settled(g *trace.Group, p *trace.Placement, pod string) {
	if w.cycle.Ended == nil {
		return
	}
	if g.Selected != nil && g.Selected.Name != p.Name {
		w.say(themes.Muted, fmt.Sprintf("That was only a try: the group went to %s.", namedPlacement(g, g.Selected.Name)))
		return
	}
	s, ok := g.SettledOf(pod)
	if !ok {
		return
	}
	sign, paint := outcomeSign(s.Outcome, w.signs)
	said := string(s.Outcome)
	switch {
	case s.Node != "":
		said += " on " + s.Node
	case s.NominatedNode != "":
		said += ", nominated on " + s.NominatedNode
	}
	w.line(widget.Span{Text: sign + " " + said, Paint: paint.Strong()})
	if s.Message != "" {
		w.say(themes.Text, prose.Says(s.Message))
	}
}

// takenBy are the members that found a node, with it.
func takenBy(members []*trace.Try) string {
	var said []string
	for _, m := range members {
		if m.State == trace.FoundNode {
			said = append(said, podName(m.Entity.Key())+" on "+m.Found.Node)
		}
	}
	return someOf(said)
}

// waitingMembers lists the pods that wait in a group's entry of the queue.
func (w *telling) waitingMembers(row *session.QueueRow) {
	if len(row.Members) == 0 {
		return
	}
	said := fmt.Sprintf("A pod group: %s here, tried and bound together.", isOrArePods(len(row.Members)))
	if row.MinCount > 1 {
		said = fmt.Sprintf(
			"A gang: %d of its pods must have a node at once (minCount); %s here and %d on nodes.", row.MinCount,
			isOrArePods(len(row.Members)), row.Placed,
		)
		if absent := absentFrom(row); absent > 0 {
			said += fmt.Sprintf(" %s not there yet, so that it is not tried.", isOrArePods(absent))
		}
	}
	w.say(themes.Text, said)
	for i := range row.Members {
		m := &row.Members[i]
		text := fmt.Sprintf("  %c %s, priority %d", w.signs.Bullet, m.Pod, m.Priority)
		if len(m.Plugins) > 0 {
			text += ", last rejected by " + strings.Join(m.Plugins, ", ")
		}
		if m.Node != "" {
			text += ", nominated on " + m.Node
		}
		w.say(themes.Text, text)
	}
}

// absentFrom is how many pods a group that waits in a queue lacks before it can be tried.
func absentFrom(row *session.QueueRow) int { return max(row.MinCount-row.Placed-len(row.Members), 0) }
