// Package panel draws the parts of the screen: each panel turns some of a session.Frame into text inside one region.
// A panel holds only what belongs to looking (cursor, window, order, filter); it moves nothing in the session,
// opens no file, knows no key, and draws no box around itself.
//
// All panels work alike: Title and Note are for the box around it, Draw fills the region, Move, MovePages, MoveTo and
// Point put the cursor somewhere, Selection returns what is under it.
package panel

// Subject is the kind of thing that is selected.
type Subject uint8

// What a selection may be of.
const (
	OfNothing    Subject = iota
	OfPod                // Pod
	OfNode               // Node, with all answers about it
	OfFilter             // one filter plugin on one node
	OfScore              // one score plugin on one node
	OfFact               // one fact of the step
	OfPreemption         // Node, with what a preemption found out about it
	OfPlacement          // Placement, of the pod group Pod
	OfMember             // Pod, a member of a pod group, in Placement
)

// Selection is what is under the cursor of a panel. Names are as the frame has them; indexes are -1 where they mean
// nothing.
type Selection struct {
	Subject Subject
	Pod     string // namespace/name; of the cycle, unless another pod is selected
	Node    string
	Plugin  string

	NodeIndex   int // in Matrix.Nodes, which Scores.Nodes equals
	PluginIndex int // in Matrix.Plugins for OfFilter, in Scores.Columns for OfScore
	Fact        int // in Frame.Facts
	Placement   int // in Cycle.Group.Placements: where the member was tried that all else is about
}

// nothing is a selection of nothing.
func nothing() Selection { return Selection{NodeIndex: -1, PluginIndex: -1, Fact: -1, Placement: -1} }

// emptyRows is how many rows a table fills that has nothing to show but a sentence.
const emptyRows = 6

// End is a place to move to without counting.
type End uint8

// The two ends.
const (
	First End = iota
	Last
)
