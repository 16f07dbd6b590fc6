package interpodaffinity

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// PreFilter counts, by domain, the pods that the pod's required terms select and the pods whose required anti-affinity
// selects the pod. Without either the verdict is Skip. The check is returned all the same for 1.19, where no plugin is
// skipped: a pod that is nominated to a node may have anti-affinity that no pod in the cluster has.
func (p *Plugin) PreFilter(pod *cluster.Pod, snapshot *cluster.Snapshot) framework.Study {
	if pod.Affinity != nil && pod.Affinity.Err != nil {
		return framework.Study{Verdict: trace.Verdict{
			Code: trace.UnschedulableAndUnresolvable, Reasons: []string{"parsing pod: " + pod.Affinity.Err.Error()},
		}}
	}
	s := &study{
		paired: p.ways.GeneralReasonAdded, predicate: p.ways.FiltersAsPredicate, ownNode: p.ways.HostnameIsOneNode,
		pod: pod, snapshot: snapshot, namespaceLabels: snapshot.NamespaceLabels(pod.Namespace()),
		affinity:     p.wishes(pod.RequiredAffinity, snapshot.Objects()),
		antiAffinity: p.wishes(pod.RequiredAntiAffinity, snapshot.Objects()),
	}
	c := &check{study: s}
	c.countAttracting()
	c.countShunned()
	shunned := c.countShunning()
	if !shunned && !s.mayShun() && len(s.affinity) == 0 && len(s.antiAffinity) == 0 {
		return framework.Study{Verdict: trace.Verdict{Code: trace.Skip}, Check: c}
	}
	return framework.Study{Check: c}
}

// study is what does not change when pods come and go.
type study struct {
	pod             *cluster.Pod
	snapshot        *cluster.Snapshot
	namespaceLabels labels.Set // of the pod's namespace
	affinity        []wish
	antiAffinity    []wish
	near            []int             // by affinity term, the position of its tally
	alone           bool              // the pod matches its own affinity terms
	paired          bool              // with reasonPaired
	predicate       bool              // see Ways.Predicate
	ownNode         bool              // see Ways.OwnNode
	nodes           *cluster.Topology // with ownNode, each labelled node as a domain of its own; nil before it is needed
}

// check makes three tests in kube-scheduler's order. The study and the tallies are shared by every check that With and
// Without derive; these differ by a short list of changes, which is read only when it is not empty.
type check struct {
	study     *study
	tallies   tallies
	attracted int64 // pods that match all affinity terms, once for each term whose topology their node has
	changes   []change
	brief     bool // verdicts have no evidence
}

// change is what pods that came or went make of the count in one domain of a tally.
type change struct {
	tally  int
	domain int32
	delta  int32
}

var (
	_ framework.Disturbable = (*check)(nil)
	_ framework.Brief       = (*check)(nil)
)

// Brief leaves the evidence out, which costs more than the counts.
func (c *check) Brief() framework.Check {
	brief := *c
	brief.brief = true
	return &brief
}

func (c *check) countAttracting() {
	s := c.study
	if len(s.affinity) == 0 {
		return
	}
	s.alone = matchAll(s.affinity, s.pod.Labels)
	s.near = make([]int, len(s.affinity))
	for k := range s.affinity {
		s.near[k] = c.tallies.with(s, attracts, s.affinity[k].TopologyKey)
	}
	everywhere := s.ownNode && s.onlyHosts()
	s.affinity[0].eachSet(s.snapshot, func(set *cluster.LabelSet) {
		if len(s.affinity) > 1 && !matchAll(s.affinity[1:], set) {
			return
		}
		s.snapshot.EachNodeOf(set, func(node int, count, _ int32) bool {
			for _, t := range s.near {
				if c.tallies[t].add(node, count, set.ID) || everywhere {
					c.attracted += int64(count)
				}
			}
			return true
		})
	})
}

func (c *check) countShunned() {
	s := c.study
	for k := range s.antiAffinity {
		t := &c.tallies[c.tallies.with(s, isShunned, s.antiAffinity[k].TopologyKey)]
		s.antiAffinity[k].eachSet(s.snapshot, func(set *cluster.LabelSet) {
			s.snapshot.EachNodeOf(set, func(node int, count, _ int32) bool {
				t.add(node, count, set.ID)
				return true
			})
		})
	}
}

// countShunning reports whether any pod in a domain was counted.
func (c *check) countShunning() bool {
	s := c.study
	found := false
	s.snapshot.EachAffinity(s.pod.Namespace(), func(set *cluster.AffinitySet) bool {
		for k := range set.RequiredAntiAffinity {
			term := &set.RequiredAntiAffinity[k]
			if !term.Matches(s.pod.Labels, s.namespaceLabels) {
				continue
			}
			t := &c.tallies[c.tallies.with(s, shuns, term.TopologyKey)]
			s.snapshot.EachNodeWith(set, func(node int, count int32) bool {
				found = t.add(node, count, set.ID) || found
				return true
			})
		}
		return true
	})
	return found
}

// Filter tests the pod's own affinity, then its own anti-affinity, then the anti-affinity of the pods that are there.
// Predicate makes the last test first.
func (c *check) Filter(node *cluster.Node) trace.Verdict {
	i := node.Index()
	if c.study.predicate {
		if k := c.unwelcome(i, shuns); k >= 0 {
			return c.tooNear(k, i)
		}
	}
	if len(c.study.affinity) > 0 && !c.isNear(i) {
		return c.notNear(i)
	}
	if k := c.unwelcome(i, isShunned); k >= 0 {
		return c.tooNear(k, i)
	}
	if !c.study.predicate {
		if k := c.unwelcome(i, shuns); k >= 0 {
			return c.tooNear(k, i)
		}
	}
	return trace.Verdict{}
}

// unwelcome is the first tally for the reason that counts a pod in the domain of a node; -1: none does.
func (c *check) unwelcome(node int, why reason) int {
	for k := range c.tallies {
		t := &c.tallies[k]
		if t.reason != why {
			continue
		}
		if d := t.topology.Of[node]; d >= 0 && c.count(k, d) > 0 {
			return k
		}
	}
	return -1
}

// isNear reports whether every affinity term has a matching pod in the node's domain. The first pod of a group whose
// pods want to be together finds no match: when no pod anywhere matches and the pod matches itself, a node with all
// topology keys will do.
func (c *check) isNear(node int) bool {
	found := true
	for _, k := range c.study.near {
		d := c.tallies[k].topology.Of[node]
		if d < 0 && !c.study.predicate {
			return false
		}
		found = found && d >= 0 && c.count(k, d) > 0
	}
	return found || c.attracted == 0 && c.study.alone
}

func (c *check) count(k int, d int32) int64 {
	t := &c.tallies[k]
	n := int64(0)
	if t.counts != nil {
		n = int64(t.counts[d])
	}
	for i := range c.changes {
		if change := &c.changes[i]; change.domain == d && change.tally == k {
			n += int64(change.delta)
		}
	}
	return n
}

// With counts one pod more.
func (c *check) With(pod *cluster.Pod, node *cluster.Node) framework.Check {
	return c.changed(pod, node.Index(), 1)
}

// Without counts one pod less.
func (c *check) Without(pod *cluster.Pod, node *cluster.Node) framework.Check {
	return c.changed(pod, node.Index(), -1)
}

// changed is the check with the counts changed that the pod matters to; the check itself when it matters to none. It
// costs as much as the pods have terms and domains were changed.
func (c *check) changed(pod *cluster.Pod, node int, delta int32) framework.Check {
	s := c.study
	after := &check{study: s, tallies: c.tallies, attracted: c.attracted, brief: c.brief}
	for k := range pod.RequiredAntiAffinity {
		if term := &pod.RequiredAntiAffinity[k]; term.Matches(s.pod.Labels, s.namespaceLabels) {
			after.change(c, shuns, term.TopologyKey, node, delta)
		}
	}
	own := !s.predicate || pod.NodeName != ""
	if own && matchAll(s.affinity, pod.Labels) {
		everywhere := s.ownNode && s.onlyHosts()
		for k := range s.affinity {
			if after.change(c, attracts, s.affinity[k].TopologyKey, node, delta) || everywhere {
				after.attracted += int64(delta)
			}
		}
	}
	for k := range s.antiAffinity {
		if own && s.antiAffinity[k].matches(pod.Labels) {
			after.change(c, isShunned, s.antiAffinity[k].TopologyKey, node, delta)
		}
	}
	if after.changes == nil && after.attracted == c.attracted {
		return c
	}
	if after.changes == nil {
		after.changes = c.changes
	}
	return after
}

// change adds to the list, which is copied from the check before at the first change; a change that is undone leaves
// it. It reports whether the node is in a domain at all.
func (c *check) change(before *check, why reason, key string, node int, delta int32) bool {
	topology := c.study.topology(why, key)
	d := topology.Of[node]
	if d < 0 {
		return false
	}
	k := c.tallies.of(why, key)
	if k < 0 { // only a pod that came can shun by another key than those counted
		k = len(c.tallies)
		c.tallies = append(slices.Clip(c.tallies), emptyTally(why, topology))
	}
	if c.changes == nil {
		c.changes = append(make([]change, 0, len(before.changes)+4), before.changes...)
	}
	for i := range c.changes {
		was := &c.changes[i]
		if was.tally != k || was.domain != d {
			continue
		}
		if was.delta += delta; was.delta == 0 {
			c.changes = slices.Delete(c.changes, i, i+1)
		}
		return true
	}
	c.changes = append(c.changes, change{tally: k, domain: d, delta: delta})
	return true
}
