package prose

import (
	"github.com/schedstep/schedstep/replay/session"
)

// GroupPage is everything about a pod group: where it is, what it needs, what its last cycle found, where each of its
// pods is, and what happened to it.
func GroupPage(e session.GroupExplanation) []Line {
	t := told{language: e.Language}
	placed := 0
	for i := range e.Members {
		if e.Members[i].Place.Node != "" {
			placed++
		}
	}
	where := Place(e.Language, e.Place, e.Now)
	if e.Place.Queue == "" {
		where = e.Language.Say(textGroupPlaced, placed, e.Language.Sentence(len(e.Members), textPod, textPods))
	}
	t.add(0, Verdict, textPodIs, Entity(e.Language, e.Group), where)
	if e.Gang {
		t.note(e.Language.Sentence(e.MinCount, textGangNeedsOne, textGangNeeds))
	} else {
		t.note(e.Language.Of(textNoQuorum + "."))
	}
	if e.Topology != "" {
		t.note(e.Language.Say(textGroupTopology, e.Topology))
	}
	if absent := e.MinCount - len(e.Members); absent > 0 {
		waits := textGangWaits
		if e.Place.Queue == "" && e.Cycle != nil {
			waits = textGangShrank
		}
		t.note(e.Language.Say(waits, e.Language.Sentence(absent, textAbsent, textAbsents)))
	}
	t.wakes(e.Place, e.Now)
	if e.Cycle != nil && e.Cycle.Group != nil {
		t.add(0, Heading, textLastCycle, Entity(e.Language, e.Group))
		for _, l := range Group(e.Language, e.Cycle) {
			l.Level++
			t.lines = append(t.lines, l)
		}
	}
	if len(e.Members) > 0 {
		t.add(0, Heading, "%s", e.Language.Sentence(len(e.Members), textItsPod, textItsPods))
	}
	for i := range e.Members {
		m := &e.Members[i]
		t.add(1, Evidence, textPodIs, m.Pod, Place(e.Language, m.Place, e.Now))
	}
	t.events(e.History)
	return t.lines
}
