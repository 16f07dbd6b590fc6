package podtopologyspread

import (
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
)

// census finds which nodes take part in a constraint, and counts the pods on them by domain. It goes to the nodes of
// the pods that a selector matches; it walks over all nodes only when some of them may not take part.
type census struct {
	pod         *cluster.Pod
	snapshot    *cluster.Snapshot
	constraints []constraint
	topologies  []*cluster.Topology // by constraint
	partial     bool                // a node without one of the keys takes part in nothing, and there are such nodes
	anywhere    bool                // pods count on every node of a domain in which some node takes part
	selective   bool                // the pod selects nodes
	selected    []answer            // whether the pod's node selection admits a node, by Node.Index; nil unless selective
}

type answer uint8

const (
	notAsked answer = iota
	yes
	no
)

// keyRule decides in which constraints a node takes part that lacks one of the topology keys.
type keyRule uint8

const (
	everyKey keyRule = iota // they take part in no constraint
	anyKey                  // they take part in those whose key they have
)

func newCensus(pod *cluster.Pod, snapshot *cluster.Snapshot, constraints []constraint, rule keyRule) *census {
	c := &census{
		pod: pod, snapshot: snapshot, constraints: constraints,
		topologies: make([]*cluster.Topology, len(constraints)),
	}
	honor := false
	for k := range constraints {
		c.topologies[k] = snapshot.Topology(constraints[k].key)
		c.partial = c.partial || rule == everyKey && !c.topologies[k].Complete
		honor = honor || constraints[k].honorAffinity
	}
	if honor && selectsNodes(pod) {
		c.selective = true
		c.selected = make([]answer, len(snapshot.Nodes))
	}
	return c
}

func selectsNodes(pod *cluster.Pod) bool {
	spec := &pod.API.Spec
	return len(spec.NodeSelector) > 0 || spec.Affinity != nil && spec.Affinity.NodeAffinity != nil &&
		spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil
}

// everywhere reports whether all nodes that have the constraint's key take part in it.
func (c *census) everywhere(k int) bool {
	own := &c.constraints[k]
	if c.partial && len(c.constraints) > 1 {
		return false
	}
	return !own.honorTaints && (!own.honorAffinity || !c.selective)
}

// includes reports whether the node with that index takes part in a constraint.
func (c *census) includes(k, node int) bool {
	if c.partial && !c.hasEveryKey(node) {
		return false
	}
	own := &c.constraints[k]
	if own.honorAffinity && c.selective && !c.admits(node) {
		return false
	}
	return !own.honorTaints || tolerates(c.pod, c.snapshot.Nodes[node].API, own.compares)
}

// hasEveryKey reports whether the node has the topology keys of all constraints.
func (c *census) hasEveryKey(node int) bool {
	for _, t := range c.topologies {
		if t.Of[node] < 0 {
			return false
		}
	}
	return true
}

// admits evaluates the pod's node selection once for each node; one that cannot be parsed admits no node, as in
// kube-scheduler.
func (c *census) admits(node int) bool {
	if c.selected[node] == notAsked {
		c.selected[node] = no
		if match, _ := c.pod.NodeSelection.Match(c.snapshot.Nodes[node].API); match {
			c.selected[node] = yes
		}
	}
	return c.selected[node] == yes
}

// matching lists the LabelSets that a selector matches in the pod's namespace. An empty selector matches none of them:
// kube-scheduler counts no pods for it, and yet has the pod match itself.
func (c *census) matching(selector labels.Selector) []*cluster.LabelSet {
	if selector.Empty() {
		return nil
	}
	var sets []*cluster.LabelSet
	c.snapshot.EachSet(c.pod.Namespace(), func(set *cluster.LabelSet) bool {
		if selector.Matches(set.Labels) {
			sets = append(sets, set)
		}
		return true
	})
	return sets
}

// count adds the pods of these sets to counts, by domain of the constraint. Terminating pods do not count, nor do those
// on nodes that take no part.
func (c *census) count(k int, sets []*cluster.LabelSet, counts []int32) {
	of := c.topologies[k].Of
	everywhere := c.everywhere(k)
	for _, set := range sets {
		c.snapshot.EachNodeOf(set, func(node int, count, terminating int32) bool {
			d := of[node]
			if d >= 0 && count > terminating && (everywhere || c.includes(k, node) ||
				c.anywhere && counts[d] != absent) {
				counts[d] += count - terminating
			}
			return true
		})
	}
}
