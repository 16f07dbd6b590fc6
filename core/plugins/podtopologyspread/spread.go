package podtopologyspread

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

var _ framework.Spreader = (*check)(nil)

// Spreads are the DoNotSchedule constraints of the pod, in its order; of each the domains with a node that takes part,
// by name.
func (f *check) Spreads() []trace.Spread {
	all := make([]trace.Spread, len(f.tallies))
	for k := range f.tallies {
		own, t := &f.census.constraints[k], &f.tallies[k]
		least, _ := f.minimum(k)
		s := trace.Spread{
			Topology: own.key, MaxSkew: int64(own.maxSkew), Fewest: least, MinDomains: int64(own.minDomains),
			Self: int64(t.self),
		}
		for d, name := range f.census.topologies[k].Values {
			if t.counts[d] != absent {
				s.Domains = append(s.Domains, trace.Domain{Name: name, Pods: f.count(k, int32(d))})
			}
		}
		slices.SortFunc(s.Domains, func(a, b trace.Domain) int { return strings.Compare(a.Name, b.Name) })
		all[k] = s
	}
	return all
}
