package cmd

import (
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/schedstep/schedstep/replay/ask/sweep"
)

// guard ends a run that takes too long or too much memory.
type guard struct {
	until  time.Time // zero: no bound
	memory uint64    // of the process, in bytes; 0: no bound
	live   []metrics.Sample
}

// newGuard is for a run that begins now. Beside others, all of them together may take what they may take alone: whose
// the memory is cannot be known. Alone, what the process holds before the run is not counted.
func newGuard(most time.Duration, memory uint64, workers int, alone bool) sweep.Guard {
	g := &guard{live: []metrics.Sample{{Name: "/gc/heap/live:bytes"}}}
	if most > 0 {
		g.until = time.Now().Add(most)
	}
	if memory == 0 {
		return g
	}
	if alone {
		runtime.GC()
		metrics.Read(g.live)
		g.memory = g.live[0].Value.Uint64() + memory
		return g
	}
	metrics.Read(g.live)
	g.memory = g.live[0].Value.Uint64() + memory*uint64(workers)
	return g
}

// Over is why the run has to end; "": it may go on.
func (g *guard) Over() sweep.Status {
	if !g.until.IsZero() && time.Now().After(g.until) {
		return sweep.OutTime
	}
	if g.memory > 0 {
		if metrics.Read(g.live); g.live[0].Value.Uint64() > g.memory {
			return sweep.OutRoom
		}
	}
	return ""
}
