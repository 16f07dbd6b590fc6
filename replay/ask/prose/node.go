package prose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/session/room"
)

// Node is everything about one node: how much is left, which pods are on it, and why it rejects pods that wait.
func Node(e session.NodeExplanation) []Line {
	t := told{language: e.Language}
	if e.Zone != "" {
		t.add(0, Verdict, textNodeInZone, e.Node, e.Zone)
	} else {
		t.add(0, Verdict, textNodeNamed, e.Node)
	}
	if e.Unschedulable {
		t.add(0, Verdict, textCordoned)
	}
	if len(e.Taints) > 0 {
		t.add(0, Verdict, textTaints, strings.Join(e.Taints, ", "))
	}
	t.lines = append(t.lines, guessLines(e.Language, textNodeRests, e.Guesses, e.More)...)
	for _, r := range e.Room {
		t.add(1, Evidence, textRoom, r.Resource, r.Used.String(), r.Capacity.String(), r.Free.String())
	}
	t.lines = append(t.lines, Stranded(e.Language, e.Stranded)...)
	t.residents(e.Pods)
	if len(e.Nominated) > 0 {
		t.add(0, Heading, textKeptFor)
		t.add(1, Note, "%s", names(e.Language, e.Nominated))
	}
	t.unlike(&e.Belief)
	for i, w := range e.Waiting {
		if i == 0 {
			t.add(0, Heading, textWaiting)
		}
		said := e.Language.Of(textItFits)
		if len(w.Broken) > 0 {
			reasons := make([]string, len(w.Broken))
			for i := range w.Broken {
				reasons[i] = fmt.Sprintf(textAnswer, w.Broken[i].Plugin, w.Broken[i].Verdict.Message())
			}
			said = strings.Join(reasons, e.Language.Of("; "))
		}
		t.add(1, Verdict, textMeets, w.Pod, said)
	}
	t.fate(&e.Fate, e.Cycles)
	return t.lines
}

// Stranded is what is left on a node and is of use to no pod without a node.
func Stranded(lang words.Language, all []room.Stranded) []Line {
	t := told{language: lang}
	for _, s := range all {
		t.add(1, Evidence, "%s", lang.Say(textStranded, s.Resource, s.Amount(), strings.Join(s.Lacks, lang.Of(textAnd)),
			lang.Sentence(s.Pods, textWouldDoForOne, textWouldDoFor)))
	}
	return t.lines
}

// fate is what the cycles of the run made of a node.
func (t *told) fate(f *room.Fate, cycles int64) {
	if f.Tries == 0 {
		return
	}
	t.add(0, Heading, "%s", t.language.Sentence(int(cycles), textOverTheCycle, textOverTheCycles))
	searches := t.language.Sentence(f.Tries, textSearch, textSearches)
	switch f.Chosen {
	case 0:
		t.add(1, Verdict, textNeverChosen, searches)
	case f.Tries:
		t.add(1, Verdict, textAlwaysChosen, searches)
	default:
		t.add(1, Verdict, "%s", t.language.Say(textChosenIn, t.language.Sentence(f.Chosen, textOnce, textTimes), searches))
	}
	if f.Outdone > 0 {
		t.add(1, Evidence, "%s", t.language.Sentence(f.Outdone, textOutdoneOnce, textOutdone))
	}
	for _, r := range f.Rejected {
		t.add(1, Evidence, "%s", t.language.Sentence(r.Times, textRejectsOnce, textRejectsOften)+r.Plugin)
	}
	if f.Passed > 0 {
		t.add(1, Evidence, "%s", t.language.Sentence(f.Passed, textPassedOnce, textPassedOften))
	}
}

// unlike describes where the scheduler's counts differ from the API server's objects; nothing where both are the same.
func (t *told) unlike(b *session.NodeBelief) {
	if !slices.ContainsFunc(b.Held, isUnlike) {
		return
	}
	t.sums(b)
	for i := range b.Held {
		if isUnlike(b.Held[i]) {
			t.held(&b.Held[i])
		}
	}
}

func isUnlike(h session.Held) bool { return h.As != session.Confirmed }

// residents are the pods on a node, those with the highest priority first.
func (t *told) residents(pods []session.Resident) {
	if len(pods) == 0 {
		t.add(0, Heading, textNoPods)
		return
	}
	t.add(0, Heading, "%s", t.language.Sentence(len(pods), textOnePodThere, textPodsThere))
	for _, p := range pods[:min(len(pods), mostResidents)] {
		said := t.language.Say(textResident, p.Pod, p.Priority, p.CPU, p.Memory)
		if p.Assumed {
			said += t.language.Of(textAssumed)
		}
		t.add(1, Evidence, "%s", said)
	}
	if more := len(pods) - mostResidents; more > 0 {
		t.add(1, Note, "%s", t.language.Sentence(more, textMorePod, textMorePods))
	}
}
