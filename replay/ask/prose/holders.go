package prose

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/replay/session"
)

// mostHolders is how many holders of a resource are listed.
const mostHolders = 3

// holders are those that hold what the pod lacks, and what came where it was before.
func (t *told) holders(e *session.Explanation) {
	if len(e.Holders) > 0 {
		t.add(0, Heading, textHolders)
	}
	for left := e.Holders; len(left) > 0; {
		own := slices.IndexFunc(left, func(h session.Holder) bool { return h.Resource != left[0].Resource })
		if own < 0 {
			own = len(left)
		}
		t.holdersOf(left[:own], e.Now)
		left = left[own:]
	}
	if e.Predecessor != nil {
		t.predecessor(e, e.Predecessor)
	}
}

// holdersOf are the holders of one resource.
func (t *told) holdersOf(all []session.Holder, now time.Time) {
	t.add(1, Note, textHeldOn, all[0].Resource, names(t.language, all[0].Nodes))
	for i := range all[:min(len(all), mostHolders)] {
		h := &all[i]
		text := t.language.Say(textHolding, h.Owner, h.Amount.String(), t.language.Sentence(h.Pods, textPod, textPods))
		t.add(2, Evidence, "%s%s", text, t.since(h.First, h.Last, now))
	}
	if more := len(all) - mostHolders; more > 0 {
		t.add(2, Evidence, "%s", t.language.Say(textMoreNodes, more))
	}
}

// predecessor is where the pod was before, and what came there since.
func (t *told) predecessor(e *session.Explanation, p *session.Predecessor) {
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
