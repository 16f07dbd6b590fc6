package prose

import (
	"fmt"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// Belief is what the scheduler believes of a node, pod by pod, beside the API server's objects.
func Belief(lang words.Language, b session.NodeBelief) []Line {
	t := told{language: lang}
	t.sums(&b)
	for i := range b.Held {
		t.held(&b.Held[i])
	}
	return t.lines
}

// sums are the amounts of a node, divided by those of the API server.
func (t *told) sums(b *session.NodeBelief) {
	if b.Gone {
		t.add(0, Verdict, textGoneNode, b.Node)
		return
	}
	t.add(0, Heading, textBelieved)
	for _, s := range b.Sums {
		said := t.language.Say(textCounted, s.Resource, s.Counted, s.Capacity, s.Confirmed)
		for _, part := range []struct {
			amount trace.Value
			text   string
		}{
			{s.Assumed, t.language.Of(textSumAssumed)},
			{s.Going, t.language.Of(textSumGoing)},
			{s.Reserved, t.language.Of(textSumReserved)},
		} {
			if n, _ := part.amount.Number(); n > 0 {
				said += fmt.Sprintf(part.text, part.amount)
			}
		}
		t.add(1, Evidence, "%s", said)
	}
	t.add(1, Note, textNotUsage)
}

// held is one pod that has to do with the node.
func (t *told) held(h *session.Held) {
	said := t.language.Of(textIsConfirmed)
	switch h.As {
	case session.Assumed:
		said = t.language.Of(textIsAssumed)
		if h.API != "" {
			said = t.language.Say(textAssumedElse, h.API)
		}
	case session.Terminating:
		if said = t.language.Of(textIsGoingNow); !h.Since.IsZero() {
			said = t.language.Say(textIsGoing, words.Clock(h.Since))
		}
	case session.Nominated:
		if said = t.language.Of(textIsKept); h.API == "" {
			said += t.language.Of(textOnlyHere)
		}
	case session.Lost:
		said = t.language.Of(textIsLost)
	case session.Confirmed:
	}
	t.add(1, Evidence, textHeld, h.Pod, h.CPU.String(), h.Memory.String(), said)
}
