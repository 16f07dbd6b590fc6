package noderesources

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// column is one resource that takes part in a score, with what the pod adds to it.
type column struct {
	resource
	request int64
	fleet   *fleet // the devices that count where the node's own amount is 0; nil: none
}

// columnsOf pairs resources with the pod's requests. A scalar resource that the pod does not request takes no part.
func columnsOf(
	resources []resource, requests *cluster.Resources, objects *cluster.Objects, compiler compiler,
) []column {
	columns := make([]column, 0, len(resources))
	for _, r := range resources {
		request := r.of(requests)
		if r.kind == scalar && request == 0 {
			continue
		}
		c := column{resource: r, request: request}
		if r.kind == scalar {
			c.fleet = compiler.fleetFor(r.name, objects)
		}
		columns = append(columns, c)
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
			used, capacity := c.counted(node)
			if capacity == 0 {
				continue
			}
			if score := s.rate.of(used+c.request, capacity); s.rate.counts(score) {
				weighted += score * c.weight
				weights += c.weight
			}
		}
		raw[k] = s.rate.mean(weighted, weights)
	}
	return trace.Verdict{}
}

// counted is what the node has, and what its pods count for: CPU and memory with the defaults for containers that
// request none.
func (c *column) counted(node *cluster.Node) (used, capacity int64) {
	switch c.kind {
	case cpu:
		return node.NonZeroCPU, node.Allocatable.MilliCPU
	case memory:
		return node.NonZeroMem, node.Allocatable.Memory
	}
	return c.requested(node)
}

// requested is what the node has, and what its pods request of it.
func (c *column) requested(node *cluster.Node) (used, capacity int64) {
	if capacity = c.of(&node.Allocatable); capacity == 0 && c.fleet != nil {
		capacity, used = c.fleet.on(node)
		return used, capacity
	}
	return c.of(&node.Requested), capacity
}

// Normalize leaves the scores alone: they are 0 to 100 already.
func (s *fitScorer) Normalize(_ []*cluster.Node, _ []int64) trace.Verdict { return trace.Verdict{} }

// Why lists for each resource that takes part the amounts and the rating they give.
func (s *fitScorer) Why(node *cluster.Node) []trace.Evidence {
	var why []trace.Evidence
	for i := range s.columns {
		c := &s.columns[i]
		used, capacity := c.counted(node)
		if capacity == 0 {
			continue
		}
		score := s.rate.of(used+c.request, capacity)
		what := phrase.Textf("%s by %s, weight %d", string(c.name), string(s.rate.strategy), c.weight)
		if !s.rate.counts(score) {
			what = phrase.Textf("%s by %s, left out", string(c.name), string(s.rate.strategy))
		}
		why = append(why, c.amounts(used, capacity), trace.Evidence{What: what, Have: trace.Count(score)})
	}
	return why
}

// amounts is the comparison of the pod's request with the node.
func (c *column) amounts(used, capacity int64) trace.Evidence {
	return trace.Evidence{
		Topic: trace.OfResource, What: phrase.Text(c.name), Want: c.value(c.request), Have: c.value(capacity - used),
		Used:     c.value(used),
		Capacity: c.value(capacity),
	}
}
