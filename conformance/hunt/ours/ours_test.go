package ours_test

import (
	"os"
	"testing"

	"github.com/schedstep/schedstep/conformance/hunt"
	"github.com/schedstep/schedstep/conformance/hunt/ours"
	"github.com/schedstep/schedstep/core/config"
)

// TestSchedstepHoldsInDrawnHistories hunts in schedstep's core.
func TestSchedstepHoldsInDrawnHistories(t *testing.T) {
	total := hunt.Asked(t, ours.New(config.Gates{}), 100).Run(t)
	t.Log(total)
	if len(total.Catches) > 0 {
		t.Errorf("%d kinds of findings", len(total.Found))
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
