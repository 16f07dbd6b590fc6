package podtopologyspread

import "github.com/schedstep/schedstep/core/framework"

var _ framework.Regional = (*check)(nil)

// Regions are the domains of the only constraint there is.
func (f *check) Regions() (of []int32, count int) {
	if len(f.census.topologies) != 1 {
		return nil, 0
	}
	return f.census.topologies[0].Of, len(f.census.topologies[0].Values)
}
