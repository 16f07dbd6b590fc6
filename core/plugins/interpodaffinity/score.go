package interpodaffinity

import (
	"math"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// PreScore adds up points by domain: the pod's own preferred terms for every pod they are about, and, for every pod
// whose terms are about this one, its preferred terms and a fixed weight for its required affinity. It is skipped when
// nothing came together, be the sum 0 or not.
func (p *Plugin) PreScore(pod *cluster.Pod, snapshot *cluster.Snapshot, _ []*cluster.Node) framework.Scoring {
	if p.ownOnly && !hasPreferences(pod) {
		return framework.Scoring{Verdict: trace.Verdict{Code: trace.Skip}}
	}
	if pod.Affinity != nil && pod.Affinity.Err != nil {
		return framework.Scoring{Verdict: trace.Verdict{
			Code: trace.Error, Reasons: []string{"failed to parse pod: " + pod.Affinity.Err.Error()},
		}}
	}
	s := &scorer{snapshot: snapshot, zero: p.ways.ScoresStretchFromZero}
	p.addOwn(s, "preferred affinity to %s", pod.PreferredAffinity, 1)
	p.addOwn(s, "preferred anti-affinity to %s", pod.PreferredAntiAffinity, -1)
	p.addOthers(s, pod)
	if len(s.columns) == 0 {
		return framework.Scoring{Verdict: trace.Verdict{Code: trace.Skip}}
	}
	return framework.Scoring{Scorer: s}
}

func hasPreferences(pod *cluster.Pod) bool {
	a := pod.API.Spec.Affinity
	return a != nil && (a.PodAffinity != nil && len(a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution) > 0 ||
		a.PodAntiAffinity != nil && len(a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution) > 0)
}

// scorer adds up the columns.
type scorer struct {
	snapshot *cluster.Snapshot
	columns  []column
	zero     bool // is among the scores when they are stretched
}

// column is the points of one of the pod's own terms, or of all other pods' terms with one topology key. There is none
// without a pod in some domain.
type column struct {
	topology *cluster.Topology
	points   []int64 // by domain
	weight   int64   // of the own term, negative for anti-affinity; 0 for others' terms
	what     phrase.Text
}

var _ framework.Reasoner = (*scorer)(nil)

// addOwn makes a column for each of the pod's own terms; sign is 1, or -1 for anti-affinity.
func (p *Plugin) addOwn(s *scorer, what string, terms []cluster.WeightedAffinityTerm, sign int64) {
	for i := range terms {
		term := &terms[i]
		c := column{topology: s.snapshot.Topology(term.TopologyKey), weight: sign * int64(term.Weight)}
		w := p.wish(&term.AffinityTerm, s.snapshot.Objects())
		w.eachSet(s.snapshot, func(set *cluster.LabelSet) {
			s.snapshot.EachNodeOf(set, func(node int, count, _ int32) bool {
				c.add(node, c.weight*int64(count))
				return true
			})
		})
		if c.points != nil {
			c.what = phrase.Textf(what, term.Text)
			s.columns = append(s.columns, c)
		}
	}
}

// addOthers adds the points of the terms of pods that are placed, as far as they are about the pod.
func (p *Plugin) addOthers(s *scorer, pod *cluster.Pod) {
	own := len(s.columns)
	namespaceLabels := s.snapshot.NamespaceLabels(pod.Namespace())
	s.snapshot.EachAffinity(pod.Namespace(), func(set *cluster.AffinitySet) bool {
		add := func(term *cluster.AffinityTerm, weight int64) {
			if term.Matches(pod.Labels, namespaceLabels) {
				s.addOther(own, set, term.TopologyKey, weight)
			}
		}
		if p.hardWeight > 0 {
			for i := range set.RequiredAffinity {
				add(&set.RequiredAffinity[i], p.hardWeight)
			}
		}
		for i := range set.PreferredAffinity {
			add(&set.PreferredAffinity[i].AffinityTerm, int64(set.PreferredAffinity[i].Weight))
		}
		for i := range set.PreferredAntiAffinity {
			add(&set.PreferredAntiAffinity[i].AffinityTerm, -int64(set.PreferredAntiAffinity[i].Weight))
		}
		return true
	})
}

// addOther adds the weight for each pod with the AffinitySet to the key's column; columns before from are own terms'.
func (s *scorer) addOther(from int, set *cluster.AffinitySet, key string, weight int64) {
	k := from
	for k < len(s.columns) && s.columns[k].topology.Key != key {
		k++
	}
	made := column{topology: s.snapshot.Topology(key), what: phrase.Textf("terms of existing pods in topology %s", key)}
	c := &made
	if k < len(s.columns) {
		c = &s.columns[k]
	}
	s.snapshot.EachNodeWith(set, func(node int, count int32) bool {
		c.add(node, weight*int64(count))
		return true
	})
	if k == len(s.columns) && made.points != nil {
		s.columns = append(s.columns, made)
	}
}

// add gives points to the domain of a node, if it is in one.
func (c *column) add(node int, points int64) {
	d := c.topology.Of[node]
	if d < 0 {
		return
	}
	if c.points == nil {
		c.points = make([]int64, len(c.topology.Values))
	}
	c.points[d] += points
}

// Score is the sum of the points of the node's domains; it may be negative.
func (s *scorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	for i, n := range nodes {
		raw[i] = 0
		for k := range s.columns {
			c := &s.columns[k]
			if d := c.topology.Of[n.Index()]; d >= 0 {
				raw[i] += c.points[d]
			}
		}
	}
	return trace.Verdict{}
}

// Normalize stretches the scores so that the lowest becomes 0 and the highest 100; equal scores all become 0.
func (s *scorer) Normalize(_ []*cluster.Node, scores []int64) trace.Verdict {
	lowest, highest := int64(math.MaxInt64), int64(math.MinInt64)
	if s.zero {
		lowest, highest = 0, 0
	}
	for _, score := range scores {
		lowest = min(lowest, score)
		highest = max(highest, score)
	}
	for i, score := range scores {
		stretched := float64(0)
		if highest > lowest {
			stretched = float64(framework.MaxNodeScore) * (float64(score-lowest) / float64(highest-lowest))
		}
		scores[i] = int64(stretched)
	}
	return trace.Verdict{}
}

// Why lists where the node's points come from: each of the pod's own terms with the pods it found in the domain, and
// the terms of existing pods by topology.
func (s *scorer) Why(n *cluster.Node) []trace.Evidence {
	var out []trace.Evidence
	for k := range s.columns {
		c := &s.columns[k]
		d := c.topology.Of[n.Index()]
		if d < 0 {
			continue
		}
		e := trace.Evidence{What: phrase.Textf("%s=%s", c.what, c.topology.Values[d]), Have: trace.Count(c.points[d])}
		if c.weight != 0 {
			e.What = phrase.Textf("%s, weight %d", e.What, c.weight)
			e.Used = trace.Count(c.points[d] / c.weight)
		}
		out = append(out, e)
	}
	return out
}
