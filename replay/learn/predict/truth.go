package predict

import (
	"slices"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
)

// truth is what a cycle came to.
type truth struct {
	try     *trace.Try
	node    string
	nodes   []string // of the snapshot
	asked   []string // on which a filter ran, or that were all rejected at once, sorted
	out     []string // of these, those that were rejected, sorted
	victims []string // sorted
	queue   string
	message string
}

// truthOf reads a cycle that has ended, and where its pod is after it.
func truthOf(c *trace.Cycle, queue string) truth {
	t := truth{try: c.Latest(), queue: queue, message: c.Ended.Message, node: c.Ended.Node}
	if t.node != "" || queue == "" {
		t.queue = Bound
	}
	if m := t.try.Matrix; m != nil {
		t.nodes = m.Nodes
		for _, i := range m.Visited {
			t.asked = append(t.asked, m.Nodes[i])
			if m.First[i] >= 0 {
				t.out = append(t.out, m.Nodes[i])
			}
		}
	}
	slices.Sort(t.asked)
	slices.Sort(t.out)
	if p := t.try.Preemption; p != nil {
		t.victims = slices.Sorted(slices.Values(p.Victims))
	}
	return t
}

// whyNode is why the pod did not go to the node that was guessed.
func whyNode(s *session.Session, pod string, t truth, guessed string) []string {
	if guessed == "" || t.node == "" {
		return []string{t.message}
	}
	d, err := s.At().Against(pod, guessed)
	if err != nil {
		return []string{err.Error()}
	}
	return prose.Plain(prose.Duel(s.Language(), d))
}

// whyOut is the reasons of the nodes about which a guess is wrong.
func (t *truth) whyOut(lang words.Language, guessed []string) []string {
	var lines []string
	for i, name := range t.nodes {
		if slices.Contains(guessed, name) == slices.Contains(t.out, name) {
			continue
		}
		if told := prose.Plain(prose.OnNode(lang, t.try, i)); len(told) > 0 {
			lines = append(lines, told[:min(len(told), 2)]...)
		}
	}
	return lines
}

// whyVictims is what preemption found.
func (t *truth) whyVictims() []string {
	if t.try.Preemption == nil {
		return nil
	}
	return []string{t.try.Preemption.Message}
}
