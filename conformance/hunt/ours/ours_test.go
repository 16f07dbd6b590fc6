package ours_test

import (
	"testing"

	"github.com/schedstep/schedstep/conformance/hunt"
	"github.com/schedstep/schedstep/conformance/hunt/ours"
	"github.com/schedstep/schedstep/core/config"
)

// TestSchedstepHoldsInDrawnHistories hunts in schedstep's core. Lost wake-ups are logged and fail no test: those of
// kube-scheduler (docs/upstream) are its own.
func TestSchedstepHoldsInDrawnHistories(t *testing.T) {
	if hunt.Replayed(t, ours.New(config.Gates{})) {
		return
	}
	total := hunt.Asked(t, ours.New(config.Gates{}), 100).Run(t)
	t.Log(total)
	for _, i := range []hunt.Invariant{
		hunt.Settled, hunt.Released, hunt.Due, hunt.Cached, hunt.Bounded, hunt.Kept, hunt.Alive,
	} {
		if total.Broke(i) {
			t.Error(i)
		}
	}
}
