package trace

import "slices"

// Group is what the cycle of a pod group has besides its tries.
type Group struct {
	Gathered              // Members are named there; their tries are in the placements
	Generated  *Generated // nil: no plugin divided the nodes
	Placements []Placement
	Scores     *PlacementsScored  // nil: fewer than two placements took the group
	Selected   *PlacementSelected // nil: none did, or not yet
	PostFilter []PostFiltered     // the answers of PodGroupPostFilter plugins
	Preempted  *GroupPreempted
	Settled    []MemberSettled
	Ends       []*Try // for each of Settled the try in the chosen placement, with its end; empty before the cycle ended
}

// Placement is the try of one set of nodes.
type Placement struct {
	PlacementBegan
	Feasible []Feasible      // before the first member, then after each
	Members  []*Try          // of every member of the group, in order; those whose turn never came are NotTried
	Ended    *PlacementEnded // nil while it goes on
}

// Takes reports whether enough members found a node in the placement.
func (p *Placement) Takes() bool { return p.Ended != nil && p.Ended.Verdict.OK() }

// Found is how many members found a node in the placement.
func (p *Placement) Found() int { return p.count(func(t *Try) bool { return t.State == FoundNode }) }

// Tried is how many members a node was looked for in the placement, the one whose search is going on included.
func (p *Placement) Tried() int { return p.count(func(t *Try) bool { return t.State != NotTried }) }

// Try is the try of a member, by its key; nil for a pod that is no member.
func (p *Placement) Try(pod string) *Try {
	i := slices.IndexFunc(p.Members, func(t *Try) bool { return t.Entity.Key() == pod })
	if i < 0 {
		return nil
	}
	return p.Members[i]
}

func (p *Placement) count(is func(*Try) bool) int {
	n := 0
	for _, t := range p.Members {
		if is(t) {
			n++
		}
	}
	return n
}

// Chosen is the placement the group got; without one the first, which kube-scheduler reports. nil before the first.
func (g *Group) Chosen() *Placement {
	if len(g.Placements) == 0 {
		return nil
	}
	if g.Selected != nil {
		for i := range g.Placements {
			if g.Placements[i].Name == g.Selected.Name {
				return &g.Placements[i]
			}
		}
	}
	return &g.Placements[0]
}

// Found is how many members found a node in the chosen placement.
func (g *Group) Found() int {
	if chosen := g.Chosen(); chosen != nil {
		return chosen.Found()
	}
	return 0
}

// Missing is how many more pods the group needs on nodes than have one, or found one in the chosen placement.
func (g *Group) Missing() int { return max(0, g.MinCount-g.Scheduled-g.Found()) }

// SettledOf is the outcome of a member; false while it has none.
func (g *Group) SettledOf(pod string) (MemberSettled, bool) {
	i := slices.IndexFunc(g.Settled, func(m MemberSettled) bool { return m.Pod.Key() == pod })
	if i < 0 {
		return MemberSettled{}, false
	}
	return g.Settled[i], true
}

// addToGroup adds one fact to the cycle of a pod group.
func (c *Cycle) addToGroup(fact Fact) {
	g := c.Group
	switch f := fact.(type) {
	case Generated:
		g.Generated = &f
	case PlacementBegan:
		p := Placement{PlacementBegan: f}
		for _, pod := range g.Members {
			p.Members = append(p.Members, c.untried(pod))
		}
		g.Placements = append(g.Placements, p)
	case Feasible:
		p := g.last()
		p.Feasible = append(p.Feasible, f)
	case MemberBegan:
		t := g.last().Try(f.Pod.Key())
		t.Attempt = f.Attempt
		c.begin(t)
	case MemberEnded:
		c.open.end(f)
		c.open = nil
	case PlacementEnded:
		g.last().end(f)
	case PlacementsScored:
		g.Scores = &f
	case PlacementSelected:
		g.Selected = &f
	case PostFiltered:
		g.PostFilter = append(g.PostFilter, f)
	case GroupPreempted:
		g.Preempted = &f
	case MemberSettled:
		g.Settled = append(g.Settled, f)
	case Ended:
		c.endMembers(&f)
	}
}

// untried is a try of a member that has not begun.
func (c *Cycle) untried(pod Entity) *Try {
	t := &Try{Opening: c.Opening, Phase: PhasePop}
	t.Entity, t.From = pod, ""
	return t
}

// last is the placement that facts about placements and members belong to.
func (g *Group) last() *Placement { return &g.Placements[len(g.Placements)-1] }

// end closes a placement, and with it the tries that did not begin.
func (p *Placement) end(f PlacementEnded) {
	p.Ended = &f
	for _, t := range p.Members {
		if t.State == NotTried {
			t.Ended = &Ended{Outcome: NotSchedulable, Message: f.Verdict.Message()}
		}
	}
}

// end closes the search for a member. Without a node that is its end in this placement.
func (t *Try) end(f MemberEnded) {
	t.Found = f
	switch f.Code {
	case Success:
		t.State = FoundNode
		return
	case Error:
		t.State = Failed
	default:
		t.State = FoundNone
	}
	t.Ended = &Ended{
		Outcome: NotSchedulable, Message: f.Message, Evaluated: f.Evaluated, Feasible: f.Feasible,
		Plugins: f.Plugins, Pending: f.Pending,
	}
}

// endMembers gives each member's try in the chosen placement the end that the member came to with the cycle.
func (c *Cycle) endMembers(cycle *Ended) {
	for _, s := range c.Group.Settled {
		t := c.untried(s.Pod)
		if chosen := c.Group.Chosen(); chosen != nil {
			t = chosen.Try(s.Pod.Key())
		}
		t.Ended = &Ended{
			Outcome: s.Outcome, Node: s.Node, NominatedNode: s.NominatedNode, Message: s.Message,
			Evaluated: t.Found.Evaluated, Feasible: t.Found.Feasible, StartIndex: cycle.StartIndex,
			Plugins: t.Found.Plugins, Pending: t.Found.Pending, Queue: cycle.Queue, MovedTo: cycle.MovedTo,
			BackoffUntil: cycle.BackoffUntil,
		}
		c.Group.Ends = append(c.Group.Ends, t)
	}
}
