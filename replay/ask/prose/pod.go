package prose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/remedy"
	"github.com/schedstep/schedstep/replay/play/compare"
	"github.com/schedstep/schedstep/replay/session"
)

// Extent is how many of the nodes that reject a pod are listed.
type Extent struct {
	All     bool // every one of them
	Nearest int  // else so many; less than 0: as many as elsewhere
}

// Usual is the extent where no other is requested.
var Usual = Extent{Nearest: -1}

// Pod is an explanation in lines, of a pod or a pod group. A pod that has a node leads with why it has that one, before
// what ruled the others out; one that waits leads with what it waits for.
func Pod(e session.Explanation, extent Extent) []Line { return Page(e, nil, extent) }

// Page is Pod with the changes that were found and run, in place of those that the plugins name.
func Page(e session.Explanation, found *remedy.Answer, extent Extent) []Line {
	t := told{language: e.Language}
	where := Place(e.Language, e.Place, e.Now)
	if e.Gone {
		where = gone(e.Language, e.Past, e.Now)
	}
	t.add(0, Verdict, textPodIs, Entity(e.Language, e.Pod), where)
	for i := range e.Causes {
		text := textCause
		if e.Node != "" {
			text = textWorthKnowing
		}
		t.add(0, Verdict, text, e.Language.Tell(e.Causes[i].Says))
	}
	if e.Cycle == nil && e.Node != "" {
		t.add(0, Note, textBoundElsewhere, e.Named)
	}
	t.wants(e.Wants)
	t.members(&e.Place.Row)
	if e.Cycle != nil {
		t.reserved(&e)
		t.nominated(&e)
		t.reported(&e)
	}
	t.victims(&e)
	t.lint(&e)
	t.recorded(&e)
	t.lines = append(t.lines, Rests(e.Language, e.Cycle, -1, -1)...)
	t.holders(&e)
	t.wakes(e.Place, e.Now)
	t.gateWriters(e.Wants.Gates)
	if e.Cycle != nil {
		if found != nil {
			e.Changes = nil
		}
		t.tried(&e, extent)
	}
	if found != nil {
		t.lines = append(t.lines, Remedies(e.Language, *found)...)
	}
	t.events(e.History)
	return t.lines
}

// Left is the line about a pod that is no longer there; how is nil when the cause is not known.
func Left(lang words.Language, key string, how *session.Past, now time.Time) Line {
	return Line{Text: lang.Say(textPodIs, Entity(lang, key), gone(lang, how, now))}
}

// gone is how a pod came to be no longer there.
func gone(lang words.Language, o *session.Past, now time.Time) string {
	if o == nil {
		return lang.Of(textGone)
	}
	at := clock(o.At, now)
	if o.Deleted && o.Node == "" {
		return lang.Say(textDeleted, at)
	}
	if o.Deleted {
		return lang.Say(textDeletedOn, o.Node, at)
	}
	phase := o.Phase
	if o.Reason != "" {
		phase += " (" + o.Reason + ")"
	}
	if o.Node == "" {
		return lang.Say(textFinished, phase, at)
	}
	return lang.Say(textFinishedOn, phase, o.Node, at)
}

func (t *told) tried(e *session.Explanation, extent Extent) {
	t.beforeAnyNode(e.Cycle)
	t.contest(e.Cycle)
	t.standings(e.Cycle)
	t.objections(e)
	t.nearest(e, extent)
	t.extenders(e.Cycle)
	t.postFilters(e.Cycle)
	t.changes(e, extent)
}

// reported is kube-scheduler's message, and how many nodes it looked at for that.
func (t *told) reported(e *session.Explanation) {
	if e.Asked {
		t.add(0, Note, textNotTried)
	}
	if e.Says != "" {
		says := t.language.Of(textSays)
		if e.Asked {
			says = t.language.Of(textWouldSay)
		}
		t.add(0, Verdict, says, e.Says)
	}
	if g := e.Group; g != nil {
		if chosen := g.Chosen(); chosen != nil {
			t.turn(g, chosen, e.Pod)
		}
		t.gang(e)
	}
	t.how(e)
	t.reused(e.Cycle.Batch)
	t.equivalent(e.Cycle.Equivalence)
	if d := e.Cycle.Diverged; d != nil {
		t.signed(Diverges, t.language.Render(d))
	}
}

// victims are the pods that had to leave, cycle by cycle.
func (t *told) victims(e *session.Explanation) {
	all := slices.DeleteFunc(slices.Clone(e.Victims), func(v session.Victim) bool {
		return e.Node == "" && e.Cycle != nil && v.Cycle == e.Cycle.Number // it is nominated, and that names them
	})
	for len(all) > 0 {
		of := slices.IndexFunc(all, func(v session.Victim) bool { return v.Cycle != all[0].Cycle })
		if of < 0 {
			of = len(all)
		}
		pods := make([]string, of)
		for i := range pods {
			pods[i] = all[i].Pod
		}
		t.note(t.language.Say(textHadToLeave, all[0].Cycle, all[0].Node, names(t.language, pods)))
		all = all[of:]
	}
}

// lint is what is probably not meant so.
func (t *told) lint(e *session.Explanation) {
	for i, f := range e.Lint {
		if i == 0 {
			t.add(0, Heading, textLint)
		}
		t.add(1, Verdict, "%s: %s", f.Rule, t.language.Render(f.Says))
	}
}

// recorded compares what the cluster's own scheduler reported with what is decided here.
func (t *told) recorded(e *session.Explanation) {
	d := e.Recorded
	if d == nil {
		return
	}
	when := ""
	if !d.At.IsZero() {
		when = t.language.Say(textRecordedAt, clock(d.At, e.Now))
	}
	switch {
	case d.Verdict == compare.Agreed && d.What == compare.Host:
		t.note(t.language.Say(textRecordedHost, when, d.Theirs))
	case d.Verdict == compare.Agreed:
		t.note(t.language.Say(textRecordedSame, when))
	default:
		t.add(0, Heading, textRecorded)
		t.lines = append(t.lines, Line{
			Level: 1, Role: Verdict, Sign: Diverges, Text: t.language.Say(textRecordedWas, when, d.Said()),
		})
		t.add(1, Verdict, textRecordedHere, t.language.Render(d.Ours))
		if d.Why != "" {
			t.add(1, Note, textRecordedWhy, t.language.Render(d.Why))
		}
	}
}

// how returns which attempt it was, and how many nodes were looked at.
func (t *told) how(e *session.Explanation) {
	c := e.Cycle
	evaluated, feasible := 0, 0
	switch {
	case c.Ended != nil:
		evaluated, feasible = c.Ended.Evaluated, c.Ended.Feasible
	case c.Matrix != nil:
		evaluated, feasible = len(c.Matrix.Visited), c.Matrix.FeasibleCount()
	default:
		return
	}
	if e.Asked {
		t.note(t.language.Say(textHowNow, evaluated, t.language.Sentence(c.Nodes, textNode, textNodes), feasible))
		return
	}
	sign, became := NoSign, ""
	if c.Ended != nil {
		sign, became = outcomeSign(c.Ended.Outcome), fmt.Sprintf(textEndedIn, outcome(t.language, c.Ended))
	}
	t.lines = append(t.lines, Line{Role: Note, Sign: sign, Text: t.language.Say(textHow, c.Number, c.Attempt, became,
		evaluated,
		t.language.Sentence(c.Nodes, textNode, textNodes), feasible)})
	if n := c.Nominated; n != nil && !n.Feasible {
		t.note(t.language.Say(textNominatedRejects, n.Node, n.Plugin, n.Verdict.Message()))
	}
}

// reused names the cycle whose scores were reused, or why they were not (OpportunisticBatching).
func (t *told) reused(b *trace.Batch) {
	if b == nil {
		return
	}
	if h := b.Hint; h != nil {
		said := t.language.Say(textReused, h.Cycle, h.Node)
		if h.Feasible {
			t.note(said + t.language.Say(textHintFits, h.Node))
		} else {
			t.note(said + t.language.Say(textHintRejects, h.Plugin, h.Verdict.String()))
		}
		if h.Rescored != "" {
			t.note(t.language.Say(textRescored, h.Rescored))
		}
	}
	if b.Unused != nil {
		t.note(t.language.Say(textNotReused, b.Unused.Cycle, b.Unused.Why()))
	}
}

// equivalent returns what would have come out of the equivalence cache.
func (t *told) equivalent(e *trace.Equivalence) {
	if e == nil {
		return
	}
	t.note(t.language.Render(e.EquivalenceHits))
	for i := range e.Stale {
		t.signed(Diverges, t.language.Render(e.Stale[i]))
	}
}

// postFilters are the PostFilter plugins, which run when no node fits, with their answers.
func (t *told) postFilters(c *trace.Try) {
	answer := ""
	for i := range c.PostFilter {
		if i == 0 {
			t.add(0, Heading, textPostFilters)
		}
		answer = c.PostFilter[i].Verdict.String()
		t.add(1, Verdict, textAnswer, c.PostFilter[i].Plugin, answer)
	}
	if p := c.Preemption; p != nil && p.Eligible {
		for _, l := range Preemption(t.language, p) {
			if strings.HasSuffix(answer, l.Text) {
				continue // the plugin has said it
			}
			l.Level++
			t.lines = append(t.lines, l)
		}
	}
}

// says is a message of kube-scheduler, with the event's words around it.
func says(lang words.Language, message string) string { return lang.Say(textSays, message) }

// beforeAnyNode is what rejected the pod before a node was looked at.
func (t *told) beforeAnyNode(c *trace.Try) {
	for _, f := range c.PreFilters {
		if f.Verdict.Code.Rejects() || f.Verdict.Code == trace.Error {
			t.add(0, Heading, textBefore, f.Plugin, f.Verdict.String())
			t.evidence(1, f.Verdict, nil)
		}
	}
}

func (t *told) evidence(level int, v trace.Verdict, users []trace.Use) {
	for _, e := range v.Evidence {
		t.add(level, Evidence, "%s", compared(t.language, e, users))
	}
}

// objections are the nodes that reject the pod, by all their reasons.
func (t *told) objections(e *session.Explanation) {
	if len(e.Rejections) == 0 {
		return
	}
	title := t.language.Of(textObjections)
	if e.Cycle.Selected != nil {
		title = t.language.Of(textRuledOut)
	}
	t.add(0, Heading, "%s", title)
	for _, g := range e.Rejections[:min(len(e.Rejections), mostGroups)] {
		t.add(1, Verdict, textObjection, t.language.Sentence(len(g.Nodes), textNode, textNodes), strings.Join(
			g.Reasons, "; ",
		))
		t.add(2, Note, "%s", names(t.language, g.Nodes))
	}
	if more := len(e.Rejections) - mostGroups; more > 0 {
		t.add(1, Note, textMoreObjections, strconv.Itoa(more))
	}
}

// nearest are the nodes that almost fit, with every comparison.
func (t *told) nearest(e *session.Explanation, extent Extent) {
	limit, title := extent.Nearest, t.language.Of(textNearest)
	if limit < 0 {
		limit = mostNearest
	}
	if extent.All {
		limit, title = len(e.Nearest), t.language.Of(textEveryNode)
	}
	shown := e.Nearest[:min(len(e.Nearest), limit)]
	if len(shown) == 0 {
		return
	}
	t.add(0, Heading, "%s", title)
	for i := range shown {
		t.add(1, Verdict, "%s", shown[i].Node)
		t.rejections(2, shown[i].Failures)
	}
}

// rejections are the answers of plugins that reject a node, each with its evidence.
func (t *told) rejections(level int, broken []session.Broken) {
	for i := range broken {
		b := &broken[i]
		t.add(level, Verdict, textAnswer, b.Plugin, b.Verdict.Message())
		t.evidence(level+1, b.Verdict, b.Advice.Users)
	}
}

// extenders are the calls of extenders, with their results.
func (t *told) extenders(c *trace.Try) {
	for i := range c.Extended {
		if i == 0 {
			t.add(0, Heading, textExtenders)
		}
		t.add(1, Note, "%s", t.language.Render(c.Extended[i]))
	}
}

// changes are what alone would make some nodes fit.
func (t *told) changes(e *session.Explanation, extent Extent) {
	if len(e.Changes) == 0 {
		return
	}
	t.add(0, Heading, textAnyOne)
	shown := e.Changes
	if !extent.All {
		shown = shown[:min(len(shown), mostChanges)]
	}
	for _, c := range shown {
		t.add(1, Change, textWhere, Changed(t.language, c.Change), names(t.language, c.Nodes))
	}
	if more := len(e.Changes) - len(shown); more > 0 {
		t.add(1, Note, textMoreChanges, strconv.Itoa(more))
	}
}

// events are what happened to a pod or a pod group.
func (t *told) events(all []session.Event) {
	if len(all) == 0 {
		return
	}
	t.add(0, Heading, textHistory)
	for _, happened := range all {
		t.add(1, Note, "%s", event(t.language, happened))
	}
}

// History is what happened to a pod, and when it is tried again.
func History(lang words.Language, events []session.Event, p session.Place, now time.Time) []Line {
	t := told{language: lang}
	for _, e := range events {
		t.note(event(lang, e))
	}
	if len(events) == 0 {
		t.note(lang.Of(textNoHistory))
	}
	t.wakes(p, now)
	return t.lines
}

// event is one thing that happened to a pod.
func event(lang words.Language, e session.Event) string {
	where := lang.Say(textStep, e.Step)
	if e.Cycle > 0 {
		where = lang.Say(textCycle, e.Cycle)
	}
	return fmt.Sprintf(textEvent, words.Clock(e.At), where, lang.Tell(e.Text))
}

// NotListed is the explanation of a pod that is in no list of a frame.
func NotListed(lang words.Language, key string) []Line {
	return []Line{{Text: lang.Say(textNotListed, Entity(lang, key))}}
}

// NoFilter explains why a try has no filters to show; c is nil before the first cycle.
func NoFilter(lang words.Language, c *trace.Try) []Line {
	t := told{language: lang}
	switch {
	case c == nil:
		t.note(lang.Of(textNobodyTried))
	case c.Matrix != nil && c.PreFilterRejected():
		t.add(0, Verdict, textNoFilterAfterPreFilter)
		t.beforeAnyNode(c)
	case c.State == trace.NotTried && c.Ended != nil && c.Ended.Outcome != trace.SkippedScheduling:
		t.add(0, Verdict, textItWasNotTried, c.Entity.Key(), orElse(c.Ended.Message, lang.Of(textNoReason)))
	case c.Ended != nil:
		t.add(0, Verdict, textNoFilterPhase, c.Ended.Message)
	case c.Nodes == 0 && c.Number > 0:
		t.add(0, Verdict, textNoNodes)
	default:
		t.note(lang.Of(textFilterAhead))
	}
	return t.lines
}

// Fact is one fact in full, with what it rests on.
func Fact(f *session.Frame, fact trace.Fact) []Line {
	t, text := told{language: f.Language}, f.Render(fact)
	verdict := func(v trace.Verdict) {
		t.signed(signOf(v), text)
		t.evidence(1, v, nil)
	}
	switch f := fact.(type) {
	case trace.PreFiltered:
		verdict(f.Verdict)
	case trace.NominatedTried:
		verdict(f.Verdict)
	case trace.BatchHint:
		verdict(f.Verdict)
	case trace.PostFiltered:
		verdict(f.Verdict)
	case trace.PreScored:
		verdict(f.Verdict)
	case trace.Ran:
		verdict(f.Verdict)
	case trace.Ended:
		t.signed(outcomeSign(f.Outcome), text)
	default:
		t.add(0, Verdict, "%s", text)
	}
	return t.lines
}
