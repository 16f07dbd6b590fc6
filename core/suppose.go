package core

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Supposed are scores that kube-scheduler does not work out: of the feasible nodes, and of one that a filter rejected
// or that it did not look at, in their company.
type Supposed struct {
	Feasible []int32       // places of the feasible nodes in the snapshot, in the order they were found
	Scores   *trace.Scores // of the feasible nodes, and after them the other one; nil: a plugin failed
	Failure  string        // what went wrong, in kube-scheduler's words
	Unasked  []string      // extenders that would score, and were not called
}

// supposing is a question for a fork: the scores that a pod's score plugins would give the feasible nodes and one more.
type supposing struct {
	pod, node string // node is "" for none
	answers   []Supposed
}

// Suppose runs the next cycle in a fork, up to its end, and runs the score plugins for a pod on the way: what they give
// the feasible nodes, and a node besides as if it had passed the filters; "" is no other. There is an answer for every
// time that feasible nodes were found for the pod: one, or for a member of a group one for each placement that took it.
// Nothing changes, and no extender is called.
func (s *Scheduler) Suppose(pod, node string) []Supposed {
	f := s.Fork()
	f.columns.store = s.columns.store.Lend()
	f.detail = trace.Summary
	f.supposing = &supposing{pod: pod, node: node}
	f.Schedule()
	return f.supposing.answers
}

// suppose answers the question of a fork, from a copy of the cycle as it is when feasible nodes are found.
func (c *cycle) suppose() {
	q := c.scheduler.supposing
	if q == nil || q.pod != c.pod.Key {
		return
	}
	side := *c
	side.recalled, side.scratch = nil, nil // they do not know of the other node among the feasible ones
	side.search.feasible, side.facts = append([]*cluster.Node{}, c.search.feasible...), nil
	answer := Supposed{Feasible: indexesOf(c.search.feasible)}
	if other, known := c.snapshot.Node(q.node); known {
		side.search.feasible = append(side.search.feasible, other)
	}
	for i := range c.profile.Extenders {
		if e := &c.profile.Extenders[i]; e.Prioritizes && e.Interested(c.pod) {
			answer.Unasked = append(answer.Unasked, e.Name)
		}
	}
	if side.rate() {
		answer.Scores = side.scores(true)
	} else {
		answer.Failure = side.failure.message
	}
	q.answers = append(q.answers, answer)
}
