package cmd

import (
	"runtime"
	"testing"

	"github.com/schedstep/schedstep/replay/ask/sweep"
)

func TestAGuardSeesMemoryAboveItsBound(t *testing.T) {
	g := newGuard(0, 16<<20, 1, true)
	if got := g.Over(); got != "" {
		t.Errorf("nothing is taken, and the run ends as %s", got)
	}
	taken := make([]byte, 64<<20)
	runtime.GC()
	if got := g.Over(); got != sweep.OutRoom {
		t.Errorf("64 MiB are taken, and the run ends as %q", got)
	}
	runtime.KeepAlive(taken)
}
