package trace

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Gathered are the pods that the cycle of a pod group tries to place, chosen before any node is looked at.
type Gathered struct {
	Policy    string   // "gang" or "basic"
	MinCount  int      // so many pods must have a node for any to be bound; 1 for a basic group
	Scheduled int      // pods of the group that have a node already
	Members   []Entity // the pods to be placed, in the order they are tried
	Topology  string   // the label whose domains are the placements; "" when the group has no such wish
}

// Phase is Pop.
func (Gathered) Phase() Phase { return PhasePop }

// Phrase lists the members.
func (f Gathered) Phrase() phrase.Phrase {
	names := make([]string, len(f.Members))
	for i, m := range f.Members {
		names[i] = m.Key()
	}
	said := phrase.New(
		"group: %s, minCount %d, %d scheduled, to place: %s", f.Policy, f.MinCount, f.Scheduled, listed(names),
	)
	if f.Topology == "" {
		return said
	}
	return phrase.Join("; ", said, phrase.New("within one %s", f.Topology))
}

// Generated is a PlacementGenerate plugin's answer: the sets of nodes the group may go to.
type Generated struct {
	Plugin     string
	Verdict    Verdict
	Placements []string // their names, in the order they are tried
}

// Phase is PreFilter.
func (Generated) Phase() Phase { return PhasePreFilter }

// Phrase lists the placements.
func (f Generated) Phrase() phrase.Phrase {
	if len(f.Placements) > 0 {
		return phrase.New("%s %s [%s]", "PlacementGenerate", answered(f.Plugin, f.Verdict), listed(f.Placements))
	}
	return phrase.New("%s %s", "PlacementGenerate", answered(f.Plugin, f.Verdict))
}

// PlacementBegan opens the try of one placement. What follows up to PlacementEnded is about it.
type PlacementBegan struct {
	Name  string // the domain; "" when the nodes are not divided
	Nodes int    // in it
	Index int    // from 0
	Of    int    // how many placements there are
}

// Phase is PreFilter.
func (PlacementBegan) Phase() Phase { return PhasePreFilter }

// Phrase names the placement and its size.
func (f PlacementBegan) Phrase() phrase.Phrase {
	if f.Name == "" {
		return phrase.New("placement of all %d nodes", f.Nodes)
	}
	return phrase.New("placement %s, %d of %d: %d nodes", f.Name, f.Index+1, f.Of, f.Nodes)
}

// Feasible is a PlacementFeasible plugin's answer, given before the first member and after each: Wait means that more
// members have to find a node, Unschedulable that not enough of them can.
type Feasible struct {
	Plugin    string
	Verdict   Verdict
	Scheduled int // members that have a node, or found one in this placement
	Remaining int // members not tried yet
}

// Phase is Filter.
func (Feasible) Phase() Phase { return PhaseFilter }

// Phrase is the answer.
func (f Feasible) Phrase() phrase.Phrase {
	return phrase.New("%s %s", "PlacementFeasible", answered(f.Plugin, f.Verdict))
}

// MemberBegan opens the try of one member. What follows up to MemberEnded is about it.
type MemberBegan struct {
	Pod     Entity
	Attempt int
}

// Phase is PreFilter.
func (MemberBegan) Phase() Phase { return PhasePreFilter }

// Phrase names the member.
func (f MemberBegan) Phrase() phrase.Phrase {
	return phrase.New("member %s, attempt %d", f.Pod.Key(), f.Attempt)
}

// MemberEnded closes the try of one member. A node it found is its own only if the group gets its placement.
type MemberEnded struct {
	Pod       Entity
	Code      Code // Success, or the code of the failure
	Node      string
	Message   string
	Evaluated int
	Feasible  int
	Plugins   []string // that rejected it, sorted
	Pending   []string
}

// Phase is Select.
func (MemberEnded) Phase() Phase { return PhaseSelect }

// Phrase is what the member found.
func (f MemberEnded) Phrase() phrase.Phrase {
	if f.Code == Success {
		return phrase.New("member %s would go to %s", f.Pod.Key(), f.Node)
	}
	return phrase.New("member %s finds no node: %s", f.Pod.Key(), f.Message)
}

// PlacementEnded closes the try of one placement.
type PlacementEnded struct {
	Name    string
	Verdict Verdict // of the group here
	Placed  int     // members that found a node
}

// Phase is Select.
func (PlacementEnded) Phase() Phase { return PhaseSelect }

// Phrase is the group's verdict.
func (f PlacementEnded) Phrase() phrase.Phrase {
	switch takes := f.Verdict.OK(); {
	case takes && f.Name == "":
		return phrase.New("placement takes the group: %d members found a node", f.Placed)
	case takes:
		return phrase.New("placement %s takes the group: %d members found a node", f.Name, f.Placed)
	case f.Name == "":
		return phrase.New("placement does not take the group: %s", f.Verdict.Message())
	}
	return phrase.New("placement %s does not take the group: %s", f.Name, f.Verdict.Message())
}

// PlacementsScored is the comparison of the placements that take the group.
type PlacementsScored struct {
	Names   []string
	Columns []ScoreColumn // Raw and Normalized have an entry for each of Names
	Totals  []int64
}

// Phase is Score.
func (PlacementsScored) Phase() Phase { return PhaseScore }

// Phrase is the totals.
func (f PlacementsScored) Phrase() phrase.Phrase {
	parts := make([]string, len(f.Names))
	for i, name := range f.Names {
		parts[i] = fmt.Sprintf("%s %d", name, f.Totals[i])
	}
	return phrase.New("placements: %s", strings.Join(parts, ", "))
}

// PlacementSelected is the choice among the placements that take the group.
type PlacementSelected struct {
	Name     string
	Total    int64
	Scored   bool        // false: no other takes the group
	Tied     []string    // every placement with the highest total, in the order they were tried
	TieBreak phrase.Text // how a tie was broken; "" when there was none
}

// Phase is Select.
func (PlacementSelected) Phase() Phase { return PhaseSelect }

// Phrase names the placement.
func (f PlacementSelected) Phrase() phrase.Phrase {
	switch {
	case f.Name == "":
		return phrase.New("selected the only placement")
	case !f.Scored:
		return phrase.New("selected placement %s, the only one that takes the group", f.Name)
	case len(f.Tied) > 1:
		return phrase.New(
			"selected placement %s: %d tied at %d (%s); %s", f.Name, len(f.Tied), f.Total, listed(f.Tied), f.TieBreak,
		)
	}
	return phrase.New("selected placement %s with %d", f.Name, f.Total)
}

// GroupPreempted is a preemption worked out in favour of a whole group.
type GroupPreempted struct {
	Victims   []string     // pods that have to leave, the most important first
	Violating int          // of these, protected by a disruption budget
	Reprieved []string     // pods that could have been evicted and may stay, in the order they were reprieved
	Nodes     []MemberNode // where the members are nominated
}

// MemberNode is a member with a node.
type MemberNode struct{ Pod, Node string }

// Phase is PostFilter.
func (GroupPreempted) Phase() Phase { return PhasePostFilter }

// Phrase is how many have to leave.
func (f GroupPreempted) Phrase() phrase.Phrase {
	return phrase.New(
		"preemption for the group: %d victims (%s), %d members nominated", len(f.Victims), listed(f.Victims),
		len(f.Nodes),
	)
}

// MemberSettled is the outcome of a member at the end of the group's cycle.
type MemberSettled struct {
	Pod           Entity
	Outcome       Outcome
	Node          string
	NominatedNode string
	Message       string // the note of the event kube-scheduler records; "" for a member that waits
	Plugins       []string
	Pending       []string
}

// Phase is Bind for a member that has its node, else Failure.
func (f MemberSettled) Phase() Phase {
	if f.Outcome == Scheduled || f.Outcome == Waiting {
		return PhaseBind
	}
	return PhaseFailure
}

// Phrase is the outcome.
func (f MemberSettled) Phrase() phrase.Phrase {
	switch {
	case f.Node != "":
		return phrase.New("member %s %s on %s", f.Pod.Key(), string(f.Outcome), f.Node)
	case f.Message != "":
		return phrase.New("member %s %s: %s", f.Pod.Key(), string(f.Outcome), f.Message)
	}
	return phrase.New("member %s %s", f.Pod.Key(), string(f.Outcome))
}

func (Gathered) fact()          {}
func (Generated) fact()         {}
func (PlacementBegan) fact()    {}
func (Feasible) fact()          {}
func (MemberBegan) fact()       {}
func (MemberEnded) fact()       {}
func (PlacementEnded) fact()    {}
func (PlacementsScored) fact()  {}
func (PlacementSelected) fact() {}
func (GroupPreempted) fact()    {}
func (MemberSettled) fact()     {}
