package core

import (
	"slices"

	"github.com/tidwall/btree"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// equivalents is the equivalence cache: the verdicts of filters on nodes for pods of a class. The zero value is empty;
// a copy is a fork.
type equivalents struct {
	answers btree.Map[cluster.CompoundKey, trace.Verdict] // by filter, node and class
}

func (e *equivalents) fork() equivalents { return equivalents{*e.answers.Copy()} }

// drop forgets answers that are outdated.
func (e *equivalents) drop(outdated []framework.Outdated, filters []string) {
	if e.answers.Len() == 0 {
		return
	}
	for _, o := range outdated {
		of := filters
		if o.Filter != "" {
			of = []string{o.Filter}
		}
		for _, filter := range of {
			if o.Node == "" {
				e.dropAll(cluster.Compound(filter, ""))
			} else {
				e.dropAll(cluster.Compound(filter, o.Node, ""))
			}
		}
	}
}

// dropAll drops the answers whose keys have that beginning.
func (e *equivalents) dropAll(beginning cluster.CompoundKey) {
	var gone []cluster.CompoundKey
	e.answers.Ascend(beginning, func(key cluster.CompoundKey, _ trace.Verdict) bool {
		_, is := key.After(beginning)
		if is {
			gone = append(gone, key)
		}
		return is
	})
	for _, key := range gone {
		e.answers.Delete(key)
	}
}

// outdate forgets what the release has learned is outdated.
func (s *Scheduler) outdate(learned func(framework.Equivalence) []framework.Outdated) {
	first := s.lanes[0]
	if first.Behaviour.Equivalence == nil {
		return
	}
	s.equivalents.drop(learned(first.Behaviour.Equivalence), first.filters)
}

// outdateBy is outdate after a change of the cluster.
func (s *Scheduler) outdateBy(change *cluster.Change) {
	s.outdate(func(e framework.Equivalence) []framework.Outdated { return e.Changed(change) })
}

// consult goes through the filters of the visited nodes as a release with an equivalence cache does: what is kept is a
// hit, what is not is kept. What it finds becomes a fact and decides nothing.
func (c *cycle) consult() {
	cache := c.profile.Behaviour.Equivalence
	if cache == nil {
		return
	}
	class, has := cache.Class(c.pod, c.snapshot.Objects())
	if !has {
		return
	}
	look := lookup{
		cycle: c, class: class, hits: trace.EquivalenceHits{Class: class.Name}, on: make([][]string, len(c.profile.filters)),
	}
	for _, i := range c.search.visited {
		node := c.snapshot.Nodes[i]
		if len(c.scheduler.queue.Nominated(node.Name)) > 0 { // with them, nothing is kept, and nothing looked up
			continue
		}
		look.at(node)
	}
	if c.scheduler.detail < trace.Reported {
		return
	}
	for i, nodes := range look.on {
		if len(nodes) > 0 {
			look.hits.Filters = append(look.hits.Filters, trace.EquivalenceHit{Plugin: c.profile.filters[i], Nodes: nodes})
		}
	}
	c.fact(look.hits)
	for _, stale := range look.stale {
		c.fact(stale)
	}
}

// lookup is one pod's way through the cache.
type lookup struct {
	*cycle
	class framework.EquivalenceClass
	hits  trace.EquivalenceHits
	on    [][]string // for each filter the nodes of which its answer was kept
	stale []trace.EquivalenceStale
}

// at goes through the filters of a node.
func (l *lookup) at(node *cluster.Node) {
	for i, check := range l.studied.judge.Checks {
		if check == nil {
			continue
		}
		filter := l.profile.filters[i]
		key := cluster.Triple(filter, node.Name, l.class.Key)
		now := check.Filter(node)
		answer, hit := l.cycle.scheduler.equivalents.answers.Get(key)
		switch {
		case hit:
			l.on[i] = append(l.on[i], node.Name)
			if answer.Code.Rejects() != now.Code.Rejects() || now.Code == trace.Error ||
				!slices.Equal(answer.Reasons, now.Reasons) {
				l.stale = append(l.stale, trace.EquivalenceStale{
					Class: l.class.Name, Plugin: filter, Node: node.Name, Kept: answer, Now: now,
				})
			}
		case now.Code == trace.Error:
			l.hits.Asked++
			return
		default:
			answer = trace.Verdict{Code: now.Code, Reasons: now.Reasons}
			l.cycle.scheduler.equivalents.answers.Set(key, answer)
		}
		l.hits.Asked++
		if answer.Code.Rejects() && !l.profile.Behaviour.Rejection.GoesOn() {
			return
		}
	}
}
