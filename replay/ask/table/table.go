// Package table lists the questions that have rooms, in the order help shows them. It answers none of them.
package table

import (
	"github.com/schedstep/schedstep/replay/ask"
	"github.com/schedstep/schedstep/replay/ask/against"
	"github.com/schedstep/schedstep/replay/ask/asleep"
	"github.com/schedstep/schedstep/replay/ask/belief"
	"github.com/schedstep/schedstep/replay/ask/cascade"
	"github.com/schedstep/schedstep/replay/ask/changes"
	"github.com/schedstep/schedstep/replay/ask/dependents"
	"github.com/schedstep/schedstep/replay/ask/explain"
	"github.com/schedstep/schedstep/replay/ask/history"
	"github.com/schedstep/schedstep/replay/ask/nominated"
	"github.com/schedstep/schedstep/replay/ask/replicas"
)

// Questions are all of them.
func Questions() []ask.Question {
	return []ask.Question{
		changes.Question(), replicas.Question(), explain.Question(), belief.Question(), dependents.Question(),
		against.Question(), nominated.Question(), cascade.Question(), asleep.Question(), history.Question(),
	}
}
