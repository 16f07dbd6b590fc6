package predicates

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Affinity is MatchInterPodAffinity. Each term of a pod is judged for itself: different pods may satisfy different
// terms, and a term that selects the pod itself is passed over while no other pod satisfies it.
func Affinity(ways Ways) *Plugin {
	return Of(affinityName, ways, affinity{ways.AffinitySearchesAllNodes})
}

const affinityName = "MatchInterPodAffinity"

type affinity struct{ anywhere bool }

// Name is MatchInterPodAffinity.
func (affinity) Name() string { return affinityName }

// PreFilter counts, for every term, the pods in each domain that it is about.
func (a affinity) PreFilter(pod *cluster.Pod, snapshot *cluster.Snapshot) framework.Study {
	c := &affinityCheck{pod: pod, snapshot: snapshot, anywhere: a.anywhere}
	if set := pod.Affinity; set != nil {
		c.unread = set.RequiredAffinityErr
		c.unreadAway = set.RequiredAntiAffinityErr
	}
	for i := range pod.RequiredAffinity {
		c.near = append(c.near, c.counted(&pod.RequiredAffinity[i]))
	}
	for i := range pod.RequiredAntiAffinity {
		c.away = append(c.away, c.counted(&pod.RequiredAntiAffinity[i]))
	}
	for _, node := range snapshot.Nodes {
		for _, other := range node.WithRequiredAntiAffinity {
			c.shun(other, node)
		}
	}
	return framework.Study{Check: c}
}

// counted is a term with the pods that it is about.
func (c *affinityCheck) counted(term *cluster.AffinityTerm) countedTerm {
	counts := map[string]int64{}
	all := int64(0)
	for _, node := range c.snapshot.Nodes {
		n := int64(0)
		for _, other := range node.Pods {
			if c.about(term, other) {
				n++
			}
		}
		all += n
		if value, has := node.Label(term.TopologyKey); has && n > 0 {
			counts[value] += n
		}
	}
	return countedTerm{AffinityTerm: term, counts: counts, all: all}
}

// countedTerm is a term of the pod with how many pods it is about, in each domain and in all.
type countedTerm struct {
	*cluster.AffinityTerm
	counts map[string]int64
	all    int64
}

// shunning is a placed pod that does not want the pod where its node has the value of a label.
type shunning struct {
	by    *cluster.Pod
	term  *cluster.AffinityTerm
	value string
	has   bool
}

// moved is a pod that came to a node or left it since the counts were made.
type moved struct {
	pod   *cluster.Pod
	node  *cluster.Node
	delta int64
}

// affinityCheck tests first whether placed pods repel the pod, then the pod's affinity, then its anti-affinity
// (InterPodAffinityMatches, 1.10).
type affinityCheck struct {
	pod      *cluster.Pod
	snapshot *cluster.Snapshot
	near     []countedTerm
	away     []countedTerm
	shunning []shunning
	moves    []moved

	unread, unreadAway error // terms that cannot be read
	anywhere           bool  // see Ways.AnyAffinity
}

var _ framework.Disturbable = (*affinityCheck)(nil)

// about reports whether a term of the pod, or of another pod, selects that one. Namespaces have no labels here.
func (c *affinityCheck) about(term *cluster.AffinityTerm, other *cluster.Pod) bool {
	return term.Matches(other.Labels, c.snapshot.NamespaceLabels(other.Namespace()))
}

// shun notes where a placed pod does not want the pod.
func (c *affinityCheck) shun(other *cluster.Pod, node *cluster.Node) {
	for i := range other.RequiredAntiAffinity {
		term := &other.RequiredAntiAffinity[i]
		if c.about(term, c.pod) {
			value, has := node.Label(term.TopologyKey)
			c.shunning = append(c.shunning, shunning{by: other, term: term, value: value, has: has})
		}
	}
}

// Filter judges one node.
func (c *affinityCheck) Filter(node *cluster.Node) trace.Verdict {
	for i := range c.shunning {
		s := &c.shunning[i]
		if s.term.TopologyKey == "" {
			return c.keyless(reasonExistingAway, "E"+noKey, s.term)
		}
		if value, has := node.Label(s.term.TopologyKey); has && s.has && value == s.value {
			return rejectedBy(reasonExistingAway, trace.Evidence{
				What: phrase.Textf("anti-affinity of an existing pod to %s=%s", s.term.Text, value), Want: trace.Words("no pod"),
				By: []string{s.by.Key},
			})
		}
	}
	if c.unread != nil {
		if c.anywhere {
			return rejectedBy(reasonNear, trace.Evidence{What: "affinity", Have: trace.Text(c.unread.Error())})
		}
		return broken(c.unread.Error())
	}
	for i := range c.near {
		if c.near[i].TopologyKey == "" {
			return c.keyless(reasonNear, c.cannot(node, c.near[i].API), c.near[i].AffinityTerm)
		}
		if v := c.isNear(&c.near[i], node); !v.OK() {
			return v
		}
	}
	if c.unreadAway != nil {
		return rejectedBy(reasonAway, trace.Evidence{What: "anti-affinity", Have: trace.Text(c.unreadAway.Error())})
	}
	for i := range c.away {
		t := &c.away[i]
		value, has := node.Label(t.TopologyKey)
		if in, _ := c.count(t, node); t.TopologyKey == "" || has && in > 0 {
			return rejectedBy(reasonAway, trace.Evidence{
				What: phrase.Textf("anti-affinity to %s=%s", t.Text, value), Want: trace.Words("no pod"), Have: trace.Count(in),
			})
		}
	}
	return trace.Verdict{}
}

// noKey is kube-scheduler's message for a term without topology; that of a placed pod's term begins with a capital
// letter.
const noKey = "mpty topologyKey is not allowed except for PreferredDuringScheduling pod anti-affinity"

// keyless is the verdict where a term has no topology: an error in 1.10.
func (c *affinityCheck) keyless(rule, err string, term *cluster.AffinityTerm) trace.Verdict {
	if c.anywhere {
		return rejectedBy(rule, trace.Evidence{
			What: phrase.Textf("topology key of %s", term.Text), Have: trace.Words("none"),
		})
	}
	return broken(err)
}

// cannot is the error about a term of the pod, with the term as Go prints it.
func (c *affinityCheck) cannot(node *cluster.Node, term *corev1.PodAffinityTerm) string {
	selector := "nil"
	if s := term.LabelSelector; s != nil {
		var pairs strings.Builder
		for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
			fmt.Fprintf(&pairs, "%s: %s,", key, s.MatchLabels[key])
		}
		var expressions []string
		for i := range s.MatchExpressions {
			e := &s.MatchExpressions[i]
			expressions = append(expressions, fmt.Sprintf("{%s %s %v}", e.Key, e.Operator, e.Values))
		}
		selector = fmt.Sprintf(
			"&LabelSelector{MatchLabels:map[string]string{%s},MatchExpressions:[%s],}", pairs.String(),
			strings.Join(expressions, " "),
		)
	}
	return fmt.Sprintf(
		"Cannot schedule pod %s onto node %s, because of PodAffinityTerm {%s %v %s}, err: e%s", c.pod.Key, node.Name,
		selector, term.Namespaces, term.TopologyKey, noKey,
	)
}

// isNear wants a pod that the term is about in the node's domain, unless there is none and the pod is one itself.
func (c *affinityCheck) isNear(t *countedTerm, node *cluster.Node) trace.Verdict {
	value, has := node.Label(t.TopologyKey)
	in, all := c.count(t, node)
	switch {
	case has && in > 0, all == 0 && c.about(t.AffinityTerm, c.pod):
		return trace.Verdict{}
	case !has:
		return rejectedBy(reasonNear, trace.Evidence{
			What: phrase.Textf("affinity to %s", t.Text), Want: trace.Words("topology label"),
			Have: trace.Words("no such label"),
		})
	}
	return rejectedBy(reasonNear, trace.Evidence{
		What: phrase.Textf("affinity to %s=%s", t.Text, value), Want: trace.Words("at least 1 pod"), Have: trace.Count(0),
	})
}

// count is how many pods a term is about in the node's domain, and in all. Where the topology is the node, 1.10 looks
// at the node's own pods alone, so that there may be others elsewhere of which it knows nothing.
func (c *affinityCheck) count(t *countedTerm, node *cluster.Node) (in, all int64) {
	if t.TopologyKey == corev1.LabelHostname && !c.anywhere {
		for _, other := range node.Pods {
			if c.about(t.AffinityTerm, other) {
				all++
			}
		}
		if _, has := node.Label(t.TopologyKey); has {
			in = all
		}
		return in, all
	}
	value, has := node.Label(t.TopologyKey)
	if has {
		in = t.counts[value]
	}
	all = t.all
	for i := range c.moves {
		m := &c.moves[i]
		if !c.about(t.AffinityTerm, m.pod) {
			continue
		}
		all += m.delta
		if there, placed := m.node.Label(t.TopologyKey); has && placed && there == value {
			in += m.delta
		}
	}
	return in, all
}

// rejectedBy is the verdict of a rule. In 1.10 it has two reasons, of which the first is the same for all rules.
// Preemption may help whatever the rule.
func rejectedBy(rule string, e trace.Evidence) trace.Verdict {
	return trace.Verdict{
		Code: trace.Unschedulable, Reasons: []string{reasonAffinity, rule}, Evidence: []trace.Evidence{e},
	}
}

// With has a pod more. The pod's own terms are about those in the cache of the scheduler alone: of a pod that is not
// there, because it is only nominated, only its anti-affinity is known.
func (c *affinityCheck) With(pod *cluster.Pod, node *cluster.Node) framework.Check {
	with := *c
	with.shunning = slices.Clip(c.shunning)
	with.shun(pod, node)
	with.moves = slices.DeleteFunc(slices.Clone(c.moves), func(m moved) bool { return m.pod.UID() == pod.UID() })
	return &with
}

// Without has a pod less.
func (c *affinityCheck) Without(pod *cluster.Pod, node *cluster.Node) framework.Check {
	without := *c
	without.shunning = slices.DeleteFunc(slices.Clone(c.shunning), func(s shunning) bool {
		return s.by.UID() == pod.UID()
	})
	without.moves = append(slices.Clip(c.moves), moved{pod, node, -1})
	return &without
}
