package prose

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/remedy"
	"github.com/schedstep/schedstep/replay/ask/workload"
)

// Workload is the answer about a whole workload, then the page of its first pod without a node, where there is one.
func Workload(lang words.Language, a workload.Answer, extent Extent) []Line {
	t := told{language: lang}
	for _, l := range WorkloadHead(lang, a) {
		t.lines = append(t.lines, Line{Role: Verdict, Text: l})
	}
	t.denied(&a)
	t.nextReplicas(&a)
	t.forAll(&a)
	if a.First == nil {
		return t.lines
	}
	t.add(0, Heading, textFirstWithout)
	page := *a.First
	page.Changes = nil // those of one pod are not those of all
	t.lines = append(t.lines, Page(page, nil, extent)...)
	return t.lines
}

// WorkloadHead is how many pods of a workload fit, and the first of the changes with which all do.
func WorkloadHead(lang words.Language, a workload.Answer) []string {
	w := &a.Of
	if w.Want == 0 {
		return wantsNone(lang, &a)
	}
	head := []string{lang.Say(textOfFit, w.String(), w.Fit(), w.Want, replicaNoun(lang, string(w.Kind)))}
	if missing := w.Want - len(w.Pods); missing > 0 {
		head[0] += lang.Of(" ") + lang.Say(textNoPodYet, missing)
	}
	if w.Fit() < w.Want {
		head = append(head, ForAll(lang, &a))
	}
	return head
}

// wantsNone is why a workload wants no pod, and what keeps it from making any, as far as the input shows it.
func wantsNone(lang words.Language, a *workload.Answer) []string {
	says := []string{lang.Say(textWantsNone, a.Of.String())}
	if !a.Idle.IsZero() {
		says[0] = lang.Say(textWantsNoneFor, a.Of.String(), lang.Render(a.Idle))
	}
	for _, h := range a.Held {
		says = append(says, lang.Say(textCause, lang.Render(h.Says())))
	}
	return says
}

// ForAll is the first of the changes with which all pods of a workload fit that do not all fit now.
func ForAll(lang words.Language, a *workload.Answer) string {
	want := a.Of.Want
	switch {
	case a.Shrinks():
		return lang.Say(textFewerFit, want, want, changesOf(lang, a.Remedies[0].Changes))
	case len(a.Remedies) > 0:
		return lang.Say(textAllFit, want, want, changesOf(lang, a.Remedies[0].Changes))
	case len(a.Denied) > 0 && a.Denied[0].Fit >= want:
		return lang.Say(textQuotaForAll, want, want)
	case len(a.Denied) == 0 && len(a.Of.Waiting()) == 0:
		return lang.Of(textWhyNotMade)
	case a.By >= want:
		return lang.Say(textFitByThemself, a.By, want)
	}
	return lang.Say(textNoneForAll, want, want)
}

func changesOf(lang words.Language, changes []remedy.Change) string {
	parts := make([]string, len(changes))
	for i, c := range changes {
		parts[i] = Changing(lang, c)
	}
	return strings.Join(parts, lang.Of(textAnd))
}

// denied are the pods that a quota does not let be made, and the quota that does.
func (t *told) denied(a *workload.Answer) {
	for _, d := range a.Denied {
		t.add(0, Heading, "%s", t.language.Say(textNotMade, d.Missing))
		t.add(1, Verdict, "%s", d.Message)
		if d.Command == "" {
			continue
		}
		t.add(1, Change, "%s", t.language.Say(textQuotaRaised, d.Fit, a.Of.Want))
		t.add(2, Evidence, textCommands, t.language.Render(d.Command))
	}
}

// nextReplicas are the pods without a node, by what rejects them, and what gives some of them one.
func (t *told) nextReplicas(a *workload.Answer) {
	if len(a.Rejected) == 0 {
		return
	}
	t.add(0, Heading, textNextReplicas)
	shown := 0
	for _, r := range a.Rejected[:min(len(a.Rejected), mostGroups)] {
		says := r.Message
		if says == "" {
			says = t.language.Of(textNotYetTried)
		}
		t.add(1, Verdict, textRejectedPods, names(t.language, r.Pods), says)
		shown += len(r.Pods)
	}
	if more := len(a.Of.Waiting()) - shown; more > 0 {
		t.add(1, Note, "%s", t.language.Say(textMoreWithout, more))
	}
	for i, r := range a.Partial {
		if i == 0 {
			t.add(1, Note, textForSome)
		}
		t.add(2, Change, "%s", t.language.Say(textReaches, changesOf(t.language, r.Changes), r.Fit, a.Of.Want))
	}
}

// forAll are the changes with which all pods have a node.
func (t *told) forAll(a *workload.Answer) {
	switch {
	case a.Shrinks():
		t.add(0, Heading, "%s", t.language.Of(textForFewer))
	case len(a.Remedies) > 0:
		t.add(0, Heading, "%s", t.language.Say(textForAll, a.Of.Want, a.Of.Want))
	}
	for i, r := range a.Remedies {
		t.add(1, Change, "%s", fmt.Sprintf("%d. %s", i+1, changesOf(t.language, r.Changes)))
		for _, c := range r.Commands {
			t.add(2, Evidence, textCommands, t.language.Render(c))
		}
		t.guards(r.Changes)
		t.elsewhere(r.Elsewhere)
	}
	if a.Runs > 0 {
		said := t.language.Say(
			textRanOver, t.language.Sentence(a.Runs, textASet, textSets), workload.MostChanges,
		)
		if !a.Whole {
			said += t.language.Of(textNotAllTried)
		}
		t.add(1, Note, "%s", said)
	}
}
