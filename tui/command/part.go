package command

import (
	"fmt"
	"strings"
)

// Part is what show can show: the state as a whole, or what one pane or tab of the screen holds.
type Part uint8

// The parts, in the order of their number keys on the screen.
const (
	PartState Part = iota
	PartQueue
	PartFilter
	PartScore
	PartFacts
	PartWhy
	PartTimeline
	PartCluster
	PartCharts
	PartPreemption
	PartBinding
	PartGroup
)

var partWords = [...]string{
	PartState: "state", PartQueue: "queue", PartFilter: "filter", PartScore: "score", PartFacts: "facts",
	PartWhy: "why", PartTimeline: "timeline", PartCluster: "cluster", PartCharts: "charts",
	PartPreemption: "preemption", PartBinding: "binding", PartGroup: "group",
}

// String is the word that show takes.
func (p Part) String() string { return partWords[p] }

// PartNamed is the part that a word names, or a beginning of it; no word: the state.
func PartNamed(word string) (Part, error) {
	for p, known := range partWords {
		if strings.HasPrefix(known, word) {
			return Part(p), nil
		}
	}
	return PartState, fmt.Errorf("show: %q is no part (%s)", word, strings.Join(partNames(), ", "))
}

func partNames() []string { return partWords[:] }
