package roundrobin_test

import (
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/former/roundrobin"
	"github.com/schedstep/schedstep/core/framework"
)

// TestRoundRobinTakesTheBestInTurn has upstream's order: the last name of the alphabet first.
func TestRoundRobinTakesTheBestInTurn(t *testing.T) {
	names := []string{"a", "c", "b", "d"}
	var picked []string
	for before := range uint64(5) {
		host, how := roundrobin.TieBreak{}.Pick(&framework.Contest{
			Totals: []int64{7, 7, 7, 3}, Name: func(i int) string { return names[i] }, Before: before,
		})
		if how != "turn" {
			t.Errorf("chosen by %q", how)
		}
		picked = append(picked, names[host])
	}
	if got := strings.Join(picked, " "); got != "c b a c b" {
		t.Errorf("picked %s", got)
	}
}
