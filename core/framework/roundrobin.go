package framework

import (
	"cmp"
	"slices"
)

// RoundRobin takes the nodes with the highest total in turn: they are sorted by their names, the last of the alphabet
// first, and the number of hosts picked before says which is next (1.10 and earlier).
type RoundRobin struct{}

// Pick takes the remainder of Before by the number of the best nodes.
func (RoundRobin) Pick(c *Contest) (host int, how string) {
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
