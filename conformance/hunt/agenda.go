package hunt

import (
	"slices"
	"sync"
	"testing/synctest"
	"time"
)

// tick is the grid of moments at which something of the world happens. The timers of a scheduler are set off between
// them, so that no two things fall on the same moment and leave their order to the machine.
const tick = 8 * time.Nanosecond

// agenda is what is going to happen, in the order of time, and of its coming in where times are equal.
type agenda struct {
	start time.Time

	mu      sync.Mutex
	items   []item
	changed chan struct{}
}

type item struct {
	at time.Time
	do func()
}

func newAgenda() *agenda {
	return &agenda{start: time.Now(), changed: make(chan struct{}, 1)}
}

// since is the time since the history began.
func (a *agenda) since() time.Duration { return time.Since(a.start) }

// after has something happen after a time. Any goroutine of the bubble may call it.
func (a *agenda) after(d time.Duration, do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	since := a.since() + d
	at := a.start.Add((since + tick - 1) / tick * tick)
	place, _ := slices.BinarySearchFunc(a.items, at, func(i item, at time.Time) int {
		if i.at.After(at) {
			return 1
		}
		return -1
	})
	a.items = slices.Insert(a.items, place, item{at, do})
	select {
	case a.changed <- struct{}{}:
	default:
	}
}

func (a *agenda) first() (item, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.items) == 0 {
		return item{}, false
	}
	return a.items[0], true
}

// idle runs what is on the agenda, until nothing is for as long as that, and nothing else happens, or it is enough.
func (a *agenda) idle(patience time.Duration, enough func() bool) {
	for !enough() {
		next, planned := a.first()
		wait := patience
		if planned {
			wait = time.Until(next.at)
		}
		if wait > 0 && !a.sleep(wait) {
			continue // something came in
		}
		synctest.Wait()
		if !planned {
			if _, more := a.first(); more {
				continue
			}
			return
		}
		a.mu.Lock()
		next, a.items = a.items[0], a.items[1:]
		a.mu.Unlock()
		next.do()
		synctest.Wait()
	}
}

// sleep is false when something came in meanwhile.
func (a *agenda) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-a.changed:
		return false
	}
}
