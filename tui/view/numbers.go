package view

import (
	"github.com/schedstep/schedstep/internal/words"
)

// Numbers is which numbers of the scores are shown.
type Numbers uint8

// The numbers a score plugin gives a node.
const (
	Weighted   Numbers = iota // normalised times weight: what the total adds up
	Normalized                // 0 to 100
	Raw                       // as the plugin returned it
)

var textNumbers = [...]string{"weighted", "normalized", "raw"}

// String is the word for the numbers.
func (n Numbers) String() string {
	if int(n) < len(textNumbers) {
		return textNumbers[n]
	}
	return "numbers?"
}

// Heading is what a person reads of the numbers.
func (n Numbers) Heading(lang words.Language) string { return lang.Of(n.String()) }
