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
	before := settle()
	for range 20 {
		askOnce(t)
	}
	if after := settle(); after > before+2 {
		t.Errorf("%d goroutines before 20 oracles, %d after", before, after)
	}
}

func askOnce(t *testing.T) {
	t.Helper()
	o := ask(t, crowd(3, 2)...)
	schedule(t, o, pod("p", nil))
	o.Close()
}
