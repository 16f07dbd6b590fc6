package session_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/session"
)

// TestBackwardsStopsWhereForwardsStops compares a move back, which passes over steps that no mark can mean, with a move
// forward, which checks step by step.
func TestBackwardsStopsWhereForwardsStops(t *testing.T) {
	long := rollout()
	for i := range 140 {
		name := "many-" + string(rune('a'+i%26)) + strings.Repeat("x", i/26)
		long = append(long, added(long[len(long)-1].At.Sub(start), pod(name, []string{"10m", "9"}[i/7%2])))
	}
	law.CheckCostly(t, func(t *rapid.T) {
		s := sessionOf(long)
		for range rapid.IntRange(1, 3).Draw(t, "breakpoints") {
			b, err := session.ParseBreakpoint(strings.Fields(rapid.SampledFrom([]string{
				"pod web-4", "pod many-?", "outcome Unschedulable", "outcome Unschedulable pod web-*", "queue unschedulable",
				"queue unschedulable pod web-5", "event NodeAdd", "pod many-b* if feasible > 1", "if feasible == 0", "node n3",
				"plugin NodeResourcesFit pod web-*", "divergence", "outcome Error", "event NodeAdd outcome Scheduled",
				"if pod.name == 'web-4'", "if feasible > 1 && outcome == 'Scheduled'", "if pod.attempt > 1 || victims > 0",
				"if node == 'n3' && evaluated > 1", "if pod.name.startsWith('many-b') && message != ''", "if cycle % 7 == 3",
				"label app=x if nodes > 2", "if message.contains('Insufficient')", "if victims == 0 && plugins == ['NodeResourcesFit']",
				"if plugins == [] && message.endsWith(' to n3')", "outcome Scheduled if pod.namespace != 'default' || 'NodeResourcesFit' in plugins",
			}).Draw(t, "break")))
			if err != nil {
				t.Fatal(err)
			}
			s.Break(b)
		}
		stops := func(d session.Direction) (steps []int) {
			for s.Move(context.Background(), session.Continue, d, nil).Reason == session.StoppedAtBreakpoint {
				steps = append(steps, s.Position().Step)
			}
			return steps
		}
		forth := stops(session.Forward)
		if n := len(forth); n > 0 && forth[n-1] == s.Position().Step {
			forth = forth[:n-1] // the end is where the way back begins
		}
		back := stops(session.Backward)
		slices.Reverse(back)
		if d := cmp.Diff(forth, back); d != "" {
			t.Error(d)
		}
	})
}
