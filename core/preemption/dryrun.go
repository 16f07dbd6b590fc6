package preemption

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// reasonNoVictims is kube-scheduler's message for a node without a pod that may be evicted (1.37).
const reasonNoVictims = "No preemption victims found for incoming pod"

var noVictims = trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: []string{reasonNoVictims}}

// dryRun tries out one node after the other. From node to node it keeps only its buffers.
type dryRun struct {
	ask         Ask
	judge       framework.Judge // its checks are those of the node being tried, without the pods that left it
	disturbable []int           // the checks that have to learn which pods leave and come back
	nominated   []*cluster.Pod  // to the node being tried
	draft       cluster.Draft
	budgets     budgets
	leaving     []Victim
	victims     []Victim          // of leaving, those to evict
	reprieved   []*cluster.Pod    // of leaving, those that may stay
	before      []framework.Check // of a reprieve that failed
	importance  func(a, b Victim) int
}

// Victim is a pod that may be evicted.
type Victim struct {
	Pod      *cluster.Pod
	Violates bool                          // a disruption budget does not allow it
	Budget   *policyv1.PodDisruptionBudget // which; nil when all do

	start time.Time
	unit  *unit // what it is evicted with; nil: itself alone
}

func newDryRun(ask Ask) *dryRun {
	r := &dryRun{ask: ask, judge: ask.Judge, budgets: budgets{
		objects: ask.Objects, every: ask.VictimChargedToEveryBudget, unaccounted: ask.BudgetNotCountedDown,
	}}
	r.importance = moreImportant
	if ask.UnstartedPodStartsNow {
		r.importance = notedLater
	}
	r.judge.Checks = slices.Clone(ask.Judge.Checks)
	r.judge.Nominated = func(string) []*cluster.Pod { return r.nominated }
	for i, check := range ask.Judge.Checks {
		if _, ok := check.(framework.Disturbable); ok {
			r.disturbable = append(r.disturbable, i)
		}
	}
	r.before = make([]framework.Check, len(r.disturbable))
	r.remember()
	return r
}

// try takes every pod off the node that is less important than the one to be placed, sees whether that one fits, and
// then lets pods back that fit beside it: first those that a disruption budget protects, in both cases the most
// important first (SelectVictimsOnNode, 1.37).
func (r *dryRun) try(node *cluster.Node) (Candidate, trace.Failure, bool) {
	refusal := trace.Failure{Node: int32(node.Index()), Plugin: NoPlugin, Verdict: noVictims}
	if !r.find(node) {
		return Candidate{}, refusal, false
	}
	r.begin(node)
	for i := range r.leaving {
		r.removeAll(&r.leaving[i])
	}
	if failure, fits := r.judge.First(r.draft.Node()); !fits {
		return Candidate{}, failure, false
	}
	slices.SortFunc(r.leaving, r.importance)
	r.mark()
	r.victims, r.reprieved = r.victims[:0], r.reprieved[:0]
	protected := 0
	for _, violates := range [...]bool{true, false} {
		for i := range r.leaving {
			if v := &r.leaving[i]; v.Violates == violates {
				r.reprieve(v)
			}
		}
		if violates {
			protected = len(r.victims) + len(r.reprieved)
		}
	}
	if len(r.victims) == 0 {
		refusal.Verdict = trace.Verdict{
			Code: trace.Error, Reasons: []string{fmt.Sprintf("expected at least one victim pod on node %q", node.Name)},
		}
		return Candidate{}, refusal, false
	}
	if protected > 0 && protected < len(r.leaving) && !r.ask.ProtectedVictimsFirst {
		slices.SortFunc(r.victims, r.importance)
	}
	c := Candidate{Node: node, Victims: single(r.victims), Reprieved: slices.Clone(r.reprieved)}
	c.count(r.ask.Now)
	return c, trace.Failure{}, true
}

// find lists the pods that may be evicted, in the node's order. One that has not started counts as starting after all
// that started by now, and after those before it: kube-scheduler reads the clock for each.
func (r *dryRun) find(node *cluster.Node) bool {
	r.leaving = r.leaving[:0]
	if r.ask.Groups != nil {
		return r.findUnits(node)
	}
	for i, p := range node.Pods {
		if p.Priority >= r.ask.Judge.Pod.Priority {
			continue
		}
		start := p.StartTime()
		if p.API.Status.StartTime == nil {
			start = r.ask.Now.Add(time.Duration(i + 1))
		}
		r.leaving = append(r.leaving, Victim{Pod: p, start: start})
	}
	return len(r.leaving) > 0
}

// moreImportant puts the higher priority first, then the earlier start. Among equals the order is what the sorting
// algorithm makes of the node's order, which is kube-scheduler's own: it sorts the same list by the same algorithm.
func moreImportant(a, b Victim) int {
	if a.unit != nil {
		return a.unit.compare(*b.unit)
	}
	if c := cmp.Compare(b.Pod.Priority, a.Pod.Priority); c != 0 {
		return c
	}
	return a.start.Compare(b.start)
}

// notedLater is moreImportant where the clock is read at each comparison. It is not a consistent order: of two pods
// that have not started, the first one compared is the more important. The result depends on the sorting algorithm,
// which is kube-scheduler's.
func notedLater(a, b Victim) int {
	switch {
	case a.Pod.Priority != b.Pod.Priority:
		return cmp.Compare(b.Pod.Priority, a.Pod.Priority)
	case b.Pod.API.Status.StartTime == nil:
		return -1
	case a.Pod.API.Status.StartTime == nil:
		return 1
	}
	return a.start.Compare(b.start)
}

func (r *dryRun) begin(node *cluster.Node) {
	r.draft.Copy(node)
	r.nominated = r.ask.Judge.Nominated(node.Name)
	for _, i := range r.disturbable {
		r.judge.Checks[i] = r.ask.Judge.Checks[i]
	}
}

func (r *dryRun) remove(p *cluster.Pod) {
	node, here := r.nodeOf(p)
	if here {
		r.draft.Remove(p)
		node = r.draft.Node()
	}
	for _, i := range r.disturbable {
		r.judge.Checks[i] = r.judge.Checks[i].(framework.Disturbable).Without(p, node)
	}
}

// tell makes the checks of this dry run count one pod more on a node.
func (r *dryRun) tell(p *cluster.Pod, node *cluster.Node) {
	for _, i := range r.disturbable {
		r.judge.Checks[i] = r.judge.Checks[i].(framework.Disturbable).With(p, node)
	}
}

func (r *dryRun) removeAll(v *Victim) {
	if v.unit == nil {
		r.remove(v.Pod)
		return
	}
	for _, p := range v.unit.pods {
		r.remove(p)
	}
}

// reprieve lets a pod back on the node if the one to be placed fits beside it, else it is a victim.
func (r *dryRun) reprieve(v *Victim) {
	for k, i := range r.disturbable {
		r.before[k] = r.judge.Checks[i]
	}
	r.addAll(v)
	if r.judge.Fits(r.draft.Node()) {
		if v.unit == nil {
			r.reprieved = append(r.reprieved, v.Pod)
		} else {
			r.reprieved = append(r.reprieved, v.unit.pods...)
		}
		return
	}
	r.dropAll(v)
	for k, i := range r.disturbable {
		r.judge.Checks[i] = r.before[k]
	}
	r.victims = append(r.victims, *v)
}
