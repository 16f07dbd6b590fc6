// Package table lists the questions that have rooms, in the order help shows them. It answers none of them.
package table

import (
	"github.com/schedstep/schedstep/replay/ask"
	"github.com/schedstep/schedstep/replay/ask/against"
	"github.com/schedstep/schedstep/replay/ask/asleep"
	"github.com/schedstep/schedstep/replay/ask/belief"
	"github.com/schedstep/schedstep/replay/ask/dependents"
	"github.com/schedstep/schedstep/replay/ask/history"
)

// Questions are all of them.
func Questions() []ask.Question {
	return []ask.Question{
		belief.Question(), dependents.Question(), against.Question(), asleep.Question(), history.Question(),
	}
}
