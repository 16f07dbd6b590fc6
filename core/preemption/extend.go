package preemption

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// Extension is what extenders made of candidates.
type Extension struct {
	Candidates []Candidate // the best first
	Tied       int         // as in Answer
	Facts      []trace.Fact
	Failure    string // an extender failed, and with it the preemption; in kube-scheduler's words
}

// Extend lets the extenders with a preempt verb look at candidates, each at what the one before left (callExtenders,
// 1.37). An extender may choose other victims, other nodes, and count violations as it likes.
func Extend(ask framework.PostFilterAsk, candidates []Candidate, order Order) Extension {
	x := Extension{Candidates: candidates}
	victims := victimsOf(candidates)
	changed := false
	for i := range ask.Extenders {
		e := &ask.Extenders[i]
		if !e.Preempts || !e.Interested(ask.Pod) {
			continue
		}
		answer := e.Ask(framework.Question{Call: framework.CallPreempt, Cycle: ask.Cycle, Pod: ask.Pod, Victims: victims})
		fact := trace.Extended{
			Point: trace.PhasePostFilter, Call: string(framework.CallPreempt), Extender: e.Name, Asked: len(victims),
		}
		left, failure := found(e, &answer, ask.Snapshot)
		if failure != "" {
			fact.Failure, fact.Ignored = failure, e.Ignorable
			x.Facts = append(x.Facts, fact)
			if fact.Ignored {
				continue
			}
			x.Failure = failure
			return x
		}
		fact.Passed = len(left)
		x.Facts = append(x.Facts, fact)
		if victims, changed = left, true; len(victims) == 0 {
			break
		}
	}
	if changed {
		x.Candidates = chosen(victims, candidates, ask)
		order.rank(x.Candidates)
	}
	x.Tied = order.tied(x.Candidates)
	return x
}

// victimsOf is candidates as a question puts them.
func victimsOf(candidates []Candidate) []framework.NodeVictims {
	all := make([]framework.NodeVictims, len(candidates))
	for i := range candidates {
		c := &candidates[i]
		all[i] = framework.NodeVictims{Node: c.Node.Name, Violations: int64(c.Violations)}
		for _, v := range c.Victims {
			all[i].Pods = append(all[i].Pods, v.Pod)
		}
	}
	slices.SortFunc(all, func(a, b framework.NodeVictims) int { return cmp.Compare(a.Node, b.Node) })
	return all
}

// found finds the nodes and pods of an answer. A node without victims is a failure, unless the extender's failures are
// passed over: then that node is.
func found(e *framework.Extender, a *framework.Answer, snapshot *cluster.Snapshot) ([]framework.NodeVictims, string) {
	if a.Failure != "" {
		return nil, a.Failure
	}
	left := make([]framework.NodeVictims, 0, len(a.Victims))
	for _, given := range a.Victims {
		node, known := snapshot.Node(given.Node)
		if !known {
			return nil, fmt.Sprintf("nodeinfo not found for node name %q", given.Node)
		}
		victims := framework.NodeVictims{Node: given.Node, Violations: given.Violations}
		for _, uid := range given.UIDs {
			i := slices.IndexFunc(node.Pods, func(p *cluster.Pod) bool { return string(p.API.UID) == uid })
			if i < 0 {
				return nil, e.NotOn(given.Node, uid)
			}
			victims.Pods = append(victims.Pods, node.Pods[i])
		}
		left = append(left, victims)
	}
	full := left[:0:0]
	for _, victims := range left {
		switch {
		case len(victims.Pods) > 0:
			full = append(full, victims)
		case !e.Ignorable:
			return nil, fmt.Sprintf("expected at least one victim pod on node %q", victims.Node)
		}
	}
	return full, ""
}

// chosen makes candidates of what the extenders left. What the dry run knows of a pod is kept.
func chosen(left []framework.NodeVictims, before []Candidate, ask framework.PostFilterAsk) []Candidate {
	var all []Candidate
	for _, victims := range left {
		node, _ := ask.Snapshot.Node(victims.Node)
		c := Candidate{Node: node}
		if i := slices.IndexFunc(before, func(b Candidate) bool { return b.Node.Name == node.Name }); i >= 0 {
			c = before[i]
		}
		c.choose(victims.Pods, ask.Now)
		c.Violations, c.Extended = int(victims.Violations), true
		all = append(all, c)
	}
	return all
}

// choose replaces the victims, which need not be in order of importance: kube-scheduler takes the first for the most
// important one all the same, except for the time.
func (c *Candidate) choose(pods []*cluster.Pod, now time.Time) {
	old := c.Victims
	c.Victims, c.Sum = nil, 0
	most := pods[0].Priority
	for _, p := range pods {
		v := Victim{Pod: p}
		if i := slices.IndexFunc(old, func(o Victim) bool { return o.Pod.UID() == p.UID() }); i >= 0 {
			v = old[i]
		}
		if p.Priority >= most {
			c.meet(&v, now, p == pods[0] || p.Priority > most)
			most = p.Priority
		}
		c.Victims = append(c.Victims, v)
		c.Sum += int64(p.Priority)
	}
	c.Highest = pods[0].Priority
	c.Reprieved = slices.DeleteFunc(slices.Clone(c.Reprieved), func(p *cluster.Pod) bool {
		return slices.Contains(pods, p)
	})
}
