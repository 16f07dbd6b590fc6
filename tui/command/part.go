package command

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/session"
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
	PartCache
	PartStart
	PartPreemption
	PartBinding
	PartGroup
)

var partWords = [...]string{
	PartState: "state", PartQueue: "queue", PartFilter: "filter", PartScore: "score", PartFacts: "facts",
	PartWhy: "why", PartTimeline: "timeline", PartCluster: "cluster", PartCharts: "charts",
	PartCache: "cache", PartStart: "start",
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
	return PartState, phrase.Errorf("show: %q is no part (%s)", word, strings.Join(partNames(), ", "))
}

// CheckLabel refuses a label by which nodes are to be grouped when no node has it.
func CheckLabel(f *session.Frame, label string) error {
	tiles := f.At.Tiles()
	if slices.ContainsFunc(tiles, func(t session.Tile) bool { return t.Label(label) != "" }) {
		return nil
	}
	return phrase.Errorf("group-by: no node has the label %q (%s)", label, strings.Join(f.At.NodeLabels(), ", "))
}

// CheckResource refuses a resource that nodes are to be filled with when no node has it. An empty name is right.
func CheckResource(f *session.Frame, resource string) error {
	if resource == "" || slices.Contains(f.At.Resources(), resource) {
		return nil
	}
	return phrase.Errorf("fill: no node has %q (%s)", resource, strings.Join(f.At.Resources(), ", "))
}

// Picture is the cluster in words, grouped by a label or with the requests of a resource, as r requires.
func Picture(f *session.Frame, r Request, of string) ([]string, error) {
	if r == RequestFill {
		if err := CheckResource(f, of); err != nil {
			return nil, err
		}
		return view.ClusterLines(f, "", "", of), nil
	}
	if err := CheckLabel(f, of); err != nil {
		return nil, err
	}
	return view.ClusterLines(f, "", of, ""), nil
}

func partNames() []string { return partWords[:] }
