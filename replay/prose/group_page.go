package prose

import (
	"fmt"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// GroupPage is all there is to say about a pod group: where it is, what it needs, what its last cycle found, where each
// of its pods is, and what happened to it.
func GroupPage(e session.GroupExplanation) []Line {
	var t told
	placed := 0
	for i := range e.Members {
		if e.Members[i].Place.Node != "" {
			placed++
		}
	}
	where := Place(e.Place, e.Now)
	if e.Place.Queue == "" {
		where = fmt.Sprintf(textGroupPlaced, placed, words.Sentence(len(e.Members), textPod, textPods))
	}
	t.add(0, Verdict, textPodIs, Entity(e.Group), where)
	if e.Gang {
		t.note(words.Sentence(e.MinCount, textGangNeedsOne, textGangNeeds))
	} else {
		t.note(textNoQuorum + ".")
	}
	if e.Topology != "" {
		t.note(fmt.Sprintf(textGroupTopology, e.Topology))
	}
	if absent := e.MinCount - len(e.Members); absent > 0 {
		t.note(fmt.Sprintf(textGangWaits, words.Sentence(absent, textAbsent, textAbsents)))
	}
	t.wakes(e.Place, e.Now)
	if e.Cycle != nil && e.Cycle.Group != nil {
		t.add(0, Heading, textLastCycle, Entity(e.Group))
		for _, l := range Group(e.Cycle) {
			l.Level++
			t = append(t, l)
		}
	}
	if len(e.Members) > 0 {
		t.add(0, Heading, "%s", words.Sentence(len(e.Members), textItsPod, textItsPods))
	}
	for i := range e.Members {
		m := &e.Members[i]
		t.add(1, Evidence, textPodIs, m.Pod, Place(m.Place, e.Now))
	}
	t.events(e.History)
	return t
}
