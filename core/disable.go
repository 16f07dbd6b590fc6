package core

import (
	"slices"

	"github.com/schedstep/schedstep/core/framework"
)

// Disable takes a plugin out of the cycles of every profile that runs it; false when none does. What the queue uses of
// the plugin stays: its gate, and the events it waits for.
func (s *Scheduler) Disable(plugin string) bool {
	known := false
	lanes := make([]*lane, len(s.lanes))
	for i, l := range s.lanes {
		lanes[i] = l
		profile := *l.Profile
		if !withoutPlugin(&profile, plugin) {
			continue
		}
		known = true
		lanes[i] = newLane(&profile)
		lanes[i].index = i
	}
	s.decideBy(lanes)
	return known
}

// withoutPlugin takes a plugin out of a profile's cycles, and reports whether it was there.
func withoutPlugin(p *framework.Profile, plugin string) bool {
	found := false
	p.PreFilter = without(p.PreFilter, plugin, &found)
	p.Filter = without(p.Filter, plugin, &found)
	p.PostFilter = without(p.PostFilter, plugin, &found)
	p.PreScore = without(p.PreScore, plugin, &found)
	p.Score = without(p.Score, plugin, &found)
	p.Reserve = without(p.Reserve, plugin, &found)
	p.Permit = without(p.Permit, plugin, &found)
	p.PreBind = without(p.PreBind, plugin, &found)
	return found
}

// without is the plugins except for one. found is set when it was among them.
func without[P framework.Plugin](plugins []P, name string, found *bool) []P {
	kept := make([]P, 0, len(plugins))
	for _, p := range plugins {
		if p.Name() == name {
			*found = true
			continue
		}
		kept = append(kept, p)
	}
	return slices.Clip(kept)
}
