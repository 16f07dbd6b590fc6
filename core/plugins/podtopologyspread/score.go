package podtopologyspread

import (
	"math"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// PreScore counts the matching pods by domain for every ScheduleAnyway constraint; a pod without one is skipped. Under
// Kubernetes' own defaults a node may lack a topology key, so that pods spread over hosts in a cluster without zones.
func (p *Plugin) PreScore(pod *cluster.Pod, snapshot *cluster.Snapshot, feasible []*cluster.Node) framework.Scoring {
	if len(snapshot.Nodes) == 0 {
		return framework.Scoring{Verdict: trace.Verdict{Code: trace.Skip}}
	}
	constraints, err := p.soft(pod, snapshot.Objects())
	if err != nil {
		return framework.Scoring{
			Verdict: trace.Verdict{Code: trace.Error, Reasons: []string{"calculating preScoreState: " + err.Error()}},
		}
	}
	if len(constraints) == 0 {
		return framework.Scoring{Verdict: trace.Verdict{Code: trace.Skip}, Scorer: alike{}}
	}
	own := len(pod.API.Spec.TopologySpreadConstraints) > 0
	rule := everyKey
	if !own && p.system {
		rule = anyKey
	}
	s := &scorer{
		cut: p.ways.ScoreFractionsCut, census: newCensus(pod, snapshot, constraints, rule),
		columns: make([]column, len(constraints)),
	}
	s.weigh(feasible)
	var sets []*cluster.LabelSet
	for k := range s.columns {
		if own || k == 0 { // default constraints have one selector
			sets = s.census.matching(constraints[k].selector)
		}
		s.columns[k].fill(s.census, k, sets)
	}
	return framework.Scoring{Scorer: s}
}

// alike scores the nodes of a pod without constraints where such a pod is scored.
type alike struct{}

// Score is 0.
func (alike) Score(_ []*cluster.Node, raw []int64) trace.Verdict {
	clear(raw)
	return trace.Verdict{}
}

// Normalize is 100: nowhere are fewer pods.
func (alike) Normalize(_ []*cluster.Node, scores []int64) trace.Verdict {
	for i := range scores {
		scores[i] = framework.MaxNodeScore
	}
	return trace.Verdict{}
}

// scorer adds up, over the constraints, the pods in a node's domain times the constraint's weight.
type scorer struct {
	census  *census
	columns []column // by constraint
	cut     bool     // what is behind the point, and not rounded
}

// column is one constraint's part in the scores.
type column struct {
	weight  float64 // ln(domains + 2): counts in few large domains must not drown those in many small ones
	counts  []int32 // pods by domain; nil for a constraint on hosts, which is counted on each node
	matches []bool  // whether a LabelSet matches, by ID; nil unless on hosts
}

var _ framework.Reasoner = (*scorer)(nil)

// weigh finds each constraint's weight from the number of domains that feasible nodes are in. Nodes without the key
// count as one domain where they are scored at all.
func (s *scorer) weigh(feasible []*cluster.Node) {
	scored := 0
	for _, n := range feasible {
		if !s.ignores(n) {
			scored++
		}
	}
	for k := range s.columns {
		size := scored
		if s.census.constraints[k].key != corev1.LabelHostname {
			size = s.domainsOf(k, feasible)
		}
		s.columns[k].weight = math.Log(float64(size + 2))
	}
}

// domainsOf counts the different values of the constraint's key on the scored nodes, no label being the empty value.
func (s *scorer) domainsOf(k int, nodes []*cluster.Node) int {
	topology := s.census.topologies[k]
	seen := make([]bool, len(topology.Values)+1)
	blank := int32(len(topology.Values))
	if !topology.Complete {
		if d := topology.Domain(""); d >= 0 {
			blank = int32(d)
		}
	}
	size := 0
	for _, n := range nodes {
		if s.ignores(n) {
			continue
		}
		d := topology.Of[n.Index()]
		if d < 0 {
			d = blank
		}
		if !seen[d] {
			seen[d] = true
			size++
		}
	}
	return size
}

// ignores reports whether a node gets no score because it lacks a topology key.
func (s *scorer) ignores(n *cluster.Node) bool {
	return s.census.partial && !s.census.hasEveryKey(n.Index())
}

func (c *column) fill(from *census, k int, sets []*cluster.LabelSet) {
	if from.constraints[k].key == corev1.LabelHostname {
		c.matches = make([]bool, from.snapshot.LabelSets())
		for _, set := range sets {
			c.matches[set.ID] = true
		}
		return
	}
	topology := from.topologies[k]
	c.counts = make([]int32, len(topology.Values))
	from.count(k, sets, c.counts)
	if topology.Complete || from.partial {
		return
	}
	if blank := topology.Domain(""); blank >= 0 {
		c.countUnlabelled(from, k, sets, int32(blank))
	}
}

// countUnlabelled adds the pods on nodes without the key to the domain of the empty value, with which kube-scheduler
// mixes them up.
func (c *column) countUnlabelled(from *census, k int, sets []*cluster.LabelSet, blank int32) {
	of := from.topologies[k].Of
	for _, set := range sets {
		from.snapshot.EachNodeOf(set, func(node int, count, terminating int32) bool {
			if of[node] < 0 && from.includes(k, node) {
				c.counts[blank] += count - terminating
			}
			return true
		})
	}
}

// Score is the rounded sum over the constraints; less is better.
func (s *scorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	for i, n := range nodes {
		raw[i] = 0
		if s.ignores(n) {
			continue
		}
		var score float64
		for k := range s.columns {
			if s.census.topologies[k].Of[n.Index()] >= 0 {
				score += credit(s.pods(k, n), s.census.constraints[k].maxSkew, s.columns[k].weight)
			}
		}
		if s.cut {
			raw[i] = int64(score)
			continue
		}
		raw[i] = int64(math.Round(score))
	}
	return trace.Verdict{}
}

// credit is what a domain's pods count for. The allowed skew is added so that differences it permits weigh less.
func credit(pods int64, maxSkew int32, weight float64) float64 {
	return float64(pods)*weight + float64(maxSkew-1)
}

// pods is how many matching pods the node's domain has; on hosts those of the node itself, whatever its taints.
func (s *scorer) pods(k int, n *cluster.Node) int64 {
	c := &s.columns[k]
	if c.matches == nil {
		return int64(c.counts[s.census.topologies[k].Of[n.Index()]])
	}
	var pods int32
	for i := range n.Sets {
		if set := &n.Sets[i]; c.matches[set.Set.ID] {
			pods += set.Count - set.Terminating
		}
	}
	return int64(pods)
}

// Normalize turns few pods into a high score: the best node gets 100 and the worst what is between them.
func (s *scorer) Normalize(nodes []*cluster.Node, scores []int64) trace.Verdict {
	lowest, highest := int64(math.MaxInt64), int64(0)
	for i, n := range nodes {
		if s.ignores(n) {
			continue
		}
		lowest = min(lowest, scores[i])
		highest = max(highest, scores[i])
	}
	for i, n := range nodes {
		switch {
		case s.ignores(n):
			scores[i] = 0
		case highest == 0:
			scores[i] = framework.MaxNodeScore
		default:
			scores[i] = framework.MaxNodeScore * (highest + lowest - scores[i]) / highest
		}
	}
	return trace.Verdict{}
}

// Why lists, for each constraint, the matching pods in the node's domain, or the label that the node lacks.
func (s *scorer) Why(n *cluster.Node) []trace.Evidence {
	out := make([]trace.Evidence, 0, len(s.columns))
	for k := range s.columns {
		key := s.census.constraints[k].key
		d := s.census.topologies[k].Of[n.Index()]
		if d < 0 {
			out = append(out, trace.Evidence{What: "topology label", Want: trace.Text(key), Have: trace.Words("no such label")})
			continue
		}
		out = append(out, trace.Evidence{
			What: phrase.Textf("matching pods in domain %s=%s", key, s.census.topologies[k].Values[d]),
			Have: trace.Count(s.pods(k, n)),
		})
	}
	return out
}
