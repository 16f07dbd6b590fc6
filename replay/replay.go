// Package replay feeds a scheduler: where events come from, what becomes of effects, and how one step follows
// another. It decides nothing about scheduling and draws nothing. Packages below it read and write files (recording,
// importer, scenario) and move through a replay (session).
package replay

import (
	"time"

	"github.com/schedstep/schedstep/core/cluster"
)

// Timed is an event at a moment of virtual time.
type Timed struct {
	At    time.Time
	Event cluster.Event
}

// Script is the events of a replay in order; times never go down. It is shared by every copy of a player and read only.
type Script []Timed
