package oracle_test

import (
	"runtime"
	"testing"
)

func TestClosedOraclesLeaveNoGoroutines(t *testing.T) {
	settle := func() int {
		count := runtime.NumGoroutine()
		for range 1000 {
			runtime.Gosched()
			if now := runtime.NumGoroutine(); now < count {
				count = now
			}
		}
		return count
	}
	const oracles = 20
	before := settle()
	for range oracles {
		askOnce(t)
	}
	// A few of the last oracle may still be on their way out; one that stays of each oracle makes as many as oracles.
	if after := settle(); after-before >= oracles/2 {
		t.Errorf("%d goroutines before %d oracles, %d after", before, oracles, after)
	}
}

func askOnce(t *testing.T) {
	t.Helper()
	o := ask(t, crowd(3, 2)...)
	schedule(t, o, pod("p", nil))
	o.Close()
}
