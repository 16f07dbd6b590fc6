package trace

import (
	"fmt"
	"strings"
)

// Gathered says which pods the cycle of a pod group tries to place, before any node is looked at.
type Gathered struct {
	Policy    string   // "gang" or "basic"
	MinCount  int      // so many pods must have a node for any to be bound; 1 for a basic group
	Scheduled int      // pods of the group that have a node already
	Members   []Entity // who is to be placed, in the order they are tried
	Topology  string   // the label whose domains are the placements; "" when the group has no such wish
}

// Phase is Pop.
func (Gathered) Phase() Phase { return PhasePop }

// String lists the members.
func (f Gathered) String() string {
	names := make([]string, len(f.Members))
	for i, m := range f.Members {
		names[i] = m.Key()
	}
	s := fmt.Sprintf(
		"group: %s, minCount %d, %d scheduled, to place: %s", f.Policy, f.MinCount, f.Scheduled, listed(names),
	)
	if f.Topology != "" {
		s += "; within one " + f.Topology
	}
	return s
}

// Generated is a PlacementGenerate plugin's answer: the sets of nodes the group may go to.
type Generated struct {
	Plugin     string
	Verdict    Verdict
	Placements []string // their names, in the order they are tried
}

// Phase is PreFilter.
func (Generated) Phase() Phase { return PhasePreFilter }

// String lists the placements.
func (f Generated) String() string {
	s := "PlacementGenerate " + f.Plugin + ": " + f.Verdict.String()
	if len(f.Placements) > 0 {
		s += " [" + listed(f.Placements) + "]"
	}
	return s
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

// String names the placement and its size.
func (f PlacementBegan) String() string {
	if f.Name == "" {
		return fmt.Sprintf("placement of all %d nodes", f.Nodes)
	}
	return fmt.Sprintf("placement %s, %d of %d: %d nodes", f.Name, f.Index+1, f.Of, f.Nodes)
}

// Feasible is a PlacementFeasible plugin's answer, given before the first member and after each: Wait says that more
// members have to find a node, Unschedulable that it cannot come to enough.
type Feasible struct {
	Plugin    string
	Verdict   Verdict
	Scheduled int // members that have a node, or found one in this placement
	Remaining int // members not tried yet
}

// Phase is Filter.
func (Feasible) Phase() Phase { return PhaseFilter }

// String is the answer.
func (f Feasible) String() string { return "PlacementFeasible " + f.Plugin + ": " + f.Verdict.String() }

// MemberBegan opens the try of one member. What follows up to MemberEnded is about it.
type MemberBegan struct {
	Pod     Entity
	Attempt int
}

// Phase is PreFilter.
func (MemberBegan) Phase() Phase { return PhasePreFilter }

// String names the member.
func (f MemberBegan) String() string {
	return fmt.Sprintf("member %s, attempt %d", f.Pod.Key(), f.Attempt)
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

// String is what the member found.
func (f MemberEnded) String() string {
	if f.Code == Success {
		return "member " + f.Pod.Key() + " would go to " + f.Node
	}
	return "member " + f.Pod.Key() + " finds no node: " + f.Message
}

// PlacementEnded closes the try of one placement.
type PlacementEnded struct {
	Name    string
	Verdict Verdict // of the group here
	Placed  int     // members that found a node
}

// Phase is Select.
func (PlacementEnded) Phase() Phase { return PhaseSelect }

// String is the group's verdict.
func (f PlacementEnded) String() string {
	name := "placement"
	if f.Name != "" {
		name += " " + f.Name
	}
	if f.Verdict.OK() {
		return fmt.Sprintf("%s takes the group: %d members found a node", name, f.Placed)
	}
	return name + " does not take the group: " + f.Verdict.Message()
}

// PlacementsScored is the comparison of the placements that take the group.
type PlacementsScored struct {
	Names   []string
	Columns []ScoreColumn // Raw and Normalized have an entry for each of Names
	Totals  []int64
}

// Phase is Score.
func (PlacementsScored) Phase() Phase { return PhaseScore }

// String is the totals.
func (f PlacementsScored) String() string {
	parts := make([]string, len(f.Names))
	for i, name := range f.Names {
		parts[i] = fmt.Sprintf("%s %d", name, f.Totals[i])
	}
	return "placements: " + strings.Join(parts, ", ")
}

// PlacementSelected is the choice among the placements that take the group.
type PlacementSelected struct {
	Name     string
	Total    int64
	Scored   bool     // false: no other takes the group
	Tied     []string // every placement with the highest total, in the order they were tried
	TieBreak string   // how a tie was broken; "" when there was none
}

// Phase is Select.
func (PlacementSelected) Phase() Phase { return PhaseSelect }

// String names the placement.
func (f PlacementSelected) String() string {
	switch {
	case f.Name == "":
		return "selected the only placement"
	case !f.Scored:
		return "selected placement " + f.Name + ", the only one that takes the group"
	case len(f.Tied) > 1:
		return fmt.Sprintf(
			"selected placement %s: %d tied at %d (%s); %s", f.Name, len(f.Tied), f.Total, listed(f.Tied), f.TieBreak,
		)
	}
	return fmt.Sprintf("selected placement %s with %d", f.Name, f.Total)
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

// String is how many have to leave.
func (f GroupPreempted) String() string {
	return fmt.Sprintf(
		"preemption for the group: %d victims (%s), %d members nominated", len(f.Victims), listed(f.Victims),
		len(f.Nodes),
	)
}

// MemberSettled is what became of a member when the cycle was over.
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

// String is the outcome.
func (f MemberSettled) String() string {
	s := "member " + f.Pod.Key() + " " + string(f.Outcome)
	switch {
	case f.Node != "":
		return s + " on " + f.Node
	case f.Message != "":
		return s + ": " + f.Message
	}
	return s
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
