package compare

import (
	"slices"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// answer is what this scheduler would have decided about a pod.
type answer struct {
	try     *trace.Try // nil: the pod cannot be tried
	err     error
	enough  int  // feasible nodes that end a search
	permits bool // plugins of others have pods wait, and act on that
}

// ask examines the pod of a decision on a copy of a scheduler.
func (h *Hindsight) ask(s *core.Scheduler, d Decision) answer {
	s.State().Snapshot() // the order of the nodes is made here once, and not in every copy
	facts, err := s.ExamineIn(d.Pod, trace.Full)
	if err != nil {
		return answer{err: err}
	}
	c, _ := trace.Fold(facts)
	try, tried := c.Try(d.Pod)
	if !tried || try.Ended == nil {
		return answer{err: phrase.Errorf("its group is lost before its turn comes")}
	}
	a := answer{try: try}
	if p, known := s.Profile(c.Profile); known {
		a.permits = permits(p)
	}
	if try.Matrix != nil {
		a.enough = h.enough(c.Profile, len(try.Matrix.Nodes))
	}
	return a
}

// judge lays the answer beside a decision.
func (a answer) judge(d Decision) Decision {
	d.Verdict, d.Why = Different, ""
	switch {
	case a.err != nil:
		d.Ours, d.Why = "nothing", phrase.OfError(a.err)
	case d.What != Host:
		d.Ours = phrase.Verbatim(a.try.Ended.Message) // cut as an event cuts it
		if a.try.Ended.Message == core.Note(d.Theirs) {
			d.Verdict = Agreed
			break
		}
		for _, explains := range []func(*Decision){a.evicts, a.waits, a.followsWaits} {
			if explains(&d); d.Verdict != Different {
				break
			}
		}
	default:
		a.judgeHost(&d)
	}
	return d
}

func (a answer) judgeHost(d *Decision) {
	d.Ours = phrase.Verbatim(a.try.Ended.Node)
	s := a.try.Selected
	switch {
	case a.try.Ended.Node == d.Theirs:
		d.Verdict = Agreed
	case s == nil:
		d.Ours, d.Why = "none", phrase.Verbatim(a.try.Ended.Message)
	case slices.Contains(s.Tied, d.Theirs):
		d.Verdict, d.Why = Tied, phrase.Textf("%d nodes have the highest total: %s", len(s.Tied), phrase.Names(s.Tied))
	case a.try.Matrix != nil:
		a.contest(d)
	}
}

// contest explains why their host is not ours.
func (a answer) contest(d *Decision) {
	m, s := a.try.Matrix, a.try.Scores
	theirs := slices.Index(m.Nodes, d.Theirs)
	if theirs < 0 {
		d.Why = "the node is not known"
		return
	}
	if failures := m.OnNode(theirs); len(failures) > 0 {
		d.Why = phrase.Textf("%s rejects %s: %s", m.Plugins[failures[0].Plugin], d.Theirs, failures[0].Verdict.Message())
		return
	}
	if s == nil {
		return
	}
	k, scored := s.Of(theirs)
	best := s.Best()
	if !scored || best < 0 {
		return
	}
	better := 0
	for _, total := range s.Totals {
		if total > s.Totals[k] {
			better++
		}
	}
	if unseen := len(s.Index) - a.enough; unseen >= better {
		d.Verdict, d.Why = Explained, phrase.Textf(
			"%d of %d feasible nodes are enough, and the %d better ones may have been among the others",
			a.enough, len(s.Index), better,
		)
		return
	}
	plugin, by := decider(s, best, k)
	d.Why = phrase.Textf("%s has %d and %s %d; %s decides with %d between them",
		d.Ours, s.Totals[best], d.Theirs, s.Totals[k], plugin, by)
}

// decider is the score plugin that favours one node over another the most.
func decider(s *trace.Scores, best, other int) (plugin string, by int64) {
	for i := range s.Columns {
		c := &s.Columns[i]
		if c.Skipped || c.Normalized == nil {
			continue
		}
		if more := c.Weighted(best) - c.Weighted(other); plugin == "" || more > by {
			plugin, by = c.Plugin, more
		}
	}
	return plugin, by
}
