package core

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/column"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// search is the Filter phase: which nodes were visited, in which order, and what rejected them.
type search struct {
	from    int             // where in the snapshot it began
	visited []int32         // indexes of the nodes, in order
	first   []int16         // per node: trace.FirstNone, trace.FirstNotVisited, or the plugin that failed first
	failed  []trace.Failure // the failures of every rejected node that count, in the order they were met,
	kinds   []int           // but those that the column has: how many nodes each of its kinds rejects
	kindAt  []uint8         // which of them rejects each of these nodes
	column  *column.Column  // it has them; nil: failed has all
	whole   []trace.Failure // detail Full: every failing cell, ascending by node, then plugin
	wholeOf []int32         // detail Full: where in whole each node begins; one longer than the nodes

	rejected int             // how many nodes have failures in failed
	tried    []trace.Failure // why the nominated node does not fit; nil: it was not tried, or fits

	feasible []*cluster.Node
	places   []int32 // of the feasible nodes in the snapshot, until an extender takes some of them away

	extended extended // what extenders said of the nodes that every filter passes
	broke    bool     // the filter of the last visited node broke

	everywhere trace.Verdict // of all nodes, when PreFilter rejected the pod
	absent     trace.Verdict // of nodes that were not visited
}

// nominatedNodeFits tries the node that an earlier cycle nominated, or that comes next in the scores of one; when it
// fits, no other is looked at. What goes wrong there ends nothing.
func (c *cycle) nominatedNodeFits() bool {
	name := c.pod.Nominated
	if c.askBatch(); c.choice.hint != nil {
		name = c.choice.hint.Node
	}
	if name == "" || c.profile.Behaviour.NominatedNodeNotFirst {
		return false
	}
	node, known := c.snapshot.Node(name)
	if !known || !c.covers(node) {
		return false
	}
	c.begin()
	if failures := c.verdict(node, &c.studied.judge, nil); len(failures) > 0 {
		failure := failures[0]
		c.tried(trace.NominatedTried{Node: node.Name, Plugin: c.profile.filters[failure.Plugin], Verdict: failure.Verdict})
		if failure.Verdict.Code.Rejects() {
			c.search.tried = failures
		}
		return false
	}
	left, refusal := c.nominatedExtends(node)
	if len(left) == 0 {
		c.fact(trace.NominatedTried{Node: node.Name, Plugin: framework.ExtenderName, Verdict: refusal})
		return false
	}
	c.tried(trace.NominatedTried{Node: node.Name, Feasible: true})
	c.accept(node, int32(node.Index()))
	c.search.feasible = left
	c.search.from = node.Index()
	c.keepMatrix(c.search.from)
	return true
}

// tried records the verdict of the node that was tried before all others.
func (c *cycle) tried(f trace.NominatedTried) {
	if c.choice.hint == nil {
		c.fact(f)
		return
	}
	c.choice.hint.Feasible, c.choice.hint.Plugin, c.choice.hint.Verdict = f.Feasible, f.Plugin, f.Verdict
	c.fact(*c.choice.hint)
}

// nominatedExtends calls the extenders for the nominated node; it returns the node, or no node and the reason.
func (c *cycle) nominatedExtends(node *cluster.Node) ([]*cluster.Node, trace.Verdict) {
	one := []*cluster.Node{node}
	if len(c.profile.Extenders) == 0 {
		return one, trace.Verdict{}
	}
	left, failure := c.askFilters(one)
	switch at := c.search.extended.find(node.Name); {
	case failure != "":
		return nil, trace.Verdict{Code: trace.Error, Reasons: []string{failure}}
	case len(left) == 0 && at >= 0:
		return nil, c.search.extended.rejected[at].Verdict
	}
	return left, trace.Verdict{Code: trace.UnschedulableAndUnresolvable}
}

// filter visits the nodes from where the last search ended, and stops at the first feasible node that is one too many.
func (c *cycle) filter() bool {
	nodes := c.candidates()
	c.begin()
	c.search.absent = c.outside()
	enough := c.profile.Behaviour.Search.Enough(c.profile.Profile, len(nodes))
	if c.scratch == nil {
		c.search.visited = slices.Grow(c.search.visited, min(enough, len(nodes))+1)
	}
	errors := c.visit(nodes, enough)
	if len(errors) > 0 {
		c.failure = broken(c.profile.Behaviour.Message.BrokenNodes(errors))
	}
	if tried := c.search.tried; tried != nil && c.search.first[tried[0].Node] == trace.FirstNotVisited {
		c.search.failed = append(c.search.failed, tried...)
		c.reject(tried)
	}
	c.search.from = c.scheduler.start
	c.scheduler.start = c.profile.Behaviour.Search.Next(
		c.scheduler.start, c.evaluated()+c.search.besides(c.snapshot.Names), c.size(),
	)
	c.extend()
	c.keepMatrix(c.search.from)
	c.consult()
	return c.failure.code == trace.Success && len(c.search.feasible) > 0
}

// visit is the search itself. It returns the errors of nodes whose filters broke.
func (c *cycle) visit(nodes []*cluster.Node, enough int) (errors []string) {
	if c.recalled != nil && !c.recalled.Whole() && c.studied.allowed == nil {
		c.search.column, c.search.kindAt = c.recalled.Column, c.kindRoom()
		return c.glance(enough)
	}
	seeker := c.seeker()
	for i := range nodes {
		node, before := nodes[(c.scheduler.start+i)%len(nodes)], len(c.search.failed)
		c.search.failed = c.verdict(node, &seeker, framework.RoomForAll(c.search.failed, i, len(nodes)))
		failures := c.search.failed[before:]
		if len(failures) == 0 {
			if len(c.search.feasible) == enough {
				break
			}
			c.accept(node, int32(node.Index()))
			continue
		}
		c.reject(failures)
		if errors = c.broke(&failures[len(failures)-1], errors); c.search.broke &&
			!c.profile.Behaviour.SearchContinuesAfterError {
			break
		}
	}
	return errors
}

// broke adds the error of a node whose filter broke, if it did.
func (c *cycle) broke(last *trace.Failure, errors []string) []string {
	if last.Verdict.Code != trace.Error {
		return errors
	}
	c.search.broke = true
	plugin := c.profile.filters[last.Plugin]
	return append(errors, c.profile.Behaviour.Message.BrokenAt(plugin, c.pod.Name(), last.Verdict.Message()))
}

// evaluated is how many nodes got a verdict; one whose filter broke got none.
func (c *cycle) evaluated() int {
	if c.search.broke {
		return len(c.search.visited) - 1
	}
	return len(c.search.visited)
}

// reported is how many nodes kube-scheduler counts as evaluated when the cycle is over: those that are feasible, and
// those that were rejected.
func (c *cycle) reported() int {
	switch {
	case c.search.first == nil:
		return 0
	case !c.search.extended.asked || c.search.extended.failure != "":
		return c.evaluated()
	}
	return len(c.search.feasible) + c.search.rejected + c.search.besides(c.snapshot.Names)
}

func (c *cycle) accept(node *cluster.Node, at int32) {
	if n := len(c.search.feasible); n < cap(c.search.feasible) { // mostly the node that was there in the last cycle
		if c.search.feasible = c.search.feasible[:n+1]; c.search.feasible[n] != node {
			c.search.feasible[n] = node
		}
	} else {
		c.search.feasible = append(c.search.feasible, node)
	}
	c.search.places, c.search.visited = append(c.search.places, at), append(c.search.visited, at)
	c.search.first[at] = trace.FirstNone
}

// reject takes a node out of the search for its failures, which are in search.failed already.
func (c *cycle) reject(failures []trace.Failure) {
	f := &failures[0]
	c.search.rejected++
	if x := &c.search.extended; len(x.rejected) > 0 { // said when the nominated node was tried; the filter's word is later
		x.rejected = slices.DeleteFunc(x.rejected, func(v trace.NodeVerdict) bool {
			return v.Node == c.snapshot.Names[f.Node]
		})
	}
	c.search.visited = append(c.search.visited, f.Node)
	c.search.first[f.Node] = f.Plugin
}

// candidates are the nodes PreFilter leaves, in the snapshot's order, or by name when it named a set.
func (c *cycle) candidates() []*cluster.Node {
	if c.studied.allowed == nil {
		return c.inScope()
	}
	nodes := make([]*cluster.Node, 0, len(c.studied.allowed))
	for _, name := range c.studied.allowed {
		if n, ok := c.snapshot.Node(name); ok && c.covers(n) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// inScope are the nodes that count as all nodes.
func (c *cycle) inScope() []*cluster.Node {
	if c.scope == nil {
		return c.snapshot.Nodes
	}
	nodes := make([]*cluster.Node, len(c.scope))
	for i, at := range c.scope {
		nodes[i] = c.snapshot.Nodes[at]
	}
	return nodes
}

// size is how many nodes count as all nodes.
func (c *cycle) size() int {
	if c.scope == nil {
		return len(c.snapshot.Nodes)
	}
	return len(c.scope)
}

// covers reports whether the node is one of them.
func (c *cycle) covers(node *cluster.Node) bool {
	return c.scope == nil || slices.Contains(c.scope, int32(node.Index()))
}

// outside is the verdict of nodes that PreFilter excluded. kube-scheduler 1.37 keeps the plugins that returned node
// sets and those that rejected the nominated node in one list, and the message has all of them.
func (c *cycle) outside() trace.Verdict {
	v := trace.Verdict{Code: trace.UnschedulableAndUnresolvable}
	if c.studied.allowed == nil {
		return v
	}
	plugins := slices.Clone(c.studied.sets)
	if tried := c.search.tried; tried != nil {
		plugins = append(plugins, c.profile.filters[tried[0].Plugin])
	}
	if reason := c.profile.Behaviour.Message.Outside(plugins); reason != "" {
		v.Reasons = []string{reason}
	}
	return v
}

// begin makes room for the search, and with detail Full runs every filter on every node beforehand.
func (c *cycle) begin() {
	if c.search.first != nil {
		return
	}
	c.search.first = c.blank()
	if c.scheduler.detail < trace.Full {
		return
	}
	judge := c.studied.judge
	if c.scheduler.home != nil {
		judge = judge.Aside()
	}
	if c.recalled != nil && c.scheduler.home == nil {
		c.search.whole, c.search.wholeOf = c.recalled.all(&c.studied.judge, c.snapshot.Nodes)
	} else {
		c.search.whole, c.search.wholeOf = judge.All(c.snapshot.Nodes)
	}
	if len(c.search.whole) > 0 {
		c.search.failed = slices.Grow(c.search.failed, countRejected(c.search.wholeOf))
	}
}

// countRejected counts the nodes that have failures; starts is where each begins, and one more.
func countRejected(starts []int32) (n int) {
	for i, start := range starts[1:] {
		if start > starts[i] {
			n++
		}
	}
	return n
}

// seeker judges many nodes: without evidence where the detail does not keep it.
func (c *cycle) seeker() framework.Judge {
	if c.scheduler.detail < trace.Reported {
		return c.studied.judge.Brief()
	}
	return c.studied.judge
}

// verdict appends the failures that count against a node; none: it fits. With detail Full they have been found out
// before, with the evidence.
func (c *cycle) verdict(node *cluster.Node, judge *framework.Judge, counted []trace.Failure) []trace.Failure {
	rule := c.profile.Behaviour.Rejection
	switch {
	case c.search.wholeOf == nil && c.recalled != nil && c.recalled.Whole():
		return c.recalled.first(judge, node, counted)
	case c.search.wholeOf == nil || c.scheduler.home != nil: // guests are asked in kube-scheduler's order, and no more
		return rule.Ask(judge, node, counted)
	}
	i := node.Index()
	told := rule.Counted(judge, node, c.search.whole[c.search.wholeOf[i]:c.search.wholeOf[i+1]])
	if len(told) == 1 { // mostly; faster than to append a slice
		return append(counted, told[0])
	}
	return append(counted, told...)
}

// statuses returns the verdict of each node as PostFilter gets it; that of a feasible node is Success.
func (s *search) statuses(names []string) func(node int) trace.Verdict {
	if s.everywhere.Code != trace.Success {
		return func(int) trace.Verdict { return s.everywhere }
	}
	byName := s.extended.ofNodes(names)
	var rejected []int32 // by node: 1 + the index in failed; nil: failed is empty
	if len(s.failed) > 0 {
		rejected = make([]int32, len(names))
	}
	for i := range s.failed {
		at := &rejected[s.failed[i].Node] // the first failure of a node is its status, or the first that lasts
		if *at == 0 || s.failed[i].Verdict.Code == trace.UnschedulableAndUnresolvable &&
			s.failed[*at-1].Verdict.Code != trace.UnschedulableAndUnresolvable {
			*at = int32(i) + 1
		}
	}
	return func(node int) trace.Verdict {
		at := int32(0)
		if rejected != nil {
			at = rejected[node]
		}
		switch {
		case byName != nil && byName[node] >= 0:
			return s.extended.rejected[byName[node]].Verdict
		case at > 0:
			return s.failed[at-1].Verdict
		case s.column != nil && s.first[node] >= 0:
			return s.column.Kinds()[s.kindAt[node]].Verdict
		case s.first[node] == trace.FirstNone && !s.extended.fewer:
			return trace.Verdict{}
		}
		return s.absent
	}
}

// hopeless reports whether it is known that no node was rejected in a way that preemption can help.
func (s *search) hopeless() bool {
	if s.column == nil || len(s.failed) > 0 || s.everywhere.Code != trace.Success {
		return false
	}
	for kind, nodes := range s.kinds {
		if nodes > 0 && s.column.Kinds()[kind].Verdict.Code == trace.Unschedulable {
			return false
		}
	}
	return true
}

// rejectors returns the plugin that rejected each node first, as PostFilter gets it.
func (s *search) rejectors(names, filters []string) func(node int) string {
	if s.everywhere.Code != trace.Success || s.first == nil {
		return func(int) string { return "" }
	}
	said := s.extended.ofNodes(names)
	return func(node int) string {
		switch first := s.first[node]; {
		case said != nil && said[node] >= 0:
			return framework.ExtenderName
		case first >= 0:
			return filters[first]
		}
		return ""
	}
}

// nothingFits is the failure of a pod that no node takes, in kube-scheduler's words.
func (c *cycle) nothingFits() failure {
	f := failure{code: trace.Unschedulable, rejectors: c.blamed(c.studied.sets)}
	rejects, pends := make([]bool, len(c.profile.filters)), make([]bool, len(c.profile.filters))
	for i := range c.search.failed {
		failed := &c.search.failed[i]
		if c.search.extended.find(c.snapshot.Names[failed.Node]) < 0 {
			f.text.Count(failed.Verdict, 1)
		}
		rejects[failed.Plugin] = true
		pends[failed.Plugin] = pends[failed.Plugin] || failed.Verdict.Code == trace.Pending
	}
	for kind, nodes := range c.search.kinds {
		if nodes == 0 {
			continue
		}
		k := &c.search.column.Kinds()[kind]
		f.text.Count(k.Verdict, nodes)
		rejects[k.Plugin] = true
		pends[k.Plugin] = pends[k.Plugin] || k.Verdict.Code == trace.Pending
	}
	for i, name := range c.profile.filters {
		if rejects[i] {
			f.rejectors = append(f.rejectors, name)
		}
		if pends[i] {
			f.pending = append(f.pending, name)
		}
	}
	for i := range c.search.extended.rejected {
		f.text.Count(c.search.extended.rejected[i].Verdict, 1)
	}
	if c.search.extended.fewer {
		f.rejectors = append(f.rejectors, framework.ExtenderName)
	}
	if absent := c.size() - c.search.rejected - c.search.besides(c.snapshot.Names); absent > 0 {
		f.text.Count(c.search.absent, absent)
	}
	return f
}
