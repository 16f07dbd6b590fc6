package core

import (
	"slices"

	"github.com/schedstep/schedstep/core/framework"
)

// Reweigh makes a score plugin count for so much, 1 or more, in every profile that asks it; false when none does.
func (s *Scheduler) Reweigh(plugin string, weight int64) bool {
	known := false
	lanes := make([]*lane, len(s.lanes))
	for i, l := range s.lanes {
		lanes[i] = l
		at := slices.IndexFunc(l.Score, func(w framework.WeightedScore) bool { return w.Name() == plugin })
		if at < 0 {
			continue
		}
		known = true
		profile := *l.Profile
		profile.Score = slices.Clone(l.Score)
		profile.Score[at].Weight = weight
		lanes[i] = newLane(&profile)
		lanes[i].index = i
	}
	s.decideBy(lanes)
	return known
}
