package cluster

import (
	"cmp"
	"slices"
)

// Reread is what another release of kube-scheduler makes of the same objects when it begins with them: first everything
// else, then the nodes in the order in which they came, then the pods by their keys. What this one believes beyond the
// objects is not in it, nor are kinds that this one does not read.
func (s *State) Reread(reading Reading) *State {
	again := NewStateFor(reading)
	for _, stock := range s.objects.stocks() {
		stock.byKey.Scan(func(_ string, o Object) bool { again.Apply(Event{Action: Add, Object: o}); return true })
	}
	for _, n := range s.nodesAsTheyCame() {
		again.Apply(Event{Action: Add, Object: n.API})
	}
	s.EachPod(func(p *Pod) bool { again.Apply(Event{Action: Add, Object: p.API}); return true })
	return again
}

// nodesAsTheyCame are the nodes with a description, in the order in which they came.
func (s *State) nodesAsTheyCame() []*Node {
	var nodes []*Node
	s.nodes.Scan(func(_ string, n *Node) bool {
		if n.API != nil {
			nodes = append(nodes, n)
		}
		return true
	})
	slices.SortFunc(nodes, func(a, b *Node) int { return cmp.Compare(a.serial, b.serial) })
	return nodes
}
