package compare

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/replay"
)

// Hindsight asks of every decision in a log what this scheduler would have decided on the state just before it. Order
// and delay play no part in the answer: the state is the one that history made.
//
// A bind arrives later than it was decided, and in another order than others. So a decision that differs is asked again
// on the states a few events earlier, and a few later, before it counts as different.
type Hindsight struct {
	now    *core.Scheduler
	whole  []*framework.Profile // as the user configured them: how many nodes are enough
	past   []*core.Scheduler    // before the last events that matter to others, the newest last
	open   []*question
	report Report
}

// nearby is how many events that matter to others are looked at before and after a decision.
const nearby = 24

// question is a decision that differs so far.
type question struct {
	Decision
	state *core.Scheduler // before the decision, and with what came after it
	left  int             // events that it still waits for
	later int             // events that have come
}

// NewHindsight compares from an empty cluster on. Of every profile all nodes are scored, so that the best is known.
func NewHindsight(o core.Options) *Hindsight {
	h := &Hindsight{whole: o.Profiles}
	o.Profiles = slices.Clone(o.Profiles)
	for i, p := range o.Profiles {
		all := *p
		all.Percentage = 100
		o.Profiles[i] = &all
	}
	h.now = core.New(o)
	return h
}

// See takes the next entry of the log.
func (h *Hindsight) See(t replay.Timed) {
	if t.Reply != nil {
		return
	}
	d, decided := h.decision(t)
	if decided {
		h.compare(d)
	}
	if h.matters(t.Event) {
		h.learn(t.Event, d.Pod)
		h.past = append(h.past, h.now.Fork())
		if len(h.past) > nearby {
			h.past = slices.Delete(h.past, 0, 1)
		}
	}
	h.now.Apply(t.Event)
}

// Report ends the waiting of what is still open, and tells all.
func (h *Hindsight) Report() *Report {
	for _, q := range h.open {
		h.report.add(q.Decision)
	}
	h.open = nil
	slices.SortStableFunc(h.report.Decisions, func(a, b Decision) int { return a.At.Compare(b.At) })
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
	for i := range p.Status.Conditions {
		c := &p.Status.Conditions[i]
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse &&
			c.Reason == corev1.PodReasonUnschedulable {
			return c.Message
		}
	}
	return ""
}

// matters says whether an event may change what becomes of another pod. A pod that waits changes nothing for others.
func (h *Hindsight) matters(e cluster.Event) bool {
	p, is := e.Object.(*corev1.Pod)
	return !is || p.Spec.NodeName != "" || p.Status.NominatedNodeName != ""
}

// compare asks on the state before the decision, then on earlier ones. What still differs waits for later ones.
func (h *Hindsight) compare(d Decision) {
	if d = h.ask(h.now, d).judge(d); d.Verdict != Different {
		h.report.add(d)
		return
	}
	for back := 1; back <= len(h.past); back++ {
		earlier := h.ask(h.past[len(h.past)-back], d).judge(d)
		if earlier.Verdict == Agreed || earlier.Verdict == Tied {
			d.Verdict, d.Why = Explained, fmt.Sprintf(
				"it was decided before the last %d events were seen: then it is %s", back, earlier.Verdict,
			)
			h.report.add(d)
			return
		}
	}
	h.open = append(h.open, &question{Decision: d, state: h.now.Fork(), left: nearby})
}

// learn asks open questions again with an event that came after them; one about the pod itself tells nothing.
func (h *Hindsight) learn(e cluster.Event, deciding string) {
	h.open = slices.DeleteFunc(h.open, func(q *question) bool {
		if deciding == q.Pod || cluster.Key(e.Object) == q.Pod {
			return false
		}
		q.state.Apply(e)
		q.left--
		q.later++
		later := h.ask(q.state, q.Decision).judge(q.Decision)
		switch {
		case later.Verdict == Agreed || later.Verdict == Tied:
			q.Verdict, q.Why = Explained, fmt.Sprintf(
				"it was decided with what was only seen %d events later: then it is %s", q.later, later.Verdict,
			)
			h.report.add(q.Decision)
			return true
		case q.left == 0:
			h.report.add(q.Decision)
			return true
		}
		return false
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

// words are a few names of many.
func words(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
