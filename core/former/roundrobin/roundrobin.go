// Package roundrobin is the tie-break of kube-scheduler 1.10 and earlier (core/generic_scheduler.go, selectHost). Later
// releases draw at random.
package roundrobin

import (
	"cmp"
	"slices"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// TieBreak takes the nodes with the highest total in turn: they are sorted by their names, the last of the alphabet
// first, and the number of hosts picked before decides which is next (1.10 and earlier).
type TieBreak struct{}

// Pick takes the remainder of Before by the number of the best nodes.
func (TieBreak) Pick(c *framework.Contest) (host int, how trace.Wording) {
	highest := slices.Max(c.Totals)
	var best []int
	for i, total := range c.Totals {
		if total == highest {
			best = append(best, i)
		}
	}
	slices.SortFunc(best, func(a, b int) int { return cmp.Compare(c.Name(b), c.Name(a)) })
	return best[c.Before%uint64(len(best))], "turn"
}
