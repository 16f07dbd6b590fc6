package core

import (
	"slices"

	"github.com/schedstep/schedstep/core/framework"
)

// Scorers are the names of the plugins that score in any profile, by name.
func (s *Scheduler) Scorers() []string {
	var all []string
	for _, l := range s.lanes {
		for _, w := range l.Score {
			all = append(all, w.Name())
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Reweigh makes a score plugin count for so much, 1 or more, in every profile that has it; false when none does.
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
