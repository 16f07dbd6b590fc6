package dynamicresources

import (
	"fmt"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// PreScore is for pods that use no devices, and for profiles that do not filter with this plugin: every node gets 0.
func (p *Plugin) PreScore(_ *cluster.Pod, _ *cluster.Snapshot, _ []*cluster.Node) framework.Scoring {
	return framework.Scoring{Scorer: nothing{}}
}

// nothing gives every node 0.
type nothing struct{}

// Score leaves the zeros.
func (nothing) Score(_ []*cluster.Node, _ []int64) trace.Verdict { return trace.Verdict{} }

// Normalize leaves the zeros.
func (nothing) Normalize(_ []*cluster.Node, _ []int64) trace.Verdict { return trace.Verdict{} }

// Rank scores by the devices that were found while filtering: of a request with alternatives, the earlier the one that
// was met, the better.
func (c *check) Rank(_ []*cluster.Node) framework.Scoring {
	return framework.Scoring{Scorer: &scorer{c}}
}

type scorer struct{ check *check }

// Score adds up, over all requests with alternatives, FirstAvailableDeviceRequestMaxSize less the place of the one met.
func (s *scorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	for i, node := range nodes {
		for _, met := range s.check.met(node) {
			if met.err != nil {
				return broken(met.err)
			}
			raw[i] += met.score()
		}
	}
	return trace.Verdict{}
}

// Normalize scales to the best node.
func (s *scorer) Normalize(_ []*cluster.Node, scores []int64) trace.Verdict {
	framework.DefaultNormalize(scores)
	return trace.Verdict{}
}

// Why lists the alternatives that were met.
func (s *scorer) Why(node *cluster.Node) []trace.Evidence {
	var evidence []trace.Evidence
	for _, met := range s.check.met(node) {
		if met.err != nil {
			continue
		}
		evidence = append(evidence, trace.Evidence{
			What: phrase.Textf("claim %s request %s", cluster.Key(met.claim), met.request.Name),
			Want: trace.Text(met.request.FirstAvailable[0].Name), Have: trace.Text(met.request.FirstAvailable[met.place].Name),
			Used: trace.Count(met.score()), Capacity: trace.Count(resourcev1.FirstAvailableDeviceRequestMaxSize),
		})
	}
	return evidence
}

// alternative is a request with alternatives and which of them was met.
type alternative struct {
	claim   *resourcev1.ResourceClaim
	request *resourcev1.DeviceRequest
	place   int
	err     error
}

func (a *alternative) score() int64 {
	return int64(resourcev1.FirstAvailableDeviceRequestMaxSize - a.place)
}

// met lists the alternatives met on a node; none when nothing was allocated there.
func (c *check) met(node *cluster.Node) []alternative {
	a := c.answers[node.Index()]
	if a == nil || a.allocations == nil {
		return nil
	}
	if c.plugin.ways.ScoreCountsEveryClaim {
		return c.metByPlace(a)
	}
	var met []alternative
	next := 0
	for i := range c.needs {
		claim := c.needs[i].claim
		allocation := claim.Status.Allocation
		if allocation == nil {
			if next >= len(a.allocations) {
				return []alternative{{err: fmt.Errorf(
					"number of allocations %d is smaller than number of claims needing allocation", len(a.allocations),
				)}}
			}
			allocation = &a.allocations[next]
			next++
		}
		met = appendMet(met, claim, allocation)
	}
	return met
}

// metByPlace takes the allocations for those of the first claims, as many as there are.
func (c *check) metByPlace(a *answer) []alternative {
	var met []alternative
	for i := range c.needs {
		if i >= len(a.allocations) {
			return []alternative{{err: fmt.Errorf(
				"number of allocations %d is smaller than number of claims", len(a.allocations),
			)}}
		}
		met = appendMet(met, c.needs[i].claim, &a.allocations[i])
	}
	return met
}

func appendMet(
	met []alternative, claim *resourcev1.ResourceClaim, allocation *resourcev1.AllocationResult,
) []alternative {
	for i := range claim.Spec.Devices.Requests {
		request := &claim.Spec.Devices.Requests[i]
		for place := range request.FirstAvailable {
			reference := resourceclaim.CreateSubRequestRef(request.Name, request.FirstAvailable[place].Name)
			if slices.ContainsFunc(allocation.Devices.Results, func(r resourcev1.DeviceRequestAllocationResult) bool {
				return r.Request == reference
			}) {
				met = append(met, alternative{claim: claim, request: request, place: place})
			}
		}
	}
	return met
}
