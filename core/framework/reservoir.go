package framework

import "github.com/schedstep/schedstep/core/trace"

// Reservoir chooses each of the nodes with the highest total with the same chance (1.34 and earlier).
type Reservoir struct{}

// Pick draws once for every further node with the highest total.
func (Reservoir) Pick(c *Contest) (host int, how trace.Wording) {
	best, tied := 0, 1
	for i := 1; i < len(c.Totals); i++ {
		switch {
		case c.Totals[i] > c.Totals[best]:
			best, tied = i, 1
		case c.Totals[i] == c.Totals[best]:
			if tied++; c.Draw(tied) == 0 {
				best = i
			}
		}
	}
	return best, "seed"
}
