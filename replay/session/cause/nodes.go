package cause

import (
	"slices"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/owner"
)

// The plugins whose verdicts the rules read.
const (
	taints     = "TaintToleration"
	cordon     = "NodeUnschedulable"
	affinity   = "NodeAffinity"
	spread     = "PodTopologySpread"
	resources  = "NodeResourcesFit"
	volumes    = "VolumeBinding"
	reasonFull = "node(s) did not have enough free storage"
)

// node is a node of a matrix by its place in it.
func (g *Given) node(m *trace.Matrix, i int) *cluster.Node {
	n, is := g.State.Snapshot().Node(m.Nodes[i])
	if !is || n.Index() < 0 {
		return nil
	}
	return n
}

// untolerated are the taints of a node that keep the pod away from it.
func (g *Given) untolerated(n *cluster.Node) []corev1.Taint {
	var all []corev1.Taint
	for i := range n.API.Spec.Taints {
		t := &n.API.Spec.Taints[i]
		if t.Effect != corev1.TaintEffectPreferNoSchedule &&
			!corev1helpers.TolerationsTolerateTaint(logr.Discard(), g.Pod.API.Spec.Tolerations, t, true) {
			all = append(all, *t)
		}
	}
	return all
}

// traps are the spread constraints under which every domain that may take the pod has only nodes that the pod may not
// use: the count of such a domain does not grow, so that it holds back the others for good.
func (g *Given) traps(m *trace.Matrix) []Cause {
	var all []Cause
	for _, s := range m.Spreads {
		lowest := ""
		var shut []int
		for _, d := range s.Domains {
			if !s.Takes(d) {
				continue
			}
			nodes, closed := g.domain(m, s.Topology, d.Name)
			if !closed || len(nodes) == 0 {
				shut = nil
				break
			}
			if shut == nil {
				lowest, shut = d.Name, nodes
			}
		}
		if shut != nil {
			all = append(all, g.trap(m, s.Topology, lowest, shut))
		}
	}
	return all
}

// domain are the nodes of a domain, and whether the pod may use none of them whatever is free there.
func (g *Given) domain(m *trace.Matrix, key, name string) (nodes []int, closed bool) {
	closed = true
	for i := range m.Nodes {
		n := g.node(m, i)
		if n == nil || !hasLabel(n, key, name) {
			continue
		}
		nodes = append(nodes, i)
		closed = closed && (failure(m, i, taints) != nil || failure(m, i, cordon) != nil || failure(m, i, affinity) != nil)
	}
	return nodes, closed
}

func (g *Given) trap(m *trace.Matrix, key, domain string, nodes []int) Cause {
	c := Cause{Kind: spreadTrap, Topology: key, Domain: domain}
	for _, i := range nodes {
		c.Nodes = append(c.Nodes, m.Nodes[i])
	}
	where := phrase.New("%s %s", key[strings.LastIndex(key, "/")+1:], domain)
	if key == corev1.LabelHostname {
		where = phrase.New("node %s", domain)
	}
	if len(nodes) > 1 {
		c.Says = phrase.New("%s counts as a domain; %s may use none of its %d nodes", where, g.Pod.Name(), len(nodes))
		return c
	}
	n := g.node(m, nodes[0])
	of := n.Name
	if key == corev1.LabelHostname { // the domain is the node
		switch {
		case failure(m, nodes[0], taints) != nil && len(g.untolerated(n)) > 0:
			c.Taint = cluster.TaintText(&g.untolerated(n)[0])
			c.Says = phrase.New("%s counts as a domain; it has the taint %s, which %s does not tolerate", where, c.Taint,
				g.Pod.Name())
		case failure(m, nodes[0], cordon) != nil:
			c.Says = phrase.New("%s counts as a domain; it is cordoned", where)
		default:
			c.Says = phrase.New("%s counts as a domain; the node selection of %s leaves it out", where, g.Pod.Name())
		}
		return c
	}
	switch {
	case failure(m, nodes[0], taints) != nil && len(g.untolerated(n)) > 0:
		c.Taint = cluster.TaintText(&g.untolerated(n)[0])
		c.Says = phrase.New("%s counts as a domain; its only node %s has the taint %s, which %s does not tolerate", where, of,
			c.Taint, g.Pod.Name())
	case failure(m, nodes[0], cordon) != nil:
		c.Says = phrase.New("%s counts as a domain; its only node %s is cordoned", where, of)
	default:
		c.Says = phrase.New("%s counts as a domain; the node selection of %s leaves its only node %s out", where,
			g.Pod.Name(), of)
	}
	return c
}

// conditions are the nodes that nothing rejects but a taint for a condition, with the message of the condition.
func (g *Given) conditions(m *trace.Matrix) []Cause {
	var all []Cause
	for i := range m.Nodes {
		of := m.OnNode(i)
		n := g.node(m, i)
		if n == nil || len(of) != 1 || m.Plugins[of[0].Plugin] != taints {
			continue
		}
		c, is := g.condition(n)
		if !is {
			continue
		}
		same := slices.IndexFunc(all, func(o Cause) bool {
			return o.Condition == c.Condition && o.Reason == c.Reason && o.Message == c.Message
		})
		if same < 0 {
			same = len(all)
			all = append(all, c)
		}
		all[same].Nodes = append(all[same].Nodes, n.Name)
	}
	for i := range all {
		all[i].Says = sayCondition(&all[i])
	}
	return all
}

// condition is the one condition behind all taints that keep the pod off a node; false where there are others too.
func (g *Given) condition(n *cluster.Node) (c Cause, is bool) {
	for _, t := range g.untolerated(n) {
		kind, known := owner.ConditionOf(t.Key)
		if !known || owner.OfTaint(t.Key) != owner.NodeLifecycle || is && c.Condition != string(kind) {
			return c, false
		}
		c, is = Cause{Kind: nodeCondition, Condition: string(kind), Taint: cluster.TaintText(&t)}, true
	}
	if !is {
		return c, false
	}
	for _, of := range n.API.Status.Conditions {
		if string(of.Type) == c.Condition {
			c.Reason, c.Message = of.Reason, of.Message
			return c, (of.Status == corev1.ConditionTrue) != (of.Type == corev1.NodeReady)
		}
	}
	return c, false
}

// nodesAre is what a condition means for nodes, in words.
func nodesAre(condition corev1.NodeConditionType, nodes []string) phrase.Phrase {
	named, one := listed(nodes), len(nodes) == 1
	switch condition {
	case corev1.NodeMemoryPressure:
		return phrase.New("little memory is left on %s (MemoryPressure)", named)
	case corev1.NodeDiskPressure:
		return phrase.New("little disk is left on %s (DiskPressure)", named)
	case corev1.NodePIDPressure:
		return phrase.New("few process IDs are left on %s (PIDPressure)", named)
	case corev1.NodeNetworkUnavailable:
		return phrase.New("no network is there yet on %s (NetworkUnavailable)", named)
	}
	if one {
		return phrase.New("%s is not ready", named)
	}
	return phrase.New("%s are not ready", named)
}

func sayCondition(c *Cause) phrase.Phrase {
	said := nodesAre(corev1.NodeConditionType(c.Condition), c.Nodes)
	switch {
	case c.Message != "":
		return phrase.New("%s: %s", said, c.Message)
	case c.Reason != "":
		return phrase.New("%s: %s", said, c.Reason)
	}
	return said
}

// hasLabel reports whether a node has a label with a value, which may be empty.
func hasLabel(n *cluster.Node, key, value string) bool {
	has, is := n.API.Labels[key]
	return is && has == value
}

// labels is the label of the node selector that no node has.
func (g *Given) labels(m *trace.Matrix) []Cause {
	var missing []string
	for key, value := range g.Pod.API.Spec.NodeSelector {
		has := slices.ContainsFunc(m.Nodes, func(name string) bool {
			n, is := g.State.Snapshot().Node(name)
			return is && n.Index() >= 0 && hasLabel(n, key, value)
		})
		if !has {
			missing = append(missing, key+"="+value)
		}
	}
	slices.Sort(missing)
	if len(missing) == 0 || len(m.Nodes) == 0 || failure(m, 0, affinity) == nil {
		return nil
	}
	return []Cause{{
		Kind: noLabel, Label: missing[0],
		Says: phrase.New("no node has the label %s, which its node selector requires", missing[0]),
	}}
}
