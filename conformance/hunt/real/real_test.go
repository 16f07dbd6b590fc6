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

// TestKubeSchedulerHoldsInDrawnHistories hunts in the kube-scheduler that this package is linked with. Lost wake-ups,
// lost pods and the end of the process are logged and fail no test: docs/upstream has those that 1.37.1 is known for.
func TestKubeSchedulerHoldsInDrawnHistories(t *testing.T) {
	if hunt.Replayed(t, real.New(nil)) {
		return
	}
	total := hunt.Asked(t, real.New(nil), 20).Run(t)
	t.Log(total)
	for _, i := range []hunt.Invariant{hunt.Settled, hunt.Released, hunt.Due, hunt.Cached, hunt.Bounded} {
		if total.Broke(i) {
			t.Error(i)
		}
	}
}
