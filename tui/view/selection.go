package view

import "github.com/schedstep/schedstep/replay/session"

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

// Nothing is a selection of nothing.
func Nothing() Selection { return Selection{NodeIndex: -1, PluginIndex: -1, Fact: -1, Placement: -1} }

// FrameOf is a frame as it would be if the cycle were only about the member that is selected, in the placement where it
// was tried. It is the frame itself where the selection is not of a member's try.
func FrameOf(f *session.Frame, s Selection) *session.Frame {
	c := f.About()
	if c == nil || c.Group == nil || s.Placement < 0 || s.Placement >= len(c.Group.Placements) {
		return f
	}
	p := &c.Group.Placements[s.Placement]
	t := p.Try(s.Pod)
	if t == nil && s.Subject == OfPlacement && p.Tried() > 0 {
		t = p.Members[0]
	}
	if t == nil {
		return f
	}
	one := *f
	if one.Cycle == nil {
		one.Last = t.Alone()
		return &one
	}
	one.Cycle = t.Alone()
	if t != c.Latest() {
		one.Cell, one.Position.Cell = nil, 0
	}
	return &one
}
