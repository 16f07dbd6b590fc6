package real_test

import (
	"os"
	"testing"

	"github.com/schedstep/schedstep/conformance/hunt"
	"github.com/schedstep/schedstep/conformance/hunt/real"
)

func TestMain(m *testing.M) {
	real.Prepare()
	os.Exit(m.Run())
}

// TestKubeSchedulerHoldsInDrawnHistories hunts in the kube-scheduler that this package is linked with.
func TestKubeSchedulerHoldsInDrawnHistories(t *testing.T) {
	total := hunt.Asked(t, real.New(nil), 20).Run(t)
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
	hunt.Replay(t, real.New(nil), path)
}
