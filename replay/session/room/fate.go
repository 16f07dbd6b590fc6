package room

import (
	"cmp"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
)

// Fate is what the cycles of a run made of one node: how often it was chosen, and if not, why.
type Fate struct {
	Node     string     `json:"node"`
	Tries    int        `json:"tries"`    // searches for a node while it was there
	Chosen   int        `json:"chosen"`   // it was the host that was found
	Outdone  int        `json:"outdone"`  // it fitted, and another was chosen
	Passed   int        `json:"passed"`   // it was not looked at: enough others fitted, or none could
	Rejected []Rejected `json:"rejected"` // by the first plugin that rejects, the most often first
}

// Rejected is how often a plugin was the first to reject a node.
type Rejected struct {
	Plugin string `json:"plugin"`
	Times  int    `json:"times"`
}

// Fates gathers what the cycles of a run make of nodes.
type Fates struct {
	only  string // a node: of the others nothing is kept; "": all
	nodes map[string]*fate
}

// fate is a Fate that goes on.
type fate struct {
	Fate
	by map[string]int // how often a plugin rejected it first
}

// NewFates is about a node alone or, with "", about all.
func NewFates(only string) *Fates { return &Fates{only: only, nodes: map[string]*fate{}} }

// See takes the facts of every step. Those of a cycle have its matrix (detail Reported).
func (f *Fates) See(facts []trace.Fact) {
	var searched *trace.Matrix
	for _, fact := range facts {
		switch fact := fact.(type) {
		case trace.Filtered:
			f.add(searched, "")
			searched = fact.Matrix
		case trace.Selected:
			f.add(searched, fact.Node)
			searched = nil
		}
	}
	f.add(searched, "")
}

// add counts one search; nil: none.
func (f *Fates) add(m *trace.Matrix, chosen string) {
	if m == nil {
		return
	}
	for i, name := range m.Nodes {
		if f.only != "" && f.only != name {
			continue
		}
		n := f.nodes[name]
		if n == nil {
			n = &fate{Fate: Fate{Node: name}, by: map[string]int{}}
			f.nodes[name] = n
		}
		n.Tries++
		switch {
		case name == chosen:
			n.Chosen++
		case m.First[i] == trace.FirstNone:
			n.Outdone++
		case m.First[i] < 0:
			n.Passed++
		default:
			n.by[m.Plugins[m.First[i]]]++
		}
	}
}

// All are the nodes that were there, those that were chosen least often first, then by name.
func (f *Fates) All() []Fate {
	all := make([]Fate, 0, len(f.nodes))
	for _, n := range f.nodes {
		one := n.Fate
		one.Rejected = []Rejected{}
		for plugin, times := range n.by {
			one.Rejected = append(one.Rejected, Rejected{plugin, times})
		}
		slices.SortFunc(one.Rejected, func(a, b Rejected) int {
			return cmp.Or(cmp.Compare(b.Times, a.Times), strings.Compare(a.Plugin, b.Plugin))
		})
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b Fate) int {
		return cmp.Or(cmp.Compare(a.Chosen, b.Chosen), strings.Compare(a.Node, b.Node))
	})
	return all
}
