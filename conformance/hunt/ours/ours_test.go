package ours_test

import (
	"os"
	"testing"

	"github.com/schedstep/schedstep/conformance/hunt"
	"github.com/schedstep/schedstep/conformance/hunt/ours"
	"github.com/schedstep/schedstep/core/config"
)

// TestSchedstepHoldsInDrawnHistories hunts in schedstep's core. Lost wake-ups are told and fail no test: those of
// kube-scheduler (docs/upstream) are its own.
func TestSchedstepHoldsInDrawnHistories(t *testing.T) {
	total := hunt.Asked(t, ours.New(config.Gates{}), 100).Run(t)
	t.Log(total)
	for _, i := range []hunt.Invariant{hunt.Settled, hunt.Released, hunt.Due, hunt.Cached, hunt.Bounded, hunt.Kept, hunt.Alive} {
		if total.Broke(i) {
			t.Error(i)
		}
	}
}

// TestReplay plays the history of the file SCHEDSTEP_HUNT_HISTORY, and tells what happens in it.
func TestReplay(t *testing.T) {
	path := os.Getenv("SCHEDSTEP_HUNT_HISTORY")
	if path == "" {
		t.Skip("no history is named")
	}
	hunt.Replay(t, ours.New(config.Gates{}), path)
}
