package core

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// extended is the part of the Filter phase that extenders play.
type extended struct {
	asked    bool                // some extender was asked about nodes
	rejected []trace.NodeVerdict // the last word on each node that one rejected by name, in the order of the first word
	fewer    bool                // not all nodes came back
	failure  string              // an extender failed, and with it the cycle
}

// keep stores the verdict on a node; the last one counts.
func (x *extended) keep(v trace.NodeVerdict) {
	if i := x.find(v.Node); i >= 0 {
		x.rejected[i] = v
		return
	}
	x.rejected = append(x.rejected, v)
}

func (x *extended) find(node string) int {
	return slices.IndexFunc(x.rejected, func(v trace.NodeVerdict) bool { return v.Node == node })
}

// extend lets the extenders look at the nodes that every filter passes (findNodesThatPassExtenders, 1.37).
func (c *cycle) extend() {
	if len(c.profile.Extenders) == 0 || c.failure.code == trace.Error {
		return
	}
	left, failure := c.askFilters(c.search.feasible)
	if failure != "" {
		c.search.extended.failure = failure
		c.failure = broken(failure)
	}
	c.search.extended.fewer = len(left) != len(c.search.feasible)
	c.search.feasible = left
}

// askFilters calls one extender after the other; each gets the nodes that the one before it left. A failure that is not
// to be ignored ends it.
func (c *cycle) askFilters(nodes []*cluster.Node) (left []*cluster.Node, failure string) {
	for i := range c.profile.Extenders {
		e := &c.profile.Extenders[i]
		if len(nodes) == 0 {
			break
		}
		if !e.Filters || !e.Interested(c.pod) {
			continue
		}
		c.search.extended.asked = true
		answer := e.Ask(framework.Question{Call: framework.CallFilter, Cycle: c.scheduler.cycles, Pod: c.pod, Nodes: nodes})
		fact := trace.Extended{
			Point: trace.PhaseFilter, Call: string(framework.CallFilter), Extender: e.Name, Asked: len(nodes),
		}
		passed, failure := comeBack(e, nodes, &answer)
		if failure != "" {
			fact.Failure, fact.Ignored = failure, e.Ignorable
			c.fact(fact)
			if e.Ignorable {
				continue
			}
			return nil, failure
		}
		rejected := rejections(e.Name, &answer)
		for _, v := range rejected {
			c.search.extended.keep(c.joined(v))
		}
		fact.Passed = len(passed)
		if c.scheduler.detail >= trace.Reported {
			fact.Rejected = rejected
		}
		c.fact(fact)
		nodes = passed
	}
	return nodes, ""
}

// joined is the verdict of an extender on a node, joined with the verdict before it where the release counts both.
func (c *cycle) joined(v trace.NodeVerdict) trace.NodeVerdict {
	if !c.profile.Behaviour.ExtenderReasonsAppended {
		return v
	}
	var before *trace.Verdict
	if i := c.search.extended.find(v.Node); i >= 0 {
		before = &c.search.extended.rejected[i].Verdict
	} else if i := slices.IndexFunc(c.search.failed, func(f trace.Failure) bool {
		return c.snapshot.Names[f.Node] == v.Node
	}); i >= 0 {
		before = &c.search.failed[i].Verdict
	}
	if before == nil {
		return v
	}
	v.Verdict.Reasons = slices.Concat(before.Reasons, v.Verdict.Reasons)
	v.Verdict.Evidence = slices.Concat(before.Evidence, v.Verdict.Evidence)
	if v.Verdict.Code == trace.Unschedulable {
		v.Verdict.Code = before.Code
	}
	return v
}

// comeBack is the nodes of an answer, as what follows sees them.
func comeBack(extender *framework.Extender, asked []*cluster.Node, a *framework.Answer) ([]*cluster.Node, string) {
	if a.Failure != "" {
		return nil, a.Failure
	}
	byName := make(map[string]*cluster.Node, len(asked))
	for _, node := range asked {
		byName[node.Name] = node
	}
	passed := make([]*cluster.Node, 0, len(a.Nodes))
	for _, name := range a.Nodes {
		node, known := byName[name]
		if !known {
			return nil, extender.NotAskedAbout(name)
		}
		if a.Described {
			api := node.API
			for _, changed := range a.Changed {
				if changed.Name == name {
					api = changed
				}
			}
			node = node.Described(api)
		}
		passed = append(passed, node)
	}
	return passed, ""
}

// rejections are the verdicts of an answer. A node in both lists counts as unresolvable.
func rejections(extender string, a *framework.Answer) []trace.NodeVerdict {
	if len(a.Failed)+len(a.Unresolvable) == 0 {
		return nil
	}
	evidence := []trace.Evidence{{What: "extender", Have: trace.Text(extender)}}
	all := make([]trace.NodeVerdict, 0, len(a.Failed)+len(a.Unresolvable))
	final := make(map[string]bool, len(a.Unresolvable))
	for _, r := range a.Unresolvable {
		final[r.Node] = true
		all = append(all, trace.NodeVerdict{Node: r.Node, Verdict: trace.Verdict{
			Code: trace.UnschedulableAndUnresolvable, Reasons: []string{r.Reason}, Evidence: evidence,
		}})
	}
	for _, r := range a.Failed {
		if !final[r.Node] {
			all = append(all, trace.NodeVerdict{Node: r.Node, Verdict: trace.Verdict{
				Code: trace.Unschedulable, Reasons: []string{r.Reason}, Evidence: evidence,
			}})
		}
	}
	return all
}

// ofNodes is for each node of the snapshot its place in rejected, -1 without one; nil when no node was rejected by
// name.
func (x *extended) ofNodes(names []string) []int32 {
	if len(x.rejected) == 0 {
		return nil
	}
	of := make([]int32, len(names))
	for i, name := range names {
		of[i] = int32(x.find(name))
	}
	return of
}

// besides counts the nodes that extenders rejected by name and no filter did. kube-scheduler counts them as evaluated
// even when it did not send them to the extender.
func (s *search) besides(names []string) int {
	n := len(s.extended.rejected)
	if n == 0 {
		return 0
	}
	for i := range s.failed {
		if i > 0 && s.failed[i-1].Node == s.failed[i].Node {
			continue
		}
		if s.extended.find(names[s.failed[i].Node]) >= 0 {
			n--
		}
	}
	return n
}

// addExtenders gives the matrix a column for the extenders. A node that did not come back and was not rejected by
// name has a verdict without a reason.
func (c *cycle) addExtenders(m *trace.Matrix) {
	if !slices.ContainsFunc(c.profile.Extenders, func(e framework.Extender) bool { return e.Filters }) {
		return
	}
	x := &c.search.extended
	column := int16(len(m.Plugins))
	m.Extenders = true
	m.Plugins = append(slices.Clip(m.Plugins), framework.ExtenderName)
	m.Skipped = append(m.Skipped, !x.asked)
	if !x.asked {
		return
	}
	left := make([]bool, len(m.Nodes))
	for _, node := range c.search.feasible {
		left[node.Index()] = true
	}
	of := x.ofNodes(m.Nodes)
	silent := trace.Verdict{Code: trace.UnschedulableAndUnresolvable}
	if x.failure != "" {
		silent = trace.Verdict{Code: trace.Error, Reasons: []string{x.failure}}
	}
	m.First = slices.Clone(m.First)
	for i, first := range m.First {
		if first != trace.FirstNone || left[i] {
			continue
		}
		verdict := silent
		if of != nil && of[i] >= 0 && x.failure == "" {
			verdict = x.rejected[of[i]].Verdict
		}
		m.First[i] = column
		m.Failures = append(m.Failures, trace.Failure{Node: int32(i), Plugin: column, Verdict: verdict})
	}
	slices.SortStableFunc(m.Failures, func(a, b trace.Failure) int { return int(a.Node) - int(b.Node) })
}

// askScores adds the scores of extenders to the totals (prioritizeNodes, 1.37); one that fails gives none. Nodes that
// an extender had a score for draw lots, which decide between equal totals; an extender that does not score at all
// counts as one that gives every node 0.
func (c *cycle) askScores() {
	var drawn []bool
	for i := range c.profile.Extenders {
		e := &c.profile.Extenders[i]
		if !e.Interested(c.pod) {
			continue
		}
		if drawn == nil {
			drawn = make([]bool, len(c.search.feasible))
		}
		if !e.Prioritizes {
			for k := range drawn {
				drawn[k] = true
			}
			continue
		}
		c.askScore(e, drawn)
	}
	if slices.Contains(drawn, true) {
		c.choice.ranking.draw(drawn, c.chance())
	}
}

// askScore adds one extender's column. Scores of nodes that are not feasible go nowhere.
func (c *cycle) askScore(e *framework.Extender, drawn []bool) {
	answer := e.Ask(framework.Question{
		Call: framework.CallPrioritize, Cycle: c.scheduler.cycles, Pod: c.pod, Nodes: c.search.feasible,
	})
	fact := trace.Extended{
		Point: trace.PhaseScore, Call: string(framework.CallPrioritize), Extender: e.Name, Asked: len(c.search.feasible),
	}
	if answer.Failure != "" {
		fact.Failure, fact.Ignored = answer.Failure, true
		c.fact(fact)
		return
	}
	sums, named := make(map[string]int64, len(answer.Scores)), make(map[string]bool, len(answer.Scores))
	for _, s := range answer.Scores {
		sums[s.Node] += s.Score
		named[s.Node] = true
	}
	scale := c.profile.Behaviour.Scale.Extender
	column := trace.ScoreColumn{
		Plugin: e.Name, Weight: e.Weight, Raw: make([]int64, len(c.search.feasible)),
		Normalized: make([]int64, len(c.search.feasible)),
	}
	for k, node := range c.search.feasible {
		if !named[node.Name] {
			continue
		}
		drawn[k] = true
		fact.Passed++
		column.Raw[k], column.Normalized[k] = sums[node.Name], sums[node.Name]*scale
		c.choice.ranking.totals[k] += column.Weighted(k)
	}
	c.choice.ranking.columns = append(c.choice.ranking.columns, column)
	c.choice.ranking.scorers = append(c.choice.ranking.scorers, nil)
	c.fact(fact)
}

// askBind hands the binding to the first extender that binds and is interested; false when there is none, or all that
// there are failed and may be ignored (extendersBinding, 1.37). A cycle that Examine runs binds nothing.
func (c *cycle) askBind() (bound bool, failure string) {
	for i := range c.profile.Extenders {
		e := &c.profile.Extenders[i]
		if !e.Binds || !e.Interested(c.pod) {
			continue
		}
		var answer framework.Answer
		if !c.examined {
			answer = e.Ask(framework.Question{
				Call: framework.CallBind, Cycle: c.scheduler.cycles, Pod: c.pod, Node: c.pod.NodeName,
			})
		}
		ignored := answer.Failure != "" && e.Ignorable
		c.fact(trace.Extended{
			Point: trace.PhaseBind, Call: string(framework.CallBind), Extender: e.Name, Asked: 1,
			Failure: answer.Failure, Ignored: ignored,
		})
		switch {
		case ignored:
			continue
		case answer.Failure != "":
			return true, answer.Failure
		}
		c.effects = append(c.effects, Bind{Pod: c.pod, Node: c.pod.NodeName, Plugin: e.Name})
		c.scheduler.sent.Set(c.pod.Key, c.placedPod())
		return true, ""
	}
	return false, ""
}
