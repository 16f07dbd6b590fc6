package core

import (
	"container/heap"
	"slices"
	"strings"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// maxBatchAge is how long scores may be reused (kube-scheduler 1.37).
const maxBatchAge = 500 * time.Millisecond

// batch is what a profile remembers of its last cycle that placed a pod (OpportunisticBatching, 1.37).
type batch struct {
	cycle  int64  // 0: there was none
	chosen string // the node
	kept   *batchScores
}

// batchScores are the scores of the feasible nodes that were not chosen.
type batchScores struct {
	signature []framework.Part
	cycle     int64 // whose scores they are
	since     time.Time
	nodes     scoreHeap
	sums      *batchSums // of nodes; nil: they have to be made
	shared    bool       // a fork has them too: what changes is a copy
}

// own is the batch's scores for changing in place.
func (b *batch) own() *batchScores {
	if b.kept.shared {
		kept := *b.kept
		kept.nodes, kept.sums, kept.shared = slices.Clone(kept.nodes), nil, false
		b.kept = &kept
	}
	return b.kept
}

// share has a fork share the scores.
func (b *batch) share() {
	if b.kept != nil && !b.kept.shared { // a fork may be used by another goroutine, which reads this
		b.kept.shared = true
	}
}

// scoreHeap is a heap of nodes, the best first; equals are in the order that kube-scheduler's heap puts them in.
type scoreHeap []batchNode

type batchNode struct {
	name  string
	place int32 // in the list of the nodes of which it was made; -1: not known
	total int64
	raw   []int64 // one for each score plugin of the profile; 0 for one that was skipped
}

func (h scoreHeap) Len() int           { return len(h) }
func (h scoreHeap) Less(i, j int) bool { return h[i].total > h[j].total }
func (h scoreHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push adds an element at the end; heap.Push lets it rise.
func (h *scoreHeap) Push(n any) { *h = append(*h, n.(batchNode)) }

// Pop takes the last element off; heap.Pop brings the best one there.
func (h *scoreHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// names lists the nodes, the best first.
func (h scoreHeap) names() []string {
	rest := slices.Clone(h)
	names := make([]string, 0, len(h))
	for len(rest) > 0 {
		names = append(names, heap.Pop(&rest).(batchNode).name)
	}
	return names
}

// signature is what the answers of a profile's plugins about a pod depend on, as the plugins declare it.
type signature struct {
	parts   []framework.Part // by name; nil: a plugin refused
	plugin  string           // the plugin that refused
	verdict trace.Verdict
}

// signersOf are the plugins that sign pods of a profile, those at PreFilter first; nil when no pod can be signed, and
// with the feature gate off.
func signersOf(p *framework.Profile) []framework.Signer {
	if !p.Batching || len(p.Extenders)+len(p.Unjudged) > 0 {
		return nil
	}
	var plugins []framework.Plugin
	for _, f := range append(slices.Clone(p.PreFilter), p.Filter...) {
		plugins = append(plugins, f)
	}
	for _, s := range p.PreScore {
		plugins = append(plugins, s)
	}
	for _, s := range p.Score {
		plugins = append(plugins, s.ScorePlugin)
	}
	var signers []framework.Signer
	seen := map[string]bool{}
	for _, plugin := range plugins {
		if seen[plugin.Name()] {
			continue
		}
		seen[plugin.Name()] = true
		signer, signs := plugin.(framework.Signer)
		if never, is := plugin.(framework.NeverSigner); !signs || is && never.NeverSigns() {
			return nil
		}
		signers = append(signers, signer)
	}
	return signers
}

// batchesOf are the empty batches of lanes; nil when no lane signs pods.
func batchesOf(lanes []*lane) []batch {
	if !slices.ContainsFunc(lanes, func(l *lane) bool { return l.signers != nil }) {
		return nil
	}
	return make([]batch, len(lanes))
}

// decideBy replaces the lanes by others of the same scheduler names. A lane that is new has no batch yet. When other
// plugins sign its pods, those without a node are signed again.
func (s *Scheduler) decideBy(lanes []*lane) {
	before, batches := s.lanes, batchesOf(lanes)
	s.lanes, s.columns = lanes, columns{use: s.columns.use}
	for i := range min(len(batches), len(s.batches)) {
		if lanes[i] == before[i] {
			batches[i] = s.batches[i]
		}
	}
	s.batches = batches
	s.state.EachPod(func(p *cluster.Pod) bool {
		l := s.lane(p.API.Spec.SchedulerName)
		if l == nil || p.NodeName != "" || slices.EqualFunc(l.signers, before[l.index].signers, isNamedAlike) {
			return true
		}
		s.unsign(p)
		if _, assumed := s.state.Assumed(p.Key); !assumed {
			s.sign(p)
		}
		return true
	})
}

func isNamedAlike(a, b framework.Signer) bool { return a.Name() == b.Name() }

// sign keeps the signature of a pod that waits, as it is when the pod enters the queue.
func (s *Scheduler) sign(p *cluster.Pod) {
	l := s.lane(p.API.Spec.SchedulerName)
	if l == nil || l.signers == nil {
		return
	}
	parts := []framework.Part{}
	for _, signer := range l.signers {
		own, verdict := signer.Sign(p, s.state)
		if !verdict.OK() {
			s.signatures.Set(p.UID(), signature{plugin: signer.Name(), verdict: verdict})
			return
		}
		parts = append(parts, own...)
	}
	slices.SortFunc(parts, func(a, b framework.Part) int { return strings.Compare(a.Name, b.Name) })
	s.signatures.Set(p.UID(), signature{parts: slices.Compact(parts)})
}

// unsign forgets the signature of a pod that does not wait any more.
func (s *Scheduler) unsign(p *cluster.Pod) {
	if s.signatures.Len() > 0 {
		s.signatures.Delete(p.UID())
	}
}

// differs names the parts that two signatures do not share.
func differs(a, b []framework.Part) []string {
	var names []string
	for _, lists := range [...][2][]framework.Part{{a, b}, {b, a}} {
		for _, part := range lists[0] {
			if !slices.Contains(lists[1], part) && !slices.Contains(names, part.Name) {
				names = append(names, part.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// askBatch takes a hint from the scores that an earlier cycle kept, if they are of use for this pod (GetNodeHint,
// 1.37).
func (c *cycle) askBatch() {
	if c.profile.signers == nil {
		return
	}
	b := &c.scheduler.batches[c.profile.index]
	if b.kept == nil || len(b.kept.nodes) == 0 {
		return
	}
	unused := trace.BatchUnused{Cycle: b.kept.cycle}
	if !c.batchable(b, &unused) {
		c.unused(unused)
		return
	}
	rescored, ok := c.refresh(b, &unused)
	if !ok {
		c.unused(unused)
		return
	}
	kept := b.own()
	next := heap.Pop(&kept.nodes).(batchNode)
	kept.sums.drop(&next)
	c.choice.hint = &trace.BatchHint{Cycle: kept.cycle, Node: next.name, Left: len(kept.nodes), Rescored: rescored}
}

func (c *cycle) unused(f trace.BatchUnused) {
	c.choice.stale = true
	c.fact(f)
}

// batchable reports whether the scores are those of a pod like this one, tried just before it.
func (c *cycle) batchable(b *batch, unused *trace.BatchUnused) bool {
	own, _ := c.scheduler.signatures.Get(c.pod.UID())
	age := c.scheduler.now.Sub(b.kept.since)
	switch together := c.scheduler.groups && c.scheduler.cycles == b.cycle; {
	case c.scheduler.cycles != b.cycle+1 && !together:
		unused.Reason = trace.BatchPodSkipped
	case c.pod.Nominated != "" && !c.profile.Behaviour.BatchEndsIfNodeFitsAgain:
		unused.Reason, unused.Node = trace.BatchNominated, c.pod.Nominated
	case own.parts == nil:
		unused.Reason, unused.Plugin, unused.Verdict = trace.BatchNotBatchable, own.plugin, own.verdict
	case !slices.Equal(own.parts, b.kept.signature):
		unused.Reason, unused.Differs = trace.BatchIncompatible, differs(own.parts, b.kept.signature)
	case age > maxBatchAge:
		unused.Reason, unused.Age = trace.BatchExpired, age
	default:
		return true
	}
	return false
}

// refresh looks at the node chosen last. If it does not take another such pod, the scores are as good as they were; if
// it does, it is scored again and competes with the others.
func (c *cycle) refresh(b *batch, unused *trace.BatchUnused) (rescored string, ok bool) {
	last, known := c.snapshot.Node(b.chosen)
	if !known {
		unused.Reason, unused.Node = trace.BatchNodeMissing, b.chosen
		return "", false
	}
	failure, fits := c.studied.judge.Alone(last)
	switch {
	case c.profile.Behaviour.BatchEndsIfNodeFitsAgain && (fits || !failure.Verdict.Code.Rejects()):
		unused.Reason, unused.Node = trace.BatchNotFull, b.chosen
		return "", false
	case fits:
		return b.chosen, c.rescore(last, b, unused)
	case !failure.Verdict.Code.Rejects():
		unused.Reason, unused.Plugin, unused.Verdict = trace.BatchFilterError, c.profile.filters[failure.Plugin],
			failure.Verdict
		return "", false
	}
	return "", true
}

// rescore puts a node with fresh scores among the others, and normalises all of them together.
func (c *cycle) rescore(last *cluster.Node, b *batch, unused *trace.BatchUnused) bool {
	nodes, missing := c.batchNodes(b.kept)
	if missing != "" {
		unused.Reason, unused.Node = trace.BatchNodeMissing, missing
		return false
	}
	nodes = append(nodes, last)
	scorings, plugin, verdict := c.studyScores(nodes, func(string, trace.Verdict) {})
	if plugin != "" {
		unused.Reason, unused.Plugin, unused.Verdict = trace.BatchPreScoreError, plugin, verdict
		return false
	}
	fresh := batchNode{name: last.Name, place: int32(last.Index()), raw: make([]int64, len(c.profile.Score))}
	for i, scoring := range scorings {
		if scoring.Scorer == nil {
			continue
		}
		if v := scoring.Scorer.Score(nodes[len(nodes)-1:], fresh.raw[i:i+1]); v.Code != trace.Success {
			unused.Reason, unused.Plugin, unused.Verdict = trace.BatchRescoreError, c.profile.Score[i].Name(), v
			return false
		}
	}
	if sums := b.kept.sums; sums != nil && !b.kept.shared && c.addUp(sums, scorings, nodes, &fresh) {
		heap.Push(&b.kept.nodes, fresh)
		return true
	}
	all := make(scoreHeap, 0, len(b.kept.nodes)+1)
	for _, n := range b.kept.nodes {
		all = append(all, batchNode{name: n.name, place: n.place, raw: n.raw})
	}
	all = append(all, fresh)
	for i, scoring := range scorings {
		if scoring.Scorer != nil && !c.addNormalized(i, scoring.Scorer, nodes, all, unused) {
			return false
		}
	}
	heap.Init(&all)
	kept := b.own()
	kept.nodes, kept.sums = all, c.sumsOf(all, scorings, nodes)
	return true
}

// addNormalized adds what one plugin's raw scores count for to the totals of all nodes.
func (c *cycle) addNormalized(
	i int, scorer framework.Scorer, nodes []*cluster.Node, all scoreHeap, unused *trace.BatchUnused,
) bool {
	scores := make([]int64, len(all))
	for k := range all {
		scores[k] = all[k].raw[i]
	}
	verdict := scorer.Normalize(nodes, scores)
	for k, score := range scores {
		if verdict.OK() && (score < 0 || score > c.profile.Behaviour.Scale.Max) {
			verdict = trace.Verdict{Code: trace.Error, Reasons: []string{"invalid score"}}
		}
		all[k].total += score * c.profile.Score[i].Weight
	}
	if !verdict.OK() {
		unused.Reason, unused.Plugin, unused.Verdict = trace.BatchNormalize, c.profile.Score[i].Name(), verdict
		return false
	}
	return true
}

// keepBatch remembers the choice, and the scores of the other nodes for the next pod (StoreScheduleResults, 1.37).
func (c *cycle) keepBatch() {
	if c.profile.signers == nil {
		return
	}
	b := &c.scheduler.batches[c.profile.index]
	b.cycle, b.chosen = c.scheduler.cycles, c.choice.host.Name
	if c.choice.hint != nil && c.choice.hint.Node == c.choice.host.Name {
		return
	}
	before := b.kept
	b.kept = nil
	own, _ := c.scheduler.signatures.Get(c.pod.UID())
	if own.parts != nil && c.choice.scored {
		if others := c.others(); len(others) > 0 {
			b.kept = &batchScores{signature: own.parts, cycle: c.scheduler.Cycles(), since: c.scheduler.now, nodes: others}
			c.fact(trace.BatchKept{Nodes: others.names()})
			return
		}
	}
	if before != nil && !c.choice.stale {
		c.fact(trace.BatchUnused{Cycle: before.cycle, Reason: trace.BatchEmpty})
	}
}

// others are the scored nodes except for the host.
func (c *cycle) others() scoreHeap {
	plugins := len(c.profile.Score)
	raw := make([]int64, len(c.search.feasible)*plugins)
	all := make(scoreHeap, len(c.search.feasible))
	for k, node := range c.search.feasible {
		all[k] = batchNode{
			name: node.Name, place: int32(node.Index()), total: c.choice.ranking.totals[k],
			raw: raw[k*plugins : (k+1)*plugins : (k+1)*plugins],
		}
		for i := range c.choice.ranking.columns {
			if column := &c.choice.ranking.columns[i]; column.Raw != nil {
				all[k].raw[i] = column.Raw[k]
			}
		}
	}
	heap.Init(&all)
	heap.Pop(&all)
	return all
}
