package remedy

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
)

// finder looks for sets of changes, the cheapest first:
//
//	{}  ->  what would help the nearest nodes, one change each  ->  sets with one more change  ->  ...
//	        each is carried out; when the pod would fit, it is run; else the verdicts of its nodes name what to add
type finder struct {
	ctx      context.Context
	here     *session.At
	pod      string
	progress func(runs int)

	answer   Answer
	base     outcome
	known    map[string]run // by key of the set
	shapes   map[*corev1.Node]int
	kinds    map[string]int // the numbers in shapes, by what makes such a node
	names    []string       // of the nodes of a snapshot
	order    []int          // places in names, by name
	frontier Frontier
	limit    int // runs
	cycles   int // of all runs together
	patience time.Duration
}

// errNotHere is in the error about a pod that is deleted where the cursor is: its eviction was decided, or a what-if
// deleted it, and the event about that is the next one.
var errNotHere = phrase.Errorf("is not in the cluster here")

// addsNoNode reports whether a set leaves the nodes as many as they are.
func (s *Set) addsNoNode() bool {
	return !slices.ContainsFunc(s.Changes, func(c Change) bool { return c.Kind == AddNode })
}

func (f *finder) find() (Answer, error) {
	p, err := f.here.Trial()
	if err != nil {
		return f.answer, err
	}
	state := p.Scheduler().State()
	f.answer.Pod, f.answer.Nodes = f.pod, len(state.Snapshot().Nodes)
	f.patience = p.Scheduler().Queue().Patience()
	f.limit = min(max(nodeBudget/max(f.answer.Nodes, 1), leastRuns), mostRuns)
	live := pending(state, f.pod)
	if live == nil {
		return f.answer, phrase.Errorf("%s %w: it is deleted before anything else happens", f.pod, errNotHere)
	}
	if live.NodeName != "" {
		f.answer.Without, f.answer.Placed, f.answer.Whole = live.NodeName, true, true
		return f.answer, nil
	}
	_, where, _ := p.ForPod(f.pod).Queue().Find(f.pod)
	f.answer.Gated = where == queue.Gated
	f.base = f.play(p)
	if f.answer.Without = f.base.node; f.base.node != "" {
		f.answer.Whole = true
		return f.answer, f.ctx.Err()
	}
	f.frontier.Add(&Set{})
	for f.frontier.Len() > 0 && len(f.answer.Remedies) < mostOffered && f.goesOn() {
		f.examine(f.frontier.Next())
	}
	f.answer.Whole = f.frontier.Len() == 0 || len(f.answer.Remedies) >= mostOffered
	return f.answer, f.ctx.Err()
}

// goesOn reports whether the search may carry out another set.
func (f *finder) goesOn() bool {
	return f.answer.Runs < f.limit && f.cycles*max(f.answer.Nodes, 1) < searchBudget && f.ctx.Err() == nil
}

// examine carries out a set. If the pod would fit then, the set is run; else it is extended.
func (f *finder) examine(s *Set) {
	for _, r := range f.answer.Remedies {
		if s.AsksMore(r.Changes) || s.Outdone(r.Changes) {
			return
		}
	}
	f.count()
	p, err := f.here.Trial(edits(s.Changes)...)
	if err != nil {
		return // two of its changes do not go together
	}
	t, near := examined(p, f.pod)
	if _, where, _ := p.ForPod(f.pod).Queue().Find(f.pod); where == queue.Gated {
		f.extend(s, f.ungating(p))
		return
	}
	if t == nil {
		return
	}
	if fits(t) || slices.ContainsFunc(s.Changes, func(c Change) bool { return c.slow }) && f.run(s).node != "" {
		f.offer(s)
		return
	}
	if len(s.Changes) < MostChanges {
		f.extend(s, f.helpful(p, t, near, s.addsNoNode()))
	}
}

func (f *finder) count() {
	f.answer.Runs++
	if f.progress != nil {
		f.progress(f.answer.Runs)
	}
}

func (f *finder) extend(s *Set, more []Change) {
	for _, c := range more {
		if !s.LeadsTo(&c) || slices.ContainsFunc(s.Changes, func(o Change) bool { return o.Line == c.Line }) {
			continue
		}
		f.frontier.Add(s.With(c))
	}
}

// examined is what a cycle would make of the pod now, and the nodes whose reasons are worth a look, by their places in
// its matrix; nil when none can be run.
func examined(p *play.Player, pod string) (t *trace.Try, near []int) {
	var of *trace.Matrix
	facts, err := p.ForPod(pod).ExamineNear(pod, func(m *trace.Matrix) []int {
		of, near = m, nearest(m)
		return near
	})
	if err != nil {
		return nil, nil
	}
	c, _ := trace.Fold(facts)
	t, _ = c.Try(pod)
	if t != nil && t.Matrix != nil && t.Matrix != of {
		near = nearest(t.Matrix) // of a pod in a group
	}
	return t, near
}

// fits reports whether a try found a node that takes the pod.
func fits(t *trace.Try) bool {
	if t.State == trace.FoundNode {
		return true
	}
	return t.Matrix != nil && t.Matrix.FeasibleCount() > 0
}

// offer runs a set, and those of its proper parts that are not run yet. What places the pod with the fewest changes is
// a remedy.
func (f *finder) offer(s *Set) {
	o := f.run(s)
	if o.node == "" {
		f.outrun(s, o)
		return
	}
	if len(s.Changes) > 1 && f.placedByPart(s) {
		return
	}
	f.answer.Remedies = append(f.answer.Remedies, Remedy{
		Changes: s.Changes, Cost: s.Cost, Node: o.node, Late: o.late, Patience: f.patience, Elsewhere: f.elsewhere(o),
	})
}

// outrun keeps the first set whose room others take.
func (f *finder) outrun(s *Set, o run) {
	if f.answer.Outrun != nil || o.state == nil {
		return
	}
	pods := 0
	for _, e := range f.elsewhere(o) {
		if e.Before == "" && e.There != "" {
			pods++
		}
	}
	if pods > 0 {
		f.answer.Outrun = &Outrun{s.Changes, pods}
	}
}

// placedByPart reports whether a proper part of a set places the pod. Such a part was popped before, because it costs
// less, or is put in line.
func (f *finder) placedByPart(s *Set) bool {
	for part := range s.Parts() {
		if f.run(part).node == "" {
			continue
		}
		f.frontier.Add(part)
		return true
	}
	return false
}

// elsewhere are the other pods that end elsewhere than without changes.
func (f *finder) elsewhere(o run) []session.Elsewhere {
	base := f.base.state
	if o.late {
		base = f.base.late
	}
	return slices.DeleteFunc(session.Moved(o.state, base), func(e session.Elsewhere) bool { return e.Pod == f.pod })
}

// pending is the pod as it is in a state; nil when it is gone.
func pending(state *cluster.State, pod string) *cluster.Pod {
	p, ok := state.Pod(pod)
	if !ok {
		return nil
	}
	return p
}
