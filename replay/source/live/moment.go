package live

import (
	"sync"
	"time"
)

// moments is the clock of this machine, except for one thing: it never goes back. Nothing happens in a log before its
// last moment, so that a clock that is set back by an hour would make all readers wait for an hour. Instead time goes
// on from where it was. Several goroutines may use it.
type moments struct {
	mu    sync.Mutex
	told  time.Time
	since time.Duration // what had gone by then
}

// at is the moment when the clock shows wall, and so much time has gone since the start of this process.
func (m *moments) at(wall time.Time, gone time.Duration) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	if wall.Before(m.told) {
		wall = m.told.Add(max(0, gone-m.since))
	}
	m.told, m.since = wall, gone
	return wall
}

var (
	processBegan = time.Now()
	ofMachine    moments
)

// now is the moment of what arrives: that of this machine, as a recording has it.
func now() time.Time {
	t := time.Now()
	return ofMachine.at(t.Round(0).UTC(), t.Sub(processBegan))
}
