package cluster

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/internal/law"
)

// coming is a node that comes, or goes.
type coming struct {
	zone, name string
	isAway     bool
}

func (c coming) carryOut(z *zones) {
	if c.isAway {
		z.remove(c.zone, c.name)
		return
	}
	z.add(c.zone, c.name)
}

// TestCopiesOfZonesDoNotKnowOfEachOther changes copies in turn, beside ones that are made anew of the same changes.
func TestCopiesOfZonesDoNotKnowOfEachOther(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		copies, stories := []*zones{{}}, [][]coming{nil}
		for n := range rapid.IntRange(1, 30).Draw(t, "changes") {
			i := rapid.IntRange(0, len(copies)-1).Draw(t, "copy")
			if rapid.IntRange(0, 5).Draw(t, "kind") == 0 {
				another := copies[i].copy()
				copies, stories = append(copies, &another), append(stories, slices.Clone(stories[i]))
				continue
			}
			c := coming{zone: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "zone"), name: fmt.Sprint("n", n)}
			if c.isAway = len(stories[i]) > 0 && rapid.Bool().Draw(t, "goes"); c.isAway {
				c = rapid.SampledFrom(stories[i]).Draw(t, "which")
				c.isAway = true
			}
			stories[i] = append(stories[i], c)
			c.carryOut(copies[i])
			for at, z := range copies {
				var anew zones
				for _, c := range stories[at] {
					c.carryOut(&anew)
				}
				if !slices.Equal(z.list(), anew.list()) {
					t.Fatalf("copy %d: %v, want %v", at, z.list(), anew.list())
				}
			}
		}
	})
}
