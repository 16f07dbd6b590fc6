package workload

import (
	"cmp"
	"context"
	"slices"
	"strings"

	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/ask/remedy"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/session"
)

// Answer is what was found for a workload where the cursor of a session is.
type Answer struct {
	Of       Workload
	By       int      // pods that have a node when nothing is changed and the cluster is quiet
	Remedies []Remedy // with which all have one, the cheapest first
	Partial  []Remedy // with which more have one, and not all; the most first, and of those the cheapest
	Rejected []Rejected
	Denied   []Denied             // pods that a quota does not let be made
	Idle     phrase.Phrase        // why it wants no pod; empty: it wants some, or the input does not show why
	Held     []Held               // what keeps one that wants no pod from making any
	First    *session.Explanation // of the first pod without a node; nil: all have one
	Runs     int                  // how many sets of changes were run over all replicas
	Whole    bool                 // every set within the bounds was tried, or enough were found
}

// Shrinks reports whether the remedies have the workload want fewer pods, because nothing was found with which as many
// as now have a node.
func (a *Answer) Shrinks() bool { return len(a.Remedies) > 0 && a.Remedies[0].Fit < a.Of.Want }

// Remedy is a set of changes of which no proper part does as much.
type Remedy struct {
	Changes  []remedy.Change
	Commands []phrase.Text // of kubectl, which carry them out
	Cost     int
	Fit      int // pods with a node then
	// Elsewhere are pods of others that end elsewhere than without the changes.
	Elsewhere []session.Elsewhere
}

// Rejected are pods without a node about which kube-scheduler reports the same.
type Rejected struct {
	Pods    []string // by key
	Message string   // "": no cycle has tried them
}

// The bounds of a search.
const (
	MostChanges  = 3 // in one set
	MostAtOnce   = 4 // workloads that are searched where none is requested: at the end of a run, and for all replicas
	mostOffered  = 7
	mostPartial  = 3
	mostRejected = 64 // pods whose message is looked at
	mostRuns     = 150
	leastRuns    = 24
	// nodes that the cycles of all runs together may look at
	budget = 8_000_000
)

// finder looks for sets of changes, the cheapest first, each run over all replicas.
type finder struct {
	ctx      context.Context
	here     *session.At
	progress func(runs int)
	of       Workload
	pods     []*cluster.Pod // of the workload at the cursor, in the order of of.Pods
	classes  *cluster.Store[*schedulingv1.PriorityClass]

	base     outcome
	answer   Answer
	known    map[string]outcome // by key of the set
	frontier remedy.Frontier
	limit    int
}

// Find explains a workload where the cursor of a session is: what rejects its pods, and which changes give all a node.
// progress (may be nil) is called with the number of sets that were run.
func Find(
	ctx context.Context, k *session.At, w Workload, progress func(runs int),
) (Answer, error) {
	f := &finder{
		ctx: ctx, here: k, progress: progress, of: w, known: map[string]outcome{},
	}
	p, err := k.Trial()
	if err != nil {
		return Answer{}, err
	}
	state := p.Scheduler().State()
	f.classes = &state.Objects().PriorityClasses
	for _, pod := range w.Pods {
		if live, is := state.Pod(pod.Key); is {
			f.pods = append(f.pods, live)
		}
	}
	f.answer = Answer{Of: w, By: w.Fit(), Whole: true, Idle: w.idle(state), Held: w.held(k)}
	if len(f.pods) == 0 || w.Fit() == w.Want {
		return f.answer, ctx.Err()
	}
	if err := f.quotas(); err != nil {
		return f.answer, err
	}
	waiting := w.Waiting()
	if len(waiting) == 0 {
		return f.answer, ctx.Err()
	}
	first, err := k.Explain(waiting[0])
	if err != nil {
		return f.answer, err
	}
	f.answer.First = &first
	if f.answer.Rejected, err = rejected(k, waiting); err != nil {
		return f.answer, err
	}
	f.search(state)
	return f.answer, ctx.Err()
}

// OfMade is Find of a workload of which pods were made; false where a session does not have it.
func OfMade(
	ctx context.Context, k *session.At, made session.Workload, progress func(runs int),
) (a Answer, is bool, err error) {
	namespace, _, _ := strings.Cut(made.Pods[0], "/")
	w, is, err := At(k, owner.Word(cluster.Kind(made.Kind))+"/"+namespace+"/"+made.Name, "")
	if err != nil || !is {
		return a, false, err
	}
	a, err = Find(ctx, k, w, progress)
	return a, true, err
}

func (f *finder) search(now *cluster.State) {
	f.limit = leastRuns
	f.base = f.tried(&remedy.Set{})
	if f.base.player == nil {
		return
	}
	if f.answer.By = f.base.of.Fit(); f.base.fits() {
		return
	}
	each := max(f.base.cycles, len(f.pods), 1) * max(len(now.Snapshot().Nodes), 1)
	f.limit = min(max(budget/each, leastRuns), mostRuns)
	f.extend(&remedy.Set{}, &f.base)
	for _, c := range f.requests() {
		f.line(&remedy.Set{}, c)
	}
	for f.frontier.Len() > 0 && len(f.answer.Remedies) < mostOffered && f.answer.Runs < f.limit && f.ctx.Err() == nil {
		f.examine(f.frontier.Next())
	}
	f.answer.Whole = f.frontier.Len() == 0 || len(f.answer.Remedies) >= mostOffered
	slices.SortStableFunc(f.answer.Remedies, func(a, b Remedy) int { return cmp.Compare(a.Cost, b.Cost) })
	f.partial()
	if len(f.answer.Remedies) == 0 {
		f.fewer()
	}
}

// fewer offers that the workload has as many replicas as have a node, where nothing was found with which all have one.
func (f *finder) fewer() {
	place, fit := f.place(), f.base.of.Fit()
	if f.of.Made || !owner.Scales(f.of.Kind) || place.On.Kind != f.of.Kind || fit == 0 || f.ctx.Err() != nil {
		return
	}
	less := f.of.Want - fit
	s := (&remedy.Set{}).With(remedy.Scaling(place.On, fit, f.of.Want, less*remedy.ScaleCost()))
	o := f.tried(s)
	if o.player == nil || len(o.of.Pods) != fit || o.of.Fit() != fit {
		return
	}
	f.answer.Remedies = append(f.answer.Remedies, f.remedy(s, &o))
}

// tried runs a set once.
func (f *finder) tried(s *remedy.Set) outcome {
	if o, done := f.known[s.Key]; done {
		return o
	}
	if len(s.Changes) > 0 {
		if f.answer.Runs++; f.progress != nil {
			f.progress(f.answer.Runs)
		}
	}
	o := f.run(s.Changes)
	f.known[s.Key] = o
	return o
}

// examine runs a set. When all pods have a node then it is offered, else it is extended.
func (f *finder) examine(s *remedy.Set) {
	for _, r := range f.answer.Remedies {
		if s.AsksMore(r.Changes) || s.Outdone(r.Changes) {
			return
		}
	}
	last := len(s.Changes) - 1
	if solved := f.solved(s, last); solved != nil && solved.Key != s.Key {
		f.frontier.Add(solved)
		return
	}
	o := f.tried(s)
	switch {
	case o.player == nil:
	case o.fits():
		f.offer(s, &o)
	default:
		if gain := o.of.Fit() - f.base.of.Fit(); gain > 0 && o.of.Fit() > f.ofParts(s) {
			f.answer.Partial = append(f.answer.Partial, f.remedy(s, &o))
		}
		if len(s.Changes) < MostChanges {
			f.extend(s, &o)
		}
	}
}

// ofParts is the most pods that have a node with one change less.
func (f *finder) ofParts(s *remedy.Set) int {
	most := f.base.of.Fit()
	for i := range s.Changes {
		part := &remedy.Set{}
		for k, c := range s.Changes {
			if k != i {
				part = part.With(c)
			}
		}
		if o, done := f.known[part.Key]; done && o.player != nil {
			most = max(most, o.of.Fit())
		}
	}
	return most
}

// offer makes a set a remedy, unless a proper part of it does: that is put in line.
func (f *finder) offer(s *remedy.Set, o *outcome) {
	for part := range s.Parts() {
		if with := f.tried(part); with.fits() {
			f.frontier.Add(part)
			return
		}
	}
	f.answer.Remedies = append(f.answer.Remedies, f.remedy(s, o))
}

func (f *finder) remedy(s *remedy.Set, o *outcome) Remedy {
	r := Remedy{Changes: s.Changes, Commands: f.commands(s.Changes), Cost: s.Cost, Fit: o.of.Fit()}
	r.Elsewhere = f.others(o.player.Scheduler().State(), f.base.player.Scheduler().State())
	return r
}

// extend puts a set with one more change in line for every change that may help the first pod without a node.
func (f *finder) extend(s *remedy.Set, o *outcome) {
	waiting := o.of.Waiting()
	if len(waiting) == 0 {
		return
	}
	for _, c := range remedy.Candidates(f.here, o.player, waiting[0]) {
		if !f.goesWith(s, &c, o) {
			continue
		}
		f.line(s, c)
	}
}

// line puts a set with one more change in line.
func (f *finder) line(s *remedy.Set, c remedy.Change) {
	f.frontier.Add(s.With(c))
}

// goesWith reports whether a change is worth a try with others: of one thing it is tried once, and an eviction only
// where no pod of the workload is evicted, and few have to.
func (f *finder) goesWith(s *remedy.Set, c *remedy.Change, o *outcome) bool {
	if !s.LeadsTo(c) || slices.ContainsFunc(s.Changes, func(o remedy.Change) bool { return o.About() == c.About() }) {
		return false
	}
	switch c.Kind {
	case remedy.EaseBudget:
		return o.of.Want-o.of.Fit() <= (MostChanges-len(s.Changes))/2 // with an eviction for each
	case remedy.ScaleDown:
		return o.of.Want-o.of.Fit() <= MostChanges-len(s.Changes)
	case remedy.EvictPod:
		key := strings.TrimPrefix(c.Line, "evict ")
		p, is := o.player.Scheduler().State().Pod(key)
		return is && !f.of.has(p) && o.of.Want-o.of.Fit() <= MostChanges-len(s.Changes)
	case remedy.Ungate:
		return f.of.Made // a gate of a pod that an API server has may not come from its template
	case remedy.AddNode:
		return f.of.Kind != owner.KindDaemonSet && !slices.ContainsFunc(s.Changes, func(o remedy.Change) bool {
			return o.Kind == remedy.AddNode || o.Kind == remedy.AddSeveral
		})
	}
	return true
}

// partial keeps the best of the changes that do not give all a node.
func (f *finder) partial() {
	all := slices.DeleteFunc(f.answer.Partial, func(r Remedy) bool {
		return len(f.answer.Remedies) > 0 && r.Cost >= f.answer.Remedies[0].Cost
	})
	slices.SortStableFunc(all, func(a, b Remedy) int {
		return cmp.Or(cmp.Compare(b.Fit, a.Fit), cmp.Compare(a.Cost, b.Cost))
	})
	f.answer.Partial = all[:min(len(all), mostPartial)]
}

// rejected groups pods by what kube-scheduler reports about them. Only those that no cycle has tried are explained.
func rejected(k *session.At, pods []string) ([]Rejected, error) {
	var all []Rejected
	for _, key := range pods[:min(len(pods), mostRejected)] {
		message, reported := k.Reported(key)
		if !reported {
			e, err := k.Explain(key)
			if err != nil {
				return nil, err
			}
			message = e.Says
		}
		i := slices.IndexFunc(all, func(r Rejected) bool { return r.Message == message })
		if i < 0 {
			i = len(all)
			all = append(all, Rejected{Message: message})
		}
		all[i].Pods = append(all[i].Pods, key)
	}
	return all, nil
}
