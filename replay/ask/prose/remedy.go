package prose

import (
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/remedy"
	"github.com/schedstep/schedstep/replay/session"
)

// mostMoved is how many pods are named that a change moves.
const mostMoved = 6

// OthersWait names pods that have no node, for an answer about a pod that needs no change; "" where none waits.
func OthersWait(lang words.Language, q *session.Queue) string {
	var keys []string
	for _, rows := range [][]session.QueueRow{q.Unschedulable, q.Backoff, q.Gated} {
		for i := range rows {
			keys = append(keys, rows[i].Pod)
		}
	}
	if len(keys) == 0 {
		return ""
	}
	return lang.Say(textOthersWait,
		names(lang, keys))
}

// Remedies are the smallest changes that give a pod a node, with the commands that carry them out and what they do to
// other pods.
func Remedies(lang words.Language, a remedy.Answer) []Line {
	t := told{language: lang}
	switch {
	case a.Without != "" && a.Runs == 0 && a.Placed:
		t.note(lang.Say(textItIsOn, a.Without))
		return t.lines
	case a.Without != "":
		t.note(lang.Say(textWithoutAny, a.Without))
		return t.lines
	case len(a.Remedies) == 0:
		t.add(0, Heading, textNoRemedy)
	default:
		t.add(0, Heading, textRemedies)
	}
	for i, r := range a.Remedies {
		t.remedy(i+1, r)
	}
	if a.Outrun != nil && len(a.Remedies) == 0 {
		t.add(1, Note, "%s", t.language.Say(textOutrun, a.Outrun.Pods, changesOf(t.language, a.Outrun.Changes)))
	}
	for _, h := range a.Held[:min(len(a.Held), mostMoved)] {
		t.add(1, Note, "%s", held(lang, h))
	}
	t.add(1, Note, "%s", lookedAt(lang, &a))
	return t.lines
}

// held is a node with a taint that its controller takes off.
func held(lang words.Language, h remedy.Held) string {
	if h.Condition == "" {
		return lang.Say(textHeldNode, h.Node, h.Taint)
	}
	return lang.Say(textHeldNodeBy, h.Node, h.Taint, h.Condition)
}

// lookedAt is how far the search went.
func lookedAt(lang words.Language, a *remedy.Answer) string {
	sets, nodes := lang.Sentence(a.Runs, textASet, textSets), lang.Sentence(a.Nodes, textNode, textNodes)
	said := lang.Say(textLookedAt, sets, remedy.MostChanges, a.Considered, nodes)
	switch {
	case a.Considered >= a.Nodes:
		said = lang.Say(textLookedAtAll, sets, remedy.MostChanges, nodes)
	case a.Considered == 0:
		said = lang.Say(textLookedAtNo, sets, remedy.MostChanges)
	case a.Considered == 1:
		said = lang.Say(textLookedAtOne, sets, remedy.MostChanges, nodes)
	}
	if !a.Whole {
		said += lang.Of(textNotAllTried)
	}
	return said
}

func (t *told) remedy(number int, r remedy.Remedy) {
	t.add(1, Change, "%s", t.language.Say(textRemedy, number, changesOf(t.language, r.Changes), r.Node))
	for _, c := range r.Changes {
		t.add(2, Evidence, textCommands, t.language.Render(c.Kubectl()))
	}
	t.guards(r.Changes)
	t.elsewhere(r.Elsewhere)
	switch {
	case r.Late && r.Patience == 0:
		t.add(2, Note, textInTime)
	case r.Late:
		t.add(2, Note, textLate, Span(r.Patience))
	}
}

// guards are what changes go around.
func (t *told) guards(changes []remedy.Change) {
	for _, c := range changes {
		if text, is := guardTexts[c.Guard]; is {
			t.add(2, Note, text)
		}
	}
}

// elsewhere are the other pods that changes move.
func (t *told) elsewhere(all []session.Elsewhere) {
	for _, e := range all[:min(len(all), mostMoved)] {
		t.add(2, Note, "%s", moved(t.language, e))
	}
	switch more := len(all) - mostMoved; {
	case len(all) == 0:
		t.add(2, Note, textNobodyElse)
	case more > 0:
		t.add(2, Note, "%s", t.language.Say(textMoreMoves, more))
	}
}

// moved is a pod that a change puts elsewhere.
func moved(lang words.Language, e session.Elsewhere) string {
	switch {
	case e.Gone:
		return lang.Say(textDeletedThen, e.Pod, e.Before)
	case e.Again && e.There == "":
		return lang.Say(textWaitsAgain, e.Pod, e.Before)
	case e.Again:
		return lang.Say(textMadeAgain, e.Pod, e.Before, e.There)
	case e.There == "" && e.Before == "":
		return lang.Say(textNewWaits, e.Pod)
	case e.There == "":
		return lang.Say(textLosesThen, e.Pod, e.Before)
	case e.Before == "":
		return lang.Say(textPlacedThen, e.Pod, e.There)
	}
	return lang.Say(textMovesThen, e.Pod, e.There, e.Before)
}

// remedyTexts are the words for the kinds of changes; what follows the name of the object in the change's line is put
// into them.
var remedyTexts = map[remedy.Kind]string{
	remedy.Ungate: textUngates, remedy.Uncordon: textUncordons, remedy.LabelNode: textLabels,
	remedy.Tolerate: textTolerates, remedy.Untaint: textUntaints, remedy.Request: textRequests,
	remedy.HonorTaints: textHonors, remedy.HonorNodeAffinity: textHonorsAffinity, remedy.RaiseSkew: textRaisesSkew,
	remedy.DropMinDomains: textDropsMinDomains,
	remedy.Soften:         textSoftens, remedy.DropPort: textDropsPort, remedy.DropSelector: textDropsSelector,
	remedy.DropNodeAffinity: textDropsNodes, remedy.RelabelPod: textRelabels, remedy.DropAffinity: textDropsPods,
	remedy.DropAntiAffinity: textDropsAnti, remedy.EvictPod: textEvicts, remedy.EaseBudget: textEasesBudget,
	remedy.ScaleDown: textScalesDown, remedy.AddVolume: textAddsVolume,
	remedy.Prioritize: textPrioritizes, remedy.NameClass: textNamesClass,
	remedy.MarkClass: textMarksClass, remedy.RenewKeys: textRenewsKeys, remedy.UndoResize: textUndoesResize,
	remedy.AddNode: textAddsNode, remedy.AddSeveral: textSeveralNodes, remedy.DisablePlugin: textDisables,
}

// guardTexts name the guard that a change goes around.
var guardTexts = map[remedy.Guard]string{
	remedy.GuardCordon: textGuardCordon, remedy.GuardControlPlane: textGuardControlPlane, remedy.GuardGate: textGuardGate,
	remedy.GuardBudget: textGuardBudget,
}

// Changing is one change in words: "request 250m less cpu (1250m)".
func Changing(lang words.Language, c remedy.Change) string {
	text := remedyTexts[c.Kind]
	if !strings.Contains(text, "%s") {
		return lang.Of(text)
	}
	return lang.Say(text, c.What)
}
