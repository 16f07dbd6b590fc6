package compare

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay"
)

// Hindsight asks of every decision in a log what this scheduler would have decided on the state just before it. Order
// and delay play no part in the answer: the state is the one that history made.
//
// A bind arrives later than it was decided, and in another order than others. So a decision that differs is asked again
// with the binds around it in the order of decision, as far as the queue's order tells it; and after that on the states
// a few events earlier, and a few later, before it counts as different.
type Hindsight struct {
	now    *core.Scheduler
	all    []*framework.Profile // that score all nodes
	whole  []*framework.Profile // as the user configured them: how many nodes are enough
	past   []moment             // the last events that matter to others, the newest last
	turns  turns
	open   []*question
	began  time.Time // the moment of the first entry
	report Report
	judged []Decision // by the entry that is seen
}

// nearby is how many events that matter to others are looked at before and after a decision.
const nearby = 24

// question is a decision that differs so far.
type question struct {
	Decision
	turn      turn
	ordered   *core.Scheduler // with the binds that were decided before it, and no others
	state     *core.Scheduler // before the decision, and with what came after it
	left      int             // events that it still waits for
	later     int             // events that have come
	explained bool            // unless the order of the binds has them agree
}

// NewHindsight compares from an empty cluster on. Of every profile all nodes are scored, so that the best is known.
func NewHindsight(o core.Options) *Hindsight {
	h := &Hindsight{whole: o.Profiles, turns: turns{of: map[string]turn{}}}
	o.Profiles = slices.Clone(o.Profiles)
	for i, p := range o.Profiles {
		all := *p
		all.Percentage = 100
		o.Profiles[i] = &all
	}
	h.all, h.now = o.Profiles, core.New(o)
	return h
}

// Foresee takes an entry of the log as See does, but leaves it to Begin to bring what it did to the cluster; false: it
// is none of what was there before anything happened, and See must take it.
func (h *Hindsight) Foresee(t replay.Timed) bool {
	if !h.Expects(t) {
		return false
	}
	h.began = t.At
	h.turns.see(t.Event, false)
	return true
}

// Expects says whether an entry is one of those that were there before anything happened.
func (h *Hindsight) Expects(t replay.Timed) bool {
	return t.Reply == nil && t.Event.Object != nil && t.Event.Action == cluster.Add &&
		(h.began.IsZero() || t.At.Equal(h.began))
}

// Begin goes on from the state of a scheduler that has taken what Foresee has, and has tried no pod yet. The two share
// what neither changes, so that a large cluster is in memory once.
func (h *Hindsight) Begin(s *core.Scheduler) {
	h.now = s.ForkFor(h.all)
	h.now.Keep(trace.Summary)
}

// See takes the next entry of the log, and returns the decisions on which the verdict is final by now. It may be final
// only some events after a decision.
func (h *Hindsight) See(t replay.Timed) []Decision {
	h.judged = nil
	switch {
	case t.Reply != nil:
		return nil
	case h.began.IsZero():
		h.began = t.At
	}
	if h.Expects(t) { // it was there before anything happened
		h.turns.see(t.Event, false)
		h.now.Apply(t.Event)
		return nil
	}
	d, decided := h.decision(t)
	if decided {
		h.compare(d)
	}
	if h.matters(t.Event) {
		m := moment{before: h.now.Fork(), event: t.Event}
		if decided && d.What == Host {
			m.binds, m.turn = d.Pod, h.turns.of[d.Pod]
		}
		h.learn(m, d.Pod)
		h.past = append(h.past, m)
		if len(h.past) > nearby {
			h.past = slices.Delete(h.past, 0, 1)
		}
	}
	h.turns.see(t.Event, decided)
	h.now.Apply(t.Event)
	return h.judged
}

// judge reports a decision on which the verdict is final.
func (h *Hindsight) judge(d Decision) {
	h.report.Add(d)
	h.judged = append(h.judged, d)
}

// Agreement counts the decisions on which the verdict is final.
func (h *Hindsight) Agreement() Tally { return h.report.Hosts.Plus(h.report.Messages) }

// Report ends the waiting of what is still open, and tells all.
func (h *Hindsight) Report() *Report {
	for _, q := range h.open {
		h.report.Add(q.Decision)
	}
	h.open = nil
	h.report.Complete()
	return &h.report
}

// decision is what the cluster's scheduler decided, as an event shows it; false when it shows none.
func (h *Hindsight) decision(t replay.Timed) (Decision, bool) {
	p, is := t.Event.Object.(*corev1.Pod)
	if !is || t.Event.Action == cluster.Delete {
		return Decision{}, false
	}
	d := Decision{Pod: cluster.Key(p), At: t.At}
	known, there := h.now.State().Pod(d.Pod)
	if !there || known.NodeName != "" || known.UID() != cluster.UID(p) {
		return d, false
	}
	if _, ours := h.now.Profile(p.Spec.SchedulerName); !ours {
		return d, false
	}
	if p.Spec.NodeName != "" {
		d.What, d.Theirs = Host, p.Spec.NodeName
		return d, true
	}
	before, after := unschedulable(known.API), unschedulable(p)
	d.What, d.Theirs = Message, after
	return d, after != "" && after != before
}

// unschedulable is the text of a pod's condition that no node was found; "" when it has none.
func unschedulable(p *corev1.Pod) string {
	c := scheduledCondition(p)
	if c == nil || c.Status != corev1.ConditionFalse || c.Reason != corev1.PodReasonUnschedulable {
		return ""
	}
	return c.Message
}

// scheduledCondition is the condition that tells of a pod's scheduling; nil when it has none.
func scheduledCondition(p *corev1.Pod) *corev1.PodCondition {
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == corev1.PodScheduled {
			return c
		}
	}
	return nil
}

// matters says whether an event may change what becomes of another pod. A pod that waits changes nothing for others.
func (h *Hindsight) matters(e cluster.Event) bool {
	p, is := e.Object.(*corev1.Pod)
	return !is || p.Spec.NodeName != "" || p.Status.NominatedNodeName != ""
}

// compare asks on the state before the decision, then with the binds before it in the order of decision, then on
// earlier states. What the order does not settle waits for later events.
func (h *Hindsight) compare(d Decision) {
	if d = h.ask(h.now, d).judge(d); d.Verdict != Different {
		h.judge(d)
		return
	}
	q := &question{Decision: d, turn: h.turns.of[d.Pod], state: h.now.Fork(), left: nearby}
	var undone []string
	if q.ordered, undone = h.inOrder(q.turn); len(undone) > 0 && h.settles(q, fmt.Sprintf(
		"it was decided before %s, whose bind arrived earlier", someOf(undone),
	)) {
		return
	}
	for back := 1; back <= len(h.past) && !q.explained; back++ {
		earlier := h.ask(h.past[len(h.past)-back].before, d).judge(d)
		q.explain(earlier, fmt.Sprintf("it was decided before the last %d events were seen", back))
	}
	h.open = append(h.open, q)
}

// settles asks with the binds in the order of decision, and reports the decision when both agree then.
func (h *Hindsight) settles(q *question, order string) bool {
	ordered := h.ask(q.ordered, q.Decision).judge(q.Decision)
	if ordered.Verdict != Agreed && ordered.Verdict != Tied {
		return false
	}
	ordered.Why = strings.TrimSuffix(order+"; "+ordered.Why, "; ")
	h.report.Reordered++
	h.judge(ordered)
	return true
}

// explain keeps the first explanation that an answer on another state gives.
func (q *question) explain(other Decision, why string) {
	if other.Verdict == Agreed || other.Verdict == Tied {
		q.explained = true
		q.Verdict, q.Why = Explained, fmt.Sprintf("%s: then it is %s", why, other.Verdict)
	}
}

// learn asks open questions again with an event that came after them; one about the pod itself tells nothing.
func (h *Hindsight) learn(m moment, deciding string) {
	h.open = slices.DeleteFunc(h.open, func(q *question) bool {
		if deciding == q.Pod || cluster.Key(m.event.Object) == q.Pod {
			return false
		}
		q.left--
		q.later++
		if m.binds != "" && m.turn.before(q.turn) {
			q.ordered.Apply(m.event)
			if h.settles(q, "it was decided after "+m.binds+", whose bind arrived later") {
				return true
			}
		}
		if !q.explained {
			q.state.Apply(m.event)
			later := h.ask(q.state, q.Decision).judge(q.Decision)
			q.explain(later, fmt.Sprintf("it was decided with what was only seen %d events later", q.later))
		}
		if q.left == 0 {
			h.judge(q.Decision)
		}
		return q.left == 0
	})
}

// enough is how many feasible nodes the cluster's scheduler looks for before it stops.
func (h *Hindsight) enough(scheduler string, nodes int) int {
	for _, p := range h.whole {
		if p.SchedulerName == scheduler {
			return p.Behaviour.Search.Enough(p, nodes)
		}
	}
	return nodes
}

// someOf is a few names of many.
func someOf(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
