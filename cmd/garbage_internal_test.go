package cmd

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// collections is how often garbage is collected while garbage of 64 MiB is made, in pieces of 64 KiB.
func collections() uint32 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 1024 {
		kept = make([]byte, 64<<10)
	}
	runtime.ReadMemStats(&after)
	return after.NumGC - before.NumGC
}

// kept keeps what is made on the heap.
var kept []byte

func TestGarbageLiesForASearchOnly(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	end := letGarbageLie()
	if n := collections(); n > 0 {
		t.Errorf("in a search 64 MiB of garbage were collected %d times", n)
	}
	end()
	if n := collections(); n == 0 {
		t.Error("after the search 64 MiB of garbage were not collected")
	}
}

// TestSearchesThatOverlapLeaveTheCollectorAsItWas would fail if a search set the percentage of the collector and
// restored it: the one that ends last would restore what the other had set, for ever.
func TestSearchesThatOverlapLeaveTheCollectorAsItWas(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	first := letGarbageLie()
	second := letGarbageLie()
	first()
	if n := collections(); n > 0 {
		t.Errorf("in the second search 64 MiB of garbage were collected %d times", n)
	}
	second()
	if percent := debug.SetGCPercent(100); percent != 100 {
		t.Errorf("garbage is collected at %d %%", percent)
	}
}
