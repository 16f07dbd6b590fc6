package prose

import (
	"fmt"
	"strings"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/session"
)

// Place is where a pod is and since when, as the rest of a sentence that begins with "web-7 is".
func Place(lang words.Language, p session.Place, now time.Time) string {
	switch {
	case p.Assumed:
		return lang.Say(textAssumedOn, p.Node)
	case p.Node != "":
		return lang.Say(textOnNode, p.Node)
	case p.Unserved != "":
		return lang.Say(textUnserved, p.Unserved)
	case p.Queue == "":
		return lang.Of(textNoQueue)
	case p.Cycle > 0:
		return lang.Say(textTrying, p.Cycle)
	case p.Queue == queue.InFlight && p.Row.Node != "":
		return lang.Say(textOnItsWay, p.Row.Node)
	case p.Queue == queue.InFlight:
		return lang.Of(textInFlight)
	case p.Queue == queue.Incomplete:
		return lang.Say(textNoGroup, p.Group)
	case p.Queue == queue.Gated:
		return lang.Say(textGated, p.Row.Gate, p.Row.GateText)
	}
	in := string(p.Queue)
	if p.Queue != queue.Unschedulable {
		in = lang.Say(textIn, in)
	}
	said := lang.Say(textSince, in, clock(p.Row.Since, now)) + attempts(lang, p.Row.Attempts)
	if len(p.Row.Plugins) > 0 {
		said += lang.Say(textRejectedBy, strings.Join(p.Row.Plugins, ", "))
	}
	if p.Row.Node != "" {
		said += lang.Say(textNominatedOn, p.Row.Node)
	}
	if p.Queue == queue.Unschedulable && p.Until.After(now) {
		said += lang.Say(textIfWoken, clock(p.Until, now))
	}
	return said
}

func attempts(lang words.Language, n int) string {
	switch n {
	case 0:
		return lang.Of(textNeverTried)
	case 1:
		return lang.Of(textTriedOnce)
	}
	return lang.Say(textTriedTimes, n)
}

// clock is a moment for a reader that knows what day it is now.
func clock(t, now time.Time) string {
	t, now = t.UTC(), now.UTC()
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.RFC3339)
}

// wakes returns when a waiting pod is tried again.
func (t *told) wakes(p session.Place, now time.Time) {
	for i, next := range wakes(t.language, p, now) {
		if i == 0 {
			t.add(0, Heading, textNext)
		}
		t.add(1, Note, "%s", next)
	}
}

// gateWriters names the programs that remove gates of the pod.
func (t *told) gateWriters(gates []string) {
	for _, gate := range gates {
		if by := owner.OfGate(gate); by != owner.User {
			t.add(1, Note, textGateWriter, string(by), gate)
		}
	}
}

// wakes is what would have a waiting pod tried again, each in a line.
func wakes(lang words.Language, p session.Place, now time.Time) []string {
	switch {
	case p.Cycle > 0:
		return nil
	case p.Queue == queue.ActiveQ:
		return []string{turn(lang, &p)}
	case p.Queue == queue.Incomplete:
		return []string{lang.Say(textGroupAdded, p.Group)}
	case p.Queue == queue.BackoffQ && p.Group != "":
		return []string{lang.Say(textGroupBacksOff, clock(p.Until, now))}
	case p.Queue == queue.BackoffQ && !p.CutsShort:
		return []string{lang.Say(textSitsOut, clock(p.Until, now))}
	case p.Queue == queue.BackoffQ:
		return []string{lang.Say(textBacksOff, clock(p.Until, now))}
	}
	var lines []string
	for _, w := range p.Wakers {
		if len(w.Events) == 1 && w.Events[0].Action == cluster.UpdatePodSchedulingGatesEliminated {
			lines = append(lines, lang.Of(textLastGate))
			continue
		}
		if len(w.Events) == 0 {
			lines = append(lines, lang.Say(textAnyEvent, w.Plugin))
			continue
		}
		events := make([]string, len(w.Events))
		for i, e := range w.Events {
			events[i] = clusterEvent(lang, e)
		}
		lines = append(lines, lang.Say(textWaitsFor, w.Plugin, strings.Join(events, lang.Of(textOr))))
	}
	switch p.Flush {
	case 0:
	case time.Minute:
		lines = append(lines, lang.Of(textAnywaySoon))
	default:
		lines = append(lines, lang.Say(textAnyway, p.Flush.Minutes()))
	}
	return lines
}

// turn returns what is popped from activeQ before a pod.
func turn(lang words.Language, p *session.Place) string {
	if p.Before == 0 {
		return lang.Of(textIsNext)
	}
	why := lang.Of(textSameTime)
	switch {
	case p.Last.Priority > p.Row.Priority:
		why = lang.Say(textHigher, p.Last.Priority)
	case p.Last.Since.Before(p.Row.Since):
		why = lang.Of(textLonger)
	}
	return lang.Say(
		textPoppedBefore, lang.Sentence(p.Before, textOnePopped, textManyPopped), Entity(lang, p.Last.Pod), why,
	)
}

// members are the pods that wait in a group's entry of the queue.
func (t *told) members(row *session.QueueRow) {
	if len(row.Members) == 0 {
		return
	}
	here := t.language.Sentence(len(row.Members), textPodIsHere, textPodsAreHere)
	said := t.language.Say(textGroupRow, here)
	if row.MinCount > 1 {
		said = t.language.Say(textGangRow, row.MinCount, here, row.Placed)
	}
	t.note(said)
	if absent := row.Absent(); absent > 0 {
		t.note(t.language.Say(textGangWaits, t.language.Sentence(absent, textAbsent, textAbsents)))
	}
	for i := range row.Members {
		m := &row.Members[i]
		said := t.language.Say(textMemberRow, m.Pod, m.Priority)
		if len(m.Plugins) > 0 {
			said += t.language.Say(textRejectedBy, strings.Join(m.Plugins, ", "))
		}
		if m.Node != "" {
			said += t.language.Say(textNominatedOn, m.Node)
		}
		t.add(1, Evidence, "%s", said)
	}
}

// clusterEvent is an event in words, each of its changes named: "a node is added or changes its labels".
func clusterEvent(lang words.Language, e cluster.ClusterEvent) string {
	var changes []string
	if e.Action&cluster.Added != 0 {
		changes = append(changes, lang.Of(textIsAdded))
	}
	if e.Action&cluster.Deleted != 0 {
		changes = append(changes, lang.Of(textIsDeleted))
	}
	if e.Action&cluster.Updated == cluster.Updated {
		changes = append(changes, lang.Of(textItChanges))
	} else {
		for _, c := range changeWords {
			if e.Action&c.action != 0 {
				changes = append(changes, lang.Of(c.words))
			}
		}
	}
	return lang.Say(textItDoes, subject(lang, e.Resource), strings.Join(changes, lang.Of(textEitherOr)))
}

// subject is the object that an event is about.
func subject(lang words.Language, r cluster.Resource) string {
	if text, known := subjectWords[r]; known {
		return lang.Of(text)
	}
	name := string(r)
	return lang.Say(textAnObject, name[strings.LastIndex(name, "/")+1:])
}

// reserved is what a pod that has a node, but is not bound yet, waits for.
func (t *told) reserved(e *session.Explanation) {
	if e.Node != "" && e.Place.Queue != queue.InFlight || e.Cycle.Selected == nil {
		return
	}
	for i := len(e.Cycle.Ran) - 1; i >= 0; i-- {
		ran := &e.Cycle.Ran[i]
		if ran.Undo {
			return
		}
		if ran.Verdict.Code != trace.Wait && ran.Verdict.Code != trace.Pending {
			continue
		}
		because := ""
		if said := ran.Verdict.Message(); said != "" {
			because = fmt.Sprintf(textBecause, said)
		}
		t.add(0, Verdict, textReserved, e.Cycle.Selected.Node, ran.Point.String(), ran.Plugin, because)
		return
	}
}
