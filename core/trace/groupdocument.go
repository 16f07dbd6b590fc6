package trace

// GroupDocument is the cycle of a pod group as the command line prints it.
type GroupDocument struct {
	Policy     string                   `json:"policy"`
	MinCount   int                      `json:"minCount"`
	Scheduled  int                      `json:"scheduled"` // members that had a node before the cycle
	Found      int                      `json:"found"`     // members that found one in the chosen placement
	Missing    int                      `json:"missing"`   // pods that are short of minCount
	Topology   string                   `json:"topology,omitempty"`
	Placements []PlacementDocument      `json:"placements"`
	Chosen     *string                  `json:"chosen"` // null: no placement takes the group
	Tied       []string                 `json:"tied"`
	TieBreak   string                   `json:"tieBreak"`
	Members    []MemberDocument         `json:"members"`
	Preemption *GroupPreemptionDocument `json:"preemption"` // null: no evictions were worked out
}

// PlacementDocument is the try of one placement.
type PlacementDocument struct {
	Name    string                `json:"name"`
	Nodes   int                   `json:"nodes"`
	Takes   bool                  `json:"takes"`
	Message string                `json:"message"`
	Total   *int64                `json:"total,omitempty"`
	Scores  []ScoreDocument       `json:"scores,omitempty"`
	Members []TriedMemberDocument `json:"members"`
}

// TriedMemberDocument is what one member found in one placement.
type TriedMemberDocument struct {
	Pod       string            `json:"pod"`
	Node      string            `json:"node"`
	Message   string            `json:"message"`
	Evaluated int               `json:"evaluated"`
	Feasible  int               `json:"feasible"`
	PreFilter []VerdictDocument `json:"prefilter"`
	Nodes     []NodeDocument    `json:"nodes"`
}

// MemberDocument is the outcome of one member.
type MemberDocument struct {
	Pod                  string   `json:"pod"`
	UID                  string   `json:"uid"`
	Outcome              Outcome  `json:"outcome"`
	Node                 string   `json:"node"`
	NominatedNode        string   `json:"nominatedNode"`
	Message              string   `json:"message"`
	UnschedulablePlugins []string `json:"unschedulablePlugins"`
}

// GroupPreemptionDocument is a preemption in favour of the group.
type GroupPreemptionDocument struct {
	Victims       []string          `json:"victims"`
	Reprieved     []string          `json:"reprieved"`
	PDBViolations int               `json:"pdbViolations"`
	Nominated     map[string]string `json:"nominated"`
}

func (g *Group) document() *GroupDocument {
	if g == nil {
		return nil
	}
	d := &GroupDocument{
		Policy: g.Policy, MinCount: g.MinCount, Scheduled: g.Scheduled, Found: g.Found(), Missing: g.Missing(),
		Topology:   g.Topology,
		Placements: []PlacementDocument{}, Tied: []string{}, Members: []MemberDocument{},
	}
	for i := range g.Placements {
		d.Placements = append(d.Placements, g.placementDocument(i))
	}
	if g.Selected != nil {
		d.Chosen, d.TieBreak = &g.Selected.Name, g.Selected.TieBreak.String()
		if g.Selected.Scored {
			d.Tied = g.Selected.Tied
		}
	}
	for _, m := range g.Settled {
		d.Members = append(d.Members, MemberDocument{
			Pod: m.Pod.Key(), UID: m.Pod.UID, Outcome: m.Outcome, Node: m.Node, NominatedNode: m.NominatedNode,
			Message:              m.Message,
			UnschedulablePlugins: listOf(m.Plugins),
		})
	}
	if p := g.Preempted; p != nil {
		d.Preemption = &GroupPreemptionDocument{
			Victims: listOf(p.Victims), Reprieved: listOf(p.Reprieved), PDBViolations: p.Violating,
			Nominated: map[string]string{},
		}
		for _, n := range p.Nodes {
			d.Preemption.Nominated[n.Pod] = n.Node
		}
	}
	return d
}

func (g *Group) placementDocument(i int) PlacementDocument {
	p := &g.Placements[i]
	d := PlacementDocument{Name: p.Name, Nodes: p.Nodes, Members: []TriedMemberDocument{}}
	if p.Ended != nil {
		d.Takes, d.Message = p.Takes(), p.Ended.Verdict.Message()
	}
	if s := g.Scores; s != nil {
		for k, name := range s.Names {
			if name != p.Name {
				continue
			}
			d.Total = &s.Totals[k]
			for c := range s.Columns {
				d.Scores = append(d.Scores, s.Columns[c].document(k))
			}
		}
	}
	for _, t := range p.Members {
		if t.State == NotTried {
			continue
		}
		d.Members = append(d.Members, TriedMemberDocument{
			Pod: t.Entity.Key(), Node: t.Found.Node, Message: t.Found.Message, Evaluated: t.Found.Evaluated,
			Feasible: t.Found.Feasible, PreFilter: t.preFilterDocuments(), Nodes: t.nodeDocuments(),
		})
	}
	return d
}
