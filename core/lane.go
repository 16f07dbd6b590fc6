package core

import (
	"slices"

	"github.com/schedstep/schedstep/core/framework"
)

// lane is a profile with what every cycle under it needs to know, worked out once.
type lane struct {
	*framework.Profile
	filters   []string // names of Profile.Filter
	seats     []int    // for each of Profile.PreFilter its place in Profile.Filter; -1: it does not filter
	unstudied []int    // places in Profile.Filter of those that are not in Profile.PreFilter
	reserves  []int    // for each of Profile.Reserve its place in Profile.Filter; -1: it does not filter
	studies   [][]int  // for each of Profile.PreScore its places in Profile.Score
	scores    []int    // for each of Profile.Score its place in Profile.Filter; -1: it does not filter

	index   int                // of the lane
	signers []framework.Signer // nil: no pod of the profile can be signed
}

// solo is the lane for a member of a group that is tried for itself: it makes no room, and waits for no other pod.
func (l *lane) solo() *lane {
	alone, p := *l, *l.Profile
	p.PostFilter, p.Permit = nil, nil
	alone.Profile = &p
	return &alone
}

func newLane(p *framework.Profile) *lane {
	l := &lane{Profile: p, signers: signersOf(p)}
	for _, f := range p.Filter {
		l.filters = append(l.filters, f.Name())
	}
	studied := make([]bool, len(p.Filter))
	for _, pre := range p.PreFilter {
		seat := -1
		for i, name := range l.filters {
			if name == pre.Name() {
				seat, studied[i] = i, true
			}
		}
		l.seats = append(l.seats, seat)
	}
	for i, done := range studied {
		if !done {
			l.unstudied = append(l.unstudied, i)
		}
	}
	for _, r := range p.Reserve {
		l.reserves = append(l.reserves, slices.Index(l.filters, r.Name()))
	}
	for _, pre := range p.PreScore {
		var places []int
		for i, s := range p.Score {
			if s.Name() == pre.Name() {
				places = append(places, i)
			}
		}
		l.studies = append(l.studies, places)
	}
	for _, s := range p.Score {
		l.scores = append(l.scores, slices.Index(l.filters, s.Name()))
	}
	return l
}
