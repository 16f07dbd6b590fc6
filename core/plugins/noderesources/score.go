package noderesources

import (
	"fmt"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// column is one resource that takes part in a score, with what the pod adds to it.
type column struct {
	resource
	request int64
}

// columnsOf pairs resources with the pod's requests. A scalar resource that the pod does not request takes no part.
func columnsOf(resources []resource, requests *cluster.Resources) []column {
	columns := make([]column, 0, len(resources))
	for _, r := range resources {
		request := r.of(requests)
		if r.kind == scalar && request == 0 {
			continue
		}
		columns = append(columns, column{resource: r, request: request})
	}
	return columns
}

// fitScorer scores nodes by how full they would be with the pod.
type fitScorer struct {
	rate       rating
	columns    []column
	configured bool // there are resources to score by
}

var _ framework.Reasoner = (*fitScorer)(nil)

// Score is the mean of the resources' ratings by weight. A resource that the node does not have is left out.
func (s *fitScorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	if !s.configured {
		return trace.Verdict{Code: trace.Error, Reasons: []string{"resources not found"}}
	}
	for k, node := range nodes {
		weighted, weights := int64(0), int64(0)
		for i := range s.columns {
			c := &s.columns[i]
			capacity := c.of(&node.Allocatable)
			if capacity == 0 {
				continue
			}
			if score := s.rate.of(c.inUse(node)+c.request, capacity); s.rate.counts(score) {
				weighted += score * c.weight
				weights += c.weight
			}
		}
		raw[k] = s.rate.mean(weighted, weights)
	}
	return trace.Verdict{}
}

// inUse is what the node's pods count for: CPU and memory with the defaults for containers that request none.
func (c *column) inUse(node *cluster.Node) int64 {
	switch c.kind {
	case cpu:
		return node.NonZeroCPU
	case memory:
		return node.NonZeroMem
	}
	return c.of(&node.Requested)
}

// Normalize leaves the scores alone: they are 0 to 100 already.
func (s *fitScorer) Normalize(_ []*cluster.Node, _ []int64) trace.Verdict { return trace.Verdict{} }

// Why lists for each resource that takes part the amounts and the rating they give.
func (s *fitScorer) Why(node *cluster.Node) []trace.Evidence {
	var why []trace.Evidence
	for i := range s.columns {
		c := &s.columns[i]
		capacity := c.of(&node.Allocatable)
		if capacity == 0 {
			continue
		}
		used := c.inUse(node)
		score := s.rate.of(used+c.request, capacity)
		what := fmt.Sprintf("%s by %s, weight %d", c.name, s.rate.strategy, c.weight)
		if !s.rate.counts(score) {
			what = fmt.Sprintf("%s by %s, left out", c.name, s.rate.strategy)
		}
		why = append(why, c.amounts(used, capacity), trace.Evidence{What: what, Have: trace.Count(score)})
	}
	return why
}

// amounts is the comparison of the pod's request with the node.
func (c *column) amounts(used, capacity int64) trace.Evidence {
	return trace.Evidence{
		What: string(c.name), Want: c.value(c.request), Have: c.value(capacity - used), Used: c.value(used), Capacity: c.value(capacity),
	}
}
