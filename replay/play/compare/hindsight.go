package compare

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source"
)

// Hindsight runs, for every decision in a log, a cycle on the state just before it. Order and delay play no part in the
// answer: the state is the one that history made.
//
// A bind arrives later than it was decided, and in another order than others. So a decision that differs is tried again
// with the binds around it in the order of decision, as far as the queue's order is known; and after that on the states
// a few events earlier, and a few later, before it counts as different.
type Hindsight struct {
	now    *core.Scheduler
	all    []*framework.Profile // that score all nodes
	whole  []*framework.Profile // as the user configured them: how many nodes are enough
	past   []moment             // the last events that matter to others, the newest last
	turns  turns
	open   []*question
	waits  waits
	began  time.Time // the moment of the first entry
	guests bool      // plugins of others are among those that decide
	report Report
	judged []Decision              // by the entry that is seen
	means  func(*cluster.Pod) bool // which pods' decisions are compared; nil: all

	limits   Limits
	arrivals []source.Timed // that may be unseen by their scheduler, the newest last
	replaced []source.Timed // nodes as they were before such changes, the newest last
}

// nearby is how many relevant events are looked at before and after a decision: a change that concerns many pods at
// once, such as devices or the places of evicted pods, is written long after it was decided.
const nearby = 96

// asks reports whether a decision is tried on the state so many events away: on each of the nearest, then on every
// eighth.
func asks(away int) bool { return away <= nearby/3 || away%8 == 0 }

// question is a decision that differs so far.
type question struct {
	Decision
	turn      turn
	seen      int             // the number of the entry that shows the decision
	ordered   *core.Scheduler // with the binds that were decided before it, and no others
	state     *core.Scheduler // before the decision, and with what came after it
	replaced  []source.Timed  // nodes as they were before their last changes, the newest last
	left      int             // events that it still waits for
	later     int             // events that have come
	explained bool            // unless the order of the binds has them agree
}

// NewHindsight compares from an empty cluster on. Of every profile all nodes are scored, so that the best is known.
func NewHindsight(o core.Options) *Hindsight {
	h := &Hindsight{whole: o.Profiles, turns: turns{of: map[string]turn{}}, waits: newWaits(o.MaxBackoff)}
	o.Profiles = slices.Clone(o.Profiles)
	for i, p := range o.Profiles {
		all := *p
		all.Percentage = 100
		o.Profiles[i] = &all
	}
	h.all, h.now, h.guests = o.Profiles, core.New(o), hasGuests(o.Profiles)
	return h
}

// Only has only the decisions about some pods compared. All pods still count for what is decided: they fill the nodes.
func (h *Hindsight) Only(means func(*cluster.Pod) bool) { h.means = means }

// compares reports whether the decisions about a pod are compared.
func (h *Hindsight) compares(pod string) bool {
	if h.means == nil {
		return true
	}
	p, there := h.now.State().Pod(pod)
	return there && h.means(p)
}

// Foresee takes an entry of the log as See does, but leaves it to Begin to bring what it did to the cluster; false: it
// is none of what was there before anything happened, and See must take it.
func (h *Hindsight) Foresee(t source.Timed) bool {
	if !h.Expects(t) {
		return false
	}
	h.began = t.At
	h.turns.see(t.Event, false)
	h.arrived(t)
	return true
}

// Expects reports whether an entry is one of those that were there before anything happened.
func (h *Hindsight) Expects(t source.Timed) bool {
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
func (h *Hindsight) See(t source.Timed) []Decision {
	h.judged = nil
	switch {
	case t.Reply != nil:
		return nil
	case h.began.IsZero():
		h.began = t.At
	}
	if h.Expects(t) { // it was there before anything happened
		h.turns.see(t.Event, false)
		h.arrived(t)
		h.now.Apply(t.Event)
		return nil
	}
	h.advance(t.At)
	d, decided := h.decision(t)
	var agreed *trace.Try
	if decided && h.compares(d.Pod) {
		agreed = h.decided(d)
	}
	if h.matters(t.Event) {
		m := moment{before: h.now.Fork(), event: t.Event, seen: h.turns.seen + 1}
		if decided && d.What == Host {
			m.binds, m.turn = d.Pod, h.turns.of[d.Pod]
		} else if pod := reserves(t.Event); pod != "" {
			m.binds, m.turn = pod, h.turns.of[pod]
		}
		h.learn(m, d.Pod)
		h.past = append(h.past, m)
		if len(h.past) > nearby {
			h.past = slices.Delete(h.past, 0, 1)
		}
	}
	h.turns.see(t.Event, decided)
	h.arrives(t)
	_, facts := h.now.Apply(t.Event)
	h.stir(facts)
	if agreed != nil {
		h.setAside(d, agreed)
	}
	h.overdue()
	h.beganAnew(false)
	return h.judged
}

// judge reports a decision on which the verdict is final.
func (h *Hindsight) judge(d Decision) {
	h.report.Add(d)
	h.judged = append(h.judged, d)
}

// Agreement counts the decisions on which the verdict is final.
func (h *Hindsight) Agreement() Tally { return h.report.All() }

// Report ends the waiting of the open questions, and returns all results.
func (h *Hindsight) Report() *Report {
	for _, q := range h.open {
		h.ends(q)
	}
	for _, r := range h.waits.late {
		h.waits.anew(r)
	}
	h.open, h.waits.late = nil, nil
	h.beganAnew(true)
	h.report.Complete()
	return &h.report
}

// matters reports whether an event may change the decision about another pod. A pod that waits changes nothing for
// others, unless plugins of others look at it.
func (h *Hindsight) matters(e cluster.Event) bool {
	switch o := e.Object.(type) {
	case *corev1.Pod:
		return o.Spec.NodeName != "" || o.Status.NominatedNodeName != "" || h.mattersToGuests(e, o)
	case *eventsv1.Event:
		return false
	}
	return true
}

// compare tries the pod on the state before the decision, and returns the try that decided the same at once. Else it
// tries with the binds before it in the order of decision, then on earlier states. What the order does not settle waits
// for later events.
func (h *Hindsight) compare(d Decision) *trace.Try {
	a := h.ask(h.now, d)
	if d = a.judge(d); d.Verdict != Different {
		h.judge(d)
		return a.try
	}
	q := &question{
		Decision: d, turn: h.turns.of[d.Pod], seen: h.turns.seen + 1, state: h.now.Fork(), left: nearby,
		replaced: slices.Clone(h.replaced),
	}
	var undone []string
	if q.ordered, undone = h.inOrder(q.turn); len(undone) > 0 && h.settles(q, phrase.Textf(
		"it was decided before %s, whose bind arrived earlier", phrase.Names(undone),
	)) {
		return nil
	}
	for back := 1; back <= len(h.past) && !q.explained; back++ {
		if !asks(back) {
			continue
		}
		earlier := h.ask(h.past[len(h.past)-back].before, d).judge(d)
		q.explain(earlier, phrase.Textf("it was decided before the last %d events were seen", back))
		if bound, binds := h.bindsSince(q.turn, back); !q.explained && binds > 0 {
			q.explain(h.ask(bound, d).judge(d), phrase.Textf(
				"it was decided before the last %d events were seen, but for %s that were decided earlier", back,
				phrase.Count(binds, "bind", "binds"),
			))
		}
	}
	if !q.explained {
		h.unseen(q)
	}
	if !q.explained {
		h.doubt(q, a)
	}
	h.open = append(h.open, q)
	return nil
}

// settles tries with the binds in the order of decision, and reports the decision when both agree then.
func (h *Hindsight) settles(q *question, order phrase.Text) bool {
	ordered := h.ask(q.ordered, q.Decision).judge(q.Decision)
	if ordered.Verdict != Agreed && ordered.Verdict != Tied {
		return false
	}
	if !ordered.Why.IsZero() {
		order = phrase.Textf("%s; %s", order, ordered.Why)
	}
	ordered.Why = order
	h.report.Reordered++
	h.judge(ordered)
	return true
}

// ends reports a decision that waits for no more events.
func (h *Hindsight) ends(q *question) {
	if !q.explained {
		h.behindInOrder(q)
	}
	h.judge(q.Decision)
}

// explain keeps the first explanation that an answer on another state gives.
func (q *question) explain(other Decision, why phrase.Text) {
	switch {
	case other.Verdict == Agreed || other.Verdict == Tied:
		q.Verdict, q.Why = Explained, phrase.Textf("%s: then it is %s", why, phrase.Text(other.Verdict))
	case other.chance:
		q.Verdict, q.Why = Explained, phrase.Textf("%s; %s", why, other.Why)
	default:
		return
	}
	q.explained = true
}

// learn tries open questions again with an event that came after them; an event about the pod itself is ignored.
func (h *Hindsight) learn(m moment, deciding string) {
	h.learnLate(m.event)
	h.open = slices.DeleteFunc(h.open, func(q *question) bool {
		if deciding == q.Pod || cluster.Key(m.event.Object) == q.Pod {
			return false
		}
		q.left--
		q.later++
		if m.binds != "" && m.turn.before(q.turn) && !m.turn.comesAfter(q.seen) {
			q.ordered.Apply(m.event)
			if h.settles(q, phrase.Textf("it was decided after %s, whose bind arrived later", m.binds)) {
				return true
			}
		}
		if !q.explained {
			q.state.Apply(m.event)
			if asks(q.later) {
				later := h.ask(q.state, q.Decision).judge(q.Decision)
				q.explain(later, phrase.Textf("it was decided with what was only seen %d events later", q.later))
			}
		}
		if q.left == 0 {
			h.ends(q)
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
