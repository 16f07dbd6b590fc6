package core

import (
	"fmt"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/column"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// What plugins answer about a node is kept in a column for the pods that are alike, and computed again when the node
// has changed (package column). Nothing in a cycle depends on what is kept: without columns it comes to the same,
// later.

// Columns is whether what plugins answered is kept from one cycle to the next.
type Columns uint8

const (
	// ColumnsOn keeps what plugins declare that may be kept.
	ColumnsOn Columns = iota
	// ColumnsOff keeps nothing.
	ColumnsOff
	// ColumnsChecked keeps it, runs the plugins all the same, and panics where an answer differs from what is kept.
	ColumnsChecked
)

// columns is what a scheduler keeps of the answers of plugins.
type columns struct {
	use   Columns
	store column.Store
	key   []byte // room
}

// recalled is what a cycle has of earlier ones: the column of pods like its pod.
type recalled struct {
	*column.Column
	verdicts []bool   // for each filter whether its verdicts are kept
	afresh   []int16  // the filters that run and whose verdicts are not kept, by their places
	asked    []int16  // of those, the ones that are asked about each node,
	regions  []region // and the others
	settled  bool     // the next two are known; they are not where PreFilter rejected the pod
	crowded  []bool   // for each node whether other pods are nominated to it; nil: to none
}

// recall finds the column for the cycle's pod, if there may be one and such a pod has come before.
func (c *cycle) recall() {
	s := &c.scheduler.columns
	b := &c.profile.Behaviour
	if s.use == ColumnsOff || c.group != nil || c.scope != nil || len(c.profile.Extenders) > 0 || b.Rejection.GoesOn() ||
		b.NoPluginSkipped || b.SearchContinuesAfterError || b.Equivalence != nil {
		return
	}
	whole := c.scheduler.detail >= trace.Reported
	s.key = append(s.key[:0], byte(c.profile.index), byte(c.profile.index>>8), 0)
	if whole {
		s.key[2] = 1
	}
	s.key = c.pod.AppendLikeness(s.key)
	of := s.store.Of(s.key, c.scheduler.cycles, c.profile.Profile, c.pod, whole)
	if of == nil {
		return
	}
	of.Follow(c.snapshot)
	c.recalled = &recalled{Column: of}
}

// study is what a PreFilter plugin finds out about the pod.
func (c *cycle) study(i int) framework.Study {
	plugin := c.profile.PreFilter[i]
	if c.recalled == nil {
		return c.spoken(plugin.PreFilter(c.pod, c.snapshot))
	}
	return c.spoken(c.recalled.study(&c.recalled.PreFilters[i], plugin, c))
}

// sharedFact is the fact of a PreFilter plugin's answer. Cycles share those that have nothing but a code.
func (c *cycle) sharedFact(i int, f *trace.PreFiltered) trace.Fact {
	if c.recalled == nil || f.Verdict.Reasons != nil || f.Verdict.Evidence != nil || f.Nodes != nil {
		return *f
	}
	kept := &c.recalled.PreFilters[i]
	if was, is := kept.Fact.(trace.PreFiltered); !is || was.Verdict.Code != f.Verdict.Code {
		kept.Fact = *f
	}
	return kept.Fact
}

// unstudied makes the check of a filter that the profile enables without its PreFilter.
func (c *cycle) unstudied(seat int) framework.Study {
	plugin := c.profile.Filter[seat]
	if c.recalled == nil {
		return plugin.PreFilter(c.pod, c.snapshot)
	}
	return c.recalled.study(&c.recalled.Others[seat], plugin, c)
}

func (r *recalled) study(kept *column.Study, plugin framework.FilterPlugin, c *cycle) framework.Study {
	if kept.Kept && c.scheduler.columns.use == ColumnsChecked {
		now := plugin.PreFilter(c.pod, c.snapshot)
		c.compare("study", "all nodes", fmt.Sprint(kept.Verdict, kept.Nodes), fmt.Sprint(now.Verdict, now.Nodes))
	}
	if !kept.Kept {
		study := plugin.PreFilter(c.pod, c.snapshot)
		kept.Study = study
		kept.Kept = framework.KeptOf(plugin, c.pod)&framework.KeepStudy != 0 && study.Verdict.Code != trace.Error
	}
	return kept.Study
}

// settle finds out which verdicts of the column are good for this cycle.
func (r *recalled) settle(c *cycle) {
	r.settled = true
	r.verdicts = make([]bool, len(c.studied.judge.Checks))
	r.Rest(c.studied.judge.Checks, r.verdicts)
	for i, check := range c.studied.judge.Checks {
		if check != nil && !r.verdicts[i] {
			r.afresh = append(r.afresh, int16(i))
		}
	}
	r.divide(c.studied.judge.Checks)
	c.scheduler.queue.EachNominated(func(name string) {
		if node, known := c.snapshot.Node(name); known && node.Index() >= 0 {
			if r.crowded == nil {
				r.crowded = make([]bool, len(c.snapshot.Nodes))
			}
			r.crowded[node.Index()] = true
		}
	})
	if c.scheduler.columns.use == ColumnsChecked {
		r.check(c)
	}
}

// glance is visit for a cycle that needs no more than the first failure of each node: it reads the column, and looks at
// nodes of which too little is kept.
func (c *cycle) glance(enough int) (errors []string) {
	r, s, nodes := c.recalled, &c.search, c.snapshot.Nodes
	all := len(r.asked) > 0 || r.crowded != nil
	seeker := framework.Judge{}
	for i, at := 0, c.scheduler.start%len(nodes); i < len(nodes); i, at = i+1, at+1 {
		if at == len(nodes) {
			at = 0
		}
		kind := r.Of(int32(at))
		if !all && kind != column.Unknown && len(r.regions) > 0 {
			kind = r.inRegion(&c.studied.judge, nodes[at], int32(at), kind)
		}
		if all || kind == column.Unknown {
			if seeker.Checks == nil {
				seeker = c.seeker()
			}
			before := len(s.failed)
			if kind = r.look(&seeker, nodes[at], &s.failed); len(s.failed) > before {
				c.reject(s.failed[before:])
				if errors = c.broke(&s.failed[before], errors); s.broke {
					break
				}
				continue
			}
		}
		if kind != column.Fits {
			s.count(int32(at), kind, r.Kinds()[kind].Plugin)
			continue
		}
		if len(c.search.feasible) == enough {
			break
		}
		c.accept(nodes[at], int32(at))
	}
	return errors
}

// region is a check that runs on one node of each of its regions.
type region struct {
	seat  int16
	of    []int32
	kinds []uint8 // by 1 + region: as Column.Of
}

// manyRegions is the number of regions from which it costs as much to find them out as to run the check on the nodes.
const manyRegions = 64

// divide finds out which of the checks that run afresh have regions.
func (r *recalled) divide(checks []framework.Check) {
	for _, seat := range r.afresh {
		if check, is := checks[seat].(framework.Regional); is {
			if of, count := check.Regions(); of != nil && count <= manyRegions {
				own := region{seat: seat, of: of, kinds: make([]uint8, count+1)}
				for i := range own.kinds {
					own.kinds[i] = column.Unknown
				}
				r.regions = append(r.regions, own)
				continue
			}
		}
		r.asked = append(r.asked, seat)
	}
}

// inRegion is the kind of a node's first failure: that which the column has, or an earlier one of its regions. It is
// Unknown where a filter broke.
func (r *recalled) inRegion(judge *framework.Judge, node *cluster.Node, at int32, kind uint8) uint8 {
	for i := range r.regions {
		own := &r.regions[i]
		if kind != column.Fits && r.Kinds()[kind].Plugin < own.seat {
			break
		}
		known := &own.kinds[own.of[at]+1]
		if *known == column.Unknown {
			if v := judge.Checks[own.seat].Filter(node); v.Code == trace.Success {
				*known = column.Fits
			} else if *known = r.KindOf(own.seat, v); *known == column.Unknown {
				return column.Unknown
			}
		}
		if *known != column.Fits {
			return *known
		}
	}
	return kind
}

// count takes a node out of the search for a failure of a kind that the column has.
func (s *search) count(node int32, kind uint8, plugin int16) {
	for len(s.kinds) <= int(kind) {
		s.kinds = append(s.kinds, 0)
	}
	s.kinds[kind]++
	s.kindAt[node] = kind
	s.rejected++
	s.visited = append(s.visited, node)
	s.first[node] = plugin
}

// tries is what earlier cycles have tried on nodes for pods like this one; nil where that rests on more than nodes.
func (c *cycle) tries() framework.Tries {
	if c.recalled == nil || !c.recalled.settled || len(c.recalled.afresh) > 0 {
		return nil
	}
	return c.recalled
}

// Tried is nil for a node to which pods are nominated.
func (r *recalled) Tried(node int) *framework.Tried {
	if r.crowded != nil && r.crowded[node] {
		return nil
	}
	return r.Column.Tried(node)
}

// KeepTried does nothing for a node to which pods are nominated.
func (r *recalled) KeepTried(node int, t *framework.Tried) {
	if r.crowded == nil || !r.crowded[node] {
		r.Column.KeepTried(node, t)
	}
}

// look runs the checks on a node whose verdicts the column does not have. It returns the kind of its first failure, or
// appends a failure that comes first and is not kept.
func (r *recalled) look(judge *framework.Judge, node *cluster.Node, failures *[]trace.Failure) uint8 {
	at := int32(node.Index())
	kind := r.Of(at)
	crowded := r.crowded != nil && r.crowded[at]
	if !crowded && kind == column.Unknown {
		kind = r.firstKept(judge, node)
	}
	if crowded || kind == column.Unknown {
		*failures = framework.FirstFailure{}.Ask(judge, node, *failures)
		return column.Fits
	}
	before := int16(len(judge.Checks))
	if kind != column.Fits {
		before = r.Kinds()[kind].Plugin
	}
	if f, failed := r.sooner(judge, node, before); failed {
		*failures = append(*failures, f)
	}
	return kind
}

// first appends the first failure of a node whose verdicts are in the column.
func (r *recalled) first(judge *framework.Judge, node *cluster.Node, failures []trace.Failure) []trace.Failure {
	if r.crowded != nil && r.crowded[node.Index()] {
		return framework.FirstFailure{}.Ask(judge, node, failures)
	}
	at := int32(node.Index())
	if r.Of(at) == column.Unknown {
		r.ask(judge, node)
	}
	if r.Of(at) == column.Unknown { // an error
		return framework.FirstFailure{}.Ask(judge, node, failures)
	}
	kept := r.Failures(at)
	before := int16(len(judge.Checks))
	if len(kept) > 0 {
		before = kept[0].Plugin
	}
	if f, failed := r.sooner(judge, node, before); failed {
		return append(failures, f)
	}
	return append(failures, kept[:min(1, len(kept))]...)
}

// sooner is the first failure among the checks whose verdicts are not kept and that come before a place.
func (r *recalled) sooner(judge *framework.Judge, node *cluster.Node, before int16) (trace.Failure, bool) {
	for _, seat := range r.afresh {
		if seat >= before {
			break
		}
		if v := judge.Checks[seat].Filter(node); v.Code != trace.Success {
			return trace.Failure{Node: int32(node.Index()), Plugin: seat, Verdict: v}, true
		}
	}
	return trace.Failure{}, false
}

// ask runs the checks whose verdicts may be kept on a node, and keeps the verdicts.
func (r *recalled) ask(judge *framework.Judge, node *cluster.Node) {
	at := int32(node.Index())
	if r.Whole() {
		r.KeepAll(at, r.every(judge, node))
		return
	}
	r.firstKept(judge, node)
}

// every is all failures of the checks whose verdicts may be kept.
func (r *recalled) every(judge *framework.Judge, node *cluster.Node) (failures []trace.Failure) {
	for seat, check := range judge.Checks {
		if !r.verdicts[seat] {
			continue
		}
		if v := check.Filter(node); v.Code != trace.Success {
			failures = append(failures, trace.Failure{Node: int32(node.Index()), Plugin: int16(seat), Verdict: v})
		}
	}
	return failures
}

// firstKept runs the checks whose verdicts may be kept until one rejects the node, and keeps that verdict.
func (r *recalled) firstKept(judge *framework.Judge, node *cluster.Node) uint8 {
	for seat, check := range judge.Checks {
		if !r.verdicts[seat] {
			continue
		}
		if v := check.Filter(node); v.Code != trace.Success {
			return r.KeepFirst(
				int32(node.Index()), &trace.Failure{Node: int32(node.Index()), Plugin: int16(seat), Verdict: v},
			)
		}
	}
	return r.KeepFirst(int32(node.Index()), nil)
}

// all is Judge.All, from the column as far as it goes.
func (r *recalled) all(judge *framework.Judge, nodes []*cluster.Node) (failures []trace.Failure, starts []int32) {
	starts = make([]int32, len(nodes)+1)
	for i, node := range nodes {
		failures = r.appendAll(judge, node, framework.RoomForAll(failures, i, len(nodes)))
		starts[i+1] = int32(len(failures))
	}
	return failures, starts
}

func (r *recalled) appendAll(judge *framework.Judge, node *cluster.Node, failures []trace.Failure) []trace.Failure {
	at := int32(node.Index())
	crowded := r.crowded != nil && r.crowded[at]
	if !crowded && r.Of(at) == column.Unknown {
		r.ask(judge, node)
	}
	if crowded || r.Of(at) == column.Unknown {
		afresh, _ := judge.All([]*cluster.Node{node})
		return append(failures, afresh...)
	}
	kept := r.Failures(at)
	for _, seat := range r.afresh {
		for len(kept) > 0 && kept[0].Plugin < seat {
			failures, kept = append(failures, kept[0]), kept[1:]
		}
		if v := judge.Checks[seat].Filter(node); v.Code != trace.Success {
			failures = append(failures, trace.Failure{Node: at, Plugin: seat, Verdict: v})
		}
	}
	return append(failures, kept...)
}

// check compares everything that is kept of verdicts with what the checks answer now.
func (r *recalled) check(c *cycle) {
	for i, node := range c.snapshot.Nodes {
		of := r.Of(int32(i))
		if of == column.Unknown {
			continue
		}
		now := r.every(&c.studied.judge, node)
		var kept []trace.Failure
		switch {
		case r.Whole():
			kept = r.Failures(int32(i))
		case of != column.Fits:
			k := r.Kinds()[of]
			kept = []trace.Failure{{Node: int32(i), Plugin: k.Plugin, Verdict: k.Verdict}}
		}
		if !r.Whole() {
			now = withoutEvidence(now[:min(1, len(now))])
		}
		c.compare("verdict", node.Name, fmt.Sprint(kept), fmt.Sprint(now))
	}
}

func withoutEvidence(failures []trace.Failure) []trace.Failure {
	for i := range failures {
		failures[i].Verdict.Evidence = nil
	}
	return failures
}

// compare panics where an answer that is kept is not what a plugin answers now.
func (c *cycle) compare(what, node, kept, now string) {
	if kept != now {
		panic(fmt.Sprintf("cycle %d: the %s about %s that is kept for pods like %s is %s, and would be %s now",
			c.scheduler.Cycles(), what, node, c.pod.Key, kept, now))
	}
}
