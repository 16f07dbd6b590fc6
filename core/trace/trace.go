// Package trace is the vocabulary of what happens inside a scheduler: codes, verdicts with their evidence,
// and facts. It holds data and the one text rendering of it. It decides nothing and knows neither the cluster
// nor the plugins; names of pods, nodes and plugins are plain strings here.
//
// Modules of others may import it (docs/stability.md).
package trace

import "slices"

// Phase is where in a step a fact happened. Its number is no order: a profile has the phases of a cycle in the order in
// which its release goes through them.
type Phase uint8

// The phases. Cluster, Clock and Queue happen between cycles; the others are those of one cycle.
const (
	PhaseCluster Phase = iota
	PhaseClock
	PhaseQueue
	PhasePop
	PhasePreFilter
	PhaseFilter
	PhasePostFilter
	PhasePreScore
	PhaseScore
	PhaseSelect
	PhaseReserve
	PhasePermit
	PhasePreBind
	PhaseBind
	PhasePostBind
	PhaseFailure
	PhaseEnd
)

var phaseNames = [...]string{
	"Cluster", "Clock", "Queue", "Pop", "PreFilter", "Filter", "PostFilter", "PreScore", "Score", "Select",
	"Reserve", "Permit", "PreBind", "Bind", "PostBind", "Failure", "End",
}

// String is the phase as kube-scheduler names the extension point.
func (p Phase) String() string {
	if int(p) < len(phaseNames) {
		return phaseNames[p]
	}
	return "Phase?"
}

// PhaseNamed finds a phase by its name, ignoring nothing: "Filter" is found, "filter" is not.
func PhaseNamed(name string) (Phase, bool) {
	i := slices.Index(phaseNames[:], name)
	return Phase(max(i, 0)), i >= 0
}

// Detail is how much of the truth a cycle keeps.
type Detail uint8

const (
	// Summary keeps the outcome of a cycle: host, message, counts.
	Summary Detail = iota
	// Reported keeps what kube-scheduler itself computed: the first failure of every node it evaluated, and the scores.
	Reported
	// Full keeps every filter on every node too, also those that kube-scheduler would not have run.
	Full
	// Reasoned keeps also what every score rests on and what would satisfy the filters; it is for the one cycle that is
	// looked at.
	Reasoned
)

var detailNames = [...]string{"summary", "reported", "full", "reasoned"}

// String is the word the command line uses.
func (d Detail) String() string { return detailNames[d] }

// DetailNamed finds a detail by the word of the command line, which knows those up to Full.
func DetailNamed(name string) (Detail, bool) {
	for i, n := range detailNames[:Reasoned] {
		if n == name {
			return Detail(i), true
		}
	}
	return 0, false
}
