package preemption

import (
	"slices"
	"time"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// remember prepares for recall: what was tried with other disruption budgets is of no use. Pods of groups are looked
// for on other nodes, so nothing of them is kept.
func (r *dryRun) remember() {
	if r.ask.Groups != nil {
		r.ask.Tries = nil
	}
	if r.ask.Tries == nil {
		return
	}
	var all []*policyv1.PodDisruptionBudget
	r.ask.Objects.DisruptionBudgets.Each(func(b *policyv1.PodDisruptionBudget) bool {
		all = append(all, b)
		return true
	})
	r.ask.Tries.On(all)
}

// recall is try, unless the result for the node is kept from an earlier cycle.
func (r *dryRun) recall(node *cluster.Node) (Candidate, trace.Failure, bool) {
	if r.ask.Tries == nil {
		return r.try(node)
	}
	if t := r.ask.Tries.Tried(node.Index()); t != nil {
		if len(t.Victims) == 0 {
			return Candidate{}, t.Refusal, false
		}
		return r.again(node, t), trace.Failure{}, true
	}
	c, refusal, fits := r.try(node)
	if refusal.Verdict.Code != trace.Error && allStarted(r.leaving, r.ask.Now) {
		r.ask.Tries.KeepTried(node.Index(), r.tried(&c, refusal))
	}
	return c, refusal, fits
}

// allStarted reports whether no pod starts after now. Those that have not started come after all that have, now and
// later.
func allStarted(pods []Victim, now time.Time) bool {
	return !slices.ContainsFunc(pods, func(v Victim) bool { return v.Pod.StartTime().After(now) })
}

func (r *dryRun) tried(c *Candidate, refusal trace.Failure) *framework.Tried {
	t := &framework.Tried{Reprieved: c.Reprieved, Refusal: refusal}
	t.Refusal.Verdict.Evidence = slices.Clone(refusal.Verdict.Evidence)
	for i := range c.Victims {
		t.Victims, t.Budgets = append(t.Victims, c.Victims[i].Pod), append(t.Budgets, c.Victims[i].Budget)
	}
	return t
}

// again is the candidate that came of a node.
func (r *dryRun) again(node *cluster.Node, t *framework.Tried) Candidate {
	c := Candidate{Node: node, Victims: make([]Victim, len(t.Victims)), Reprieved: t.Reprieved}
	for i, p := range t.Victims {
		c.Victims[i] = Victim{Pod: p, Budget: t.Budgets[i], Violates: t.Budgets[i] != nil}
	}
	c.count(r.ask.Now)
	return c
}
