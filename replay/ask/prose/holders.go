package prose

import (
	"time"

	"github.com/schedstep/schedstep/replay/session"
)

// mostHolders is how many holders of a resource are listed.
const mostHolders = 3

// holders are those that hold what the pod lacks, and what came where it was before.
func (t *told) holders(e *session.Explanation) {
	resource, listed := "", 0
	for i := range e.Holders {
		h := &e.Holders[i]
		if i == 0 {
			t.add(0, Heading, textHolders)
		}
		if h.Resource != resource {
			resource, listed = h.Resource, 0
			t.add(1, Note, textHeldOn, h.Resource, names(t.language, h.Nodes))
		}
		if listed++; listed > mostHolders {
			continue
		}
		text := t.language.Say(textHolding, h.Owner, h.Amount.String(), t.language.Sentence(h.Pods, textPod, textPods))
		t.add(2, Evidence, "%s%s", text, t.since(h.First, h.Last, e.Now))
	}
	p := e.Predecessor
	if p == nil {
		return
	}
	text := textWasBefore
	if p.Pod != e.Pod {
		text = textPlaceOf
	}
	if len(p.Came) == 0 {
		text = textWasThere
	}
	t.add(1, Note, text, p.Pod, p.Node, clock(p.Until, e.Now))
	for _, a := range p.Came {
		t.add(2, Evidence, "%s%s", a.Pod, t.since(a.At, a.At, e.Now))
	}
}

// since is when pods were bound, as the end of a sentence.
func (t *told) since(first, last, now time.Time) string {
	switch {
	case first.IsZero():
		return ""
	case first.Equal(last):
		return t.language.Say(textBoundAt, clock(first, now))
	}
	return t.language.Say(textBoundFrom, clock(first, now), clock(last, now))
}
