package interpodaffinity

import "github.com/schedstep/schedstep/core/framework"

var _ framework.Regional = (*check)(nil)

// Regions are the domains of the only topology in which pods were counted.
func (c *check) Regions() (of []int32, count int) {
	if len(c.tallies) == 0 {
		return nil, 0
	}
	topology := c.tallies[0].topology
	for i := range c.tallies {
		if c.tallies[i].topology != topology {
			return nil, 0
		}
	}
	return topology.Of, len(topology.Values)
}
