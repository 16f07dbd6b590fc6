package cmd

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// percentNow is how the garbage collector is set.
func percentNow() int {
	p := debug.SetGCPercent(-1)
	debug.SetGCPercent(p)
	return p
}

func TestGarbageLiesForASearchOnly(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	runtime.GC()
	restore := letGarbageLie(1 << 40)
	if p := percentNow(); p <= 100 {
		t.Errorf("in a search garbage is collected at %d %%", p)
	}
	if restore(); percentNow() != 100 {
		t.Errorf("after the search garbage is collected at %d %%", percentNow())
	}
}

func TestGarbageLiesNoShorterThanItWould(t *testing.T) {
	for _, percent := range []int{100, 5000, -1} {
		before := debug.SetGCPercent(percent)
		restore := letGarbageLie(1)
		if p := percentNow(); p != percent {
			t.Errorf("%d %% became %d %%", percent, p)
		}
		restore()
		debug.SetGCPercent(before)
	}
}
