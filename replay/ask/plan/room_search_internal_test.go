package plan

import (
	"fmt"
	"slices"
	"testing"
)

func TestNoMoreSetsAreKeptThanThereAreRunsFor(t *testing.T) {
	s := &search{ctx: t.Context()} // room for nothing is wanted: every set may do
	for i := range 12 {
		s.movable = append(s.movable, victim{key: fmt.Sprint(i), cost: 7 * i % 5})
	}
	all, whole := s.cheapest(3, mostRuns)
	if len(all) != 220 || !whole || !slices.IsSortedFunc(all, func(a, b []victim) int { return costOf(a) - costOf(b) }) {
		t.Fatalf("%d sets, whole %t", len(all), whole)
	}
	few, whole := s.cheapest(3, 9)
	if len(few) != 9 || whole {
		t.Errorf("%d sets, whole %t", len(few), whole)
	}
	for i := range few {
		for k := range few[i] {
			if few[i][k].key != all[i][k].key {
				t.Errorf("set %d is another one", i)
			}
		}
	}
	if none, whole := s.cheapest(3, 0); len(none) != 0 || whole {
		t.Errorf("%d sets, whole %t", len(none), whole)
	}
}

func TestFewDrawsOfALongPlanAndManyOfAShortOne(t *testing.T) {
	for pods, want := range map[int]trials{
		0: {2 * seeds, mostSeeds}, fewSteps: {2 * seeds, mostSeeds}, fewSteps + 1: {seeds, mostSeeds},
		400: {seeds, 10}, 50_000: {seeds, seeds},
	} {
		if got := trialsOf(pods); got != want {
			t.Errorf("%d pods: %+v, not %+v", pods, got, want)
		}
	}
	for name, c := range map[string]struct {
		isNew, tied bool
		runs        int
	}{"nothing is new": {false, true, seeds}, "all is new": {true, true, 10}, "nothing is tied": {true, false, 0}} {
		runs := 0
		draws(trialsOf(400), func() bool { return c.tied }, func(uint64) (isNew, goOn bool) {
			runs++
			return c.isNew, true
		})
		if runs != c.runs {
			t.Errorf("%s: %d runs, not %d", name, runs, c.runs)
		}
	}
}
