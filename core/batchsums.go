package core

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// batchSums is how the totals of kept scores came about. When a node joins them and no raw score comes to another
// normalised one by that, all other totals stay as they are. It is for score plugins whose scores may be kept
// (framework.KeepScores): they normalise by which raw scores there are.
type batchSums struct{ of []batchSum } // by score plugin

// batchSum is the raw scores that one plugin gave.
type batchSum struct {
	skipped    bool
	raw        []int64 // each once
	normalized []int64 // what each of them counts for in the totals
	nodes      []int   // how many nodes have it
}

// drop takes out a node that is no longer among the scores.
func (s *batchSums) drop(n *batchNode) {
	if s == nil {
		return
	}
	for i := range s.of {
		if sum := &s.of[i]; !sum.skipped {
			sum.nodes[slices.Index(sum.raw, n.raw[i])]--
		}
	}
}

// batchNodes are the nodes of kept scores, with room for one more; missing is one that is not there any more.
func (c *cycle) batchNodes(kept *batchScores) (nodes []*cluster.Node, missing string) {
	nodes = make([]*cluster.Node, len(kept.nodes), len(kept.nodes)+1)
	for i := range kept.nodes {
		n := &kept.nodes[i]
		if at := int(n.place); at >= 0 && at < len(c.snapshot.Nodes) && c.snapshot.Names[at] == n.name {
			nodes[i] = c.snapshot.Nodes[at]
			continue
		}
		node, known := c.snapshot.Node(n.name)
		if !known {
			return nil, n.name
		}
		if nodes[i] = node; !kept.shared {
			n.place = int32(node.Index())
		}
	}
	return nodes, ""
}

// sumsOf finds out how the totals of all nodes came about; nil when a plugin's scores do not follow from sums.
func (c *cycle) sumsOf(all scoreHeap, scorings []framework.Scoring, nodes []*cluster.Node) *batchSums {
	s := &batchSums{of: make([]batchSum, len(scorings))}
	for i, scoring := range scorings {
		sum := &s.of[i]
		if sum.skipped = scoring.Scorer == nil; sum.skipped {
			continue
		}
		if c.recalled == nil || c.recalled.Strip(i, scoring.Scorer) == nil {
			return nil
		}
		for k := range all {
			sum.add(all[k].raw[i])
		}
		sum.normalized = slices.Clone(sum.raw)
		if v := scoring.Scorer.Normalize(nodes[:len(sum.raw)], sum.normalized); v.Code != trace.Success {
			return nil
		}
	}
	return s
}

func (s *batchSum) add(raw int64) {
	at := slices.Index(s.raw, raw)
	if at < 0 {
		at = len(s.raw)
		s.raw, s.nodes = append(s.raw, raw), append(s.nodes, 0)
	}
	s.nodes[at]++
}

// addUp works out the total of a node that joins the others; false, and nothing has happened, when the totals of the
// others may change by that, or a score leaves the scale.
func (c *cycle) addUp(s *batchSums, scorings []framework.Scoring, nodes []*cluster.Node, n *batchNode) bool {
	joined := make([]batchSum, len(s.of))
	for i, scoring := range scorings {
		sum := &s.of[i]
		if sum.skipped != (scoring.Scorer == nil) {
			return false
		}
		if sum.skipped {
			joined[i].skipped = true
			continue
		}
		if c.recalled == nil || c.recalled.Strip(i, scoring.Scorer) == nil {
			return false
		}
		after := &joined[i]
		for k, nodes := range sum.nodes {
			if nodes > 0 {
				after.raw, after.nodes = append(after.raw, sum.raw[k]), append(after.nodes, nodes)
			}
		}
		after.add(n.raw[i])
		after.normalized = slices.Clone(after.raw)
		if v := scoring.Scorer.Normalize(nodes[:len(after.raw)], after.normalized); v.Code != trace.Success {
			return false
		}
		for k, score := range after.normalized {
			at := slices.Index(sum.raw, after.raw[k])
			there := at >= 0 && sum.nodes[at] > 0
			if score < 0 || score > c.profile.Behaviour.Scale.Max || there && sum.normalized[at] != score {
				return false
			}
			if after.raw[k] == n.raw[i] {
				n.total += score * c.profile.Score[i].Weight
			}
		}
	}
	s.of = joined
	return true
}
