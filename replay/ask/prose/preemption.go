package prose

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
)

// Preemption is the result of a preemption for one pod: the node, the victims, what decided between the candidates, and
// how far the search went.
func Preemption(lang words.Language, p *trace.Preemption) []Line {
	t := told{language: lang}
	if !p.Eligible {
		t.signed(Rejects, lang.Say(textMayNotPreempt, p.Reason))
		t.note(lang.Of(textNobodyLookedFor))
		return t.lines
	}
	if p.Node == "" {
		t.signed(Rejects, p.Message)
	} else {
		t.signed(Passes, lang.Say(textNominatedOnNode, p.Node, lang.Sentence(len(p.Victims), textPodHas, textPodsHave),
			names(lang, p.Victims)))
		t.add(0, Verdict, "%s", decidedBy(lang, p))
	}
	t.note(searched(lang, p))
	return t.lines
}

// NoPreemption explains why a cycle has no preemption to show.
func NoPreemption(lang words.Language, c *trace.Cycle) []Line {
	t := told{language: lang}
	switch {
	case c == nil:
		t.note(lang.Of(textNobodyTried))
	case c.Latest().Preemption != nil:
		return Preemption(lang, c.Latest().Preemption)
	case c.Group != nil && c.Group.Preempted != nil:
		t.signed(Final, roomFor(lang, c.Group.Preempted))
		t.note(lang.Of(textRoomForAll))
	case c.Group != nil && len(c.Group.PostFilter) > 0:
		post := &c.Group.PostFilter[0]
		t.signed(signOf(post.Verdict), lang.Say(textPostFilter, post.Plugin, post.Verdict.String()))
	case c.Group != nil && (c.Ended != nil || c.Group.Selected != nil):
		t.add(0, Verdict, textNobodyAsked)
	case c.Group != nil:
		t.note(lang.Of(textGroupPostFilterAhead))
	case c.Latest().Selected != nil:
		t.signed(Passes, lang.Say(textNobodyHasToLeave, c.Latest().Selected.Node))
	case c.Ended != nil:
		t.add(0, Verdict, textNoPreemption, c.Ended.Message)
	default:
		t.note(lang.Of(textPostFilterAhead))
	}
	return t.lines
}

// decidedBy returns which criterion put the chosen node first, and by which numbers.
func decidedBy(lang words.Language, p *trace.Preemption) string {
	switch {
	case p.Decided == trace.ByNothing:
		return lang.Of(textOnlyCandidate)
	case p.Decided == trace.ByNodeOrder:
		return lang.Say(textCandidatesTied, p.Tied, p.TieBreak)
	case len(p.Candidates) < 2:
		return lang.Say(textDecidedBy, p.Decided)
	}
	ours, next := &p.Candidates[0], &p.Candidates[1]
	return lang.Say(textDecidedAgainst, p.Decided, Criterion(ours, p.Decided),
		Criterion(next, p.Decided), p.Nodes[next.Node])
}

// searched returns how far a search for candidates went.
func searched(lang words.Language, p *trace.Preemption) string {
	if p.Potential == 0 {
		return lang.Say(textNoEvictionHelps, lang.Sentence(len(p.Nodes), textNode, textNodes))
	}
	said := lang.Say(textCouldHelp, p.Potential, lang.Sentence(len(p.Nodes), textNode, textNodes),
		lang.Sentence(p.Found, textCandidate, textCandidates))
	if n := len(p.Refused); n > 0 {
		said += lang.Say(textDidNotHelp, lang.Sentence(n, textNode, textNodes))
	}
	if n := len(p.Untried); n > 0 {
		said += lang.Say(textUntriedNodes, lang.Sentence(n, textNode, textNodes), p.Wanted)
	}
	return sentence(lang, said)
}

// Criterion is the number that a criterion compares.
func Criterion(c *trace.PreemptionCandidate, by trace.Criterion) string {
	switch by {
	case trace.ByViolations:
		return fmt.Sprint(c.Violations())
	case trace.ByHighestPriority:
		return fmt.Sprint(c.Highest)
	case trace.ByPrioritySum:
		return fmt.Sprint(c.Sum)
	case trace.ByVictims:
		return fmt.Sprint(len(c.Victims))
	case trace.ByEarliestStart:
		return c.Earliest.UTC().Format(time.RFC3339)
	case trace.ByNothing, trace.ByNodeOrder:
	}
	return ""
}

// Candidate is what a preemption found out about one node: which pods would leave it, its rank, or why it is no
// candidate.
func Candidate(lang words.Language, c *trace.Try, node int) []Line {
	t := told{language: lang}
	p := c.Preemption
	name := p.Nodes[node]
	if at := slices.IndexFunc(p.Candidates, func(c trace.PreemptionCandidate) bool {
		return int(c.Node) == node
	}); at >= 0 {
		t.candidate(c, at)
		return t.lines
	}
	at := slices.IndexFunc(p.Refused, func(r trace.PreemptionRefusal) bool { return int(r.Node) == node })
	switch {
	case at >= 0:
		t.refused(c, &p.Refused[at])
	case slices.Contains(p.Untried, int32(node)):
		t.signed(NotTried, lang.Say(textCandidateUntried, name,
			lang.Sentence(p.Wanted, textCandidateIs, textCandidatesAre),
			p.Offset+1, lang.Sentence(p.Potential, textNode, textNodes)))
	default:
		t.unhelpful(c, node)
	}
	return t.lines
}

// unhelpful is a node whose rejection no eviction would lift.
func (t *told) unhelpful(c *trace.Try, node int) {
	name := c.Preemption.Nodes[node]
	t.signed(Final, t.language.Say(textNotHelpful, name))
	if m := c.Matrix; m != nil && node < len(m.First) && m.First[node] >= 0 {
		v, _ := m.Verdict(node, int(m.First[node]))
		t.add(1, Verdict, textAnswer, m.Plugins[m.First[node]], v.Message())
		t.evidence(2, v, adviceOn(m, node, int(m.First[node])).Users)
		return
	}
	for _, pre := range c.PreFilters {
		if pre.Verdict.Code.Rejects() || pre.Nodes != nil && !slices.Contains(pre.Nodes, name) {
			t.add(1, Verdict, textLeavesOut, pre.Plugin, pre.Verdict.String())
		}
	}
}

// refused is a node that would not take the pod even if all pods with a lower priority left it.
func (t *told) refused(c *trace.Try, r *trace.PreemptionRefusal) {
	name := c.Preemption.Nodes[r.Node]
	if r.Plugin == "" {
		t.signed(signOf(r.Verdict), t.language.Say(textNoCandidate, name, r.Verdict.Message()))
		if r.Verdict.Code != trace.Error {
			t.note(t.language.Say(textNobodyLess, c.Entity.Priority))
		}
		return
	}
	t.signed(signOf(r.Verdict), t.language.Say(textEvenThen, name))
	t.add(1, Verdict, textAnswer, r.Plugin, r.Verdict.Message())
	t.evidence(2, r.Verdict, nil)
}

// candidate is a node that could take the pod: which pods would leave, which may stay, and its rank.
func (t *told) candidate(c *trace.Try, at int) {
	p := c.Preemption
	this := &p.Candidates[at]
	name := p.Nodes[this.Node]
	if at == 0 {
		t.signed(Passes, t.language.Say(textIsNominated, name, c.Entity.Key(), decidedBy(t.language, p)))
	} else {
		t.add(0, Verdict, "%s", t.language.Say(textCandidateOf, name, at+1, len(p.Candidates)))
		t.behind(p, this, &p.Candidates[at-1])
	}
	t.add(0, Verdict, textHaveToLeave)
	for i, pod := range this.Victims {
		t.victim(c, this, i, pod)
	}
	if len(this.Reprieved) > 0 {
		t.add(0, Verdict, textMayStay, names(t.language, this.Reprieved))
	}
	t.note(t.language.Say(textRankedBy, t.language.Sentence(this.Violations(), textViolation, textViolations),
		this.Highest,
		this.Sum,
		t.language.Sentence(len(this.Victims), textVictim, textVictims), Criterion(this, trace.ByEarliestStart)))
	if at == 0 {
		t.note(t.language.Of(textThenTriedAgain))
	}
}

// behind returns which criterion put a candidate behind another.
func (t *told) behind(p *trace.Preemption, this, better *trace.PreemptionCandidate) {
	name := p.Nodes[better.Node]
	if this.Behind == trace.ByNodeOrder {
		t.add(0, Verdict, textSameByAll, name)
		return
	}
	t.add(0, Verdict, textBehind, name, t.language.Render(this.Behind), Criterion(this, this.Behind),
		Criterion(better, this.Behind))
}

func (t *told) victim(c *trace.Try, of *trace.PreemptionCandidate, i int, pod string) {
	if i >= len(of.Leaving) {
		t.add(1, Evidence, "%s", pod)
		return
	}
	v := &of.Leaving[i]
	started := t.language.Of(textNotStarted)
	if !v.Start.IsZero() {
		started = t.language.Say(textStarted, Span(max(c.Time.Sub(v.Start), 0)))
	}
	said := t.language.Say(textLeaving, pod, v.Priority, started)
	if v.Budget != "" {
		said += t.language.Say(textAgainstBudget, v.Budget)
	}
	t.add(1, Evidence, "%s", said)
}

// Span is a length of time as short as it can be read: "2.5s", "4m05s", "3h12m", "2d04h".
func Span(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%s%.1fs", sign, d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%s%dm%02ds", sign, int(d.Minutes()), int(d.Seconds())%60)
	case d < 24*time.Hour:
		return fmt.Sprintf("%s%dh%02dm", sign, int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%s%dd%02dh", sign, int(d.Hours())/24, int(d.Hours())%24)
}

// roomFor lists the pods that have to leave for a pod group, and where its pods are nominated.
func roomFor(lang words.Language, p *trace.GroupPreempted) string {
	said := lang.Say(textRoomForGroup, lang.Sentence(len(p.Victims), textPodHas, textPodsHave), names(lang, p.Victims))
	if p.Violating > 0 {
		said += lang.Say(textAgainstBudgets, p.Violating)
	}
	to := make([]string, len(p.Nodes))
	for i, n := range p.Nodes {
		to[i] = lang.Say(textGoesTo, n.Pod, n.Node)
	}
	if len(to) > 0 {
		said += lang.Say(textThenGoes, names(lang, to))
	}
	return sentence(lang, said)
}

// CandidateLine is what a preemption found out about a node, in one line: for lists that are filtered line by line.
func CandidateLine(lang words.Language, c *trace.Try, node int) string {
	lines := Candidate(lang, c, node)
	said := make([]string, len(lines))
	for i, l := range lines {
		said[i] = strings.TrimSuffix(l.Text, ".")
	}
	return strings.Join(said, lang.Of("; "))
}

// CandidateNotTried explains in few words why no victims were looked for on a node where evicting could help.
func CandidateNotTried(lang words.Language, p *trace.Preemption) string {
	return lang.Say(textEnoughCandidates, lang.Sentence(p.Wanted, textCandidateIs, textCandidatesAre))
}
