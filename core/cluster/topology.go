package cluster

import "slices"

// Topology is how one label divides the nodes of a snapshot into domains: all nodes with one value are one domain.
// It is read only and is shared by every snapshot between two changes of nodes.
type Topology struct {
	Key      string
	Values   []string // by domain; domains are numbered by their first node in the snapshot's order
	Of       []int32  // the domain of each node, by Node.Index; -1 for a node without the label
	Complete bool     // no node is without the label
}

// Domain is the number of the domain with that value; -1 when no node has the value.
func (t *Topology) Domain(value string) int { return slices.Index(t.Values, value) }

// Topology is the division of the nodes by a label. The first question after a change of nodes costs a walk over all
// of them, the others nothing.
func (v *Snapshot) Topology(key string) *Topology {
	s := v.state
	for _, t := range s.topologies {
		if t.Key == key {
			return t
		}
	}
	t := newTopology(key, v.Nodes)
	s.topologies = append(slices.Clip(s.topologies), t)
	return t
}

func newTopology(key string, nodes []*Node) *Topology {
	t := &Topology{Key: key, Of: make([]int32, len(nodes)), Complete: true}
	numbers := map[string]int32{}
	for i, n := range nodes {
		value, has := n.API.Labels[key]
		if !has {
			t.Of[i] = -1
			t.Complete = false
			continue
		}
		d, known := numbers[value]
		if !known {
			d = int32(len(t.Values))
			numbers[value] = d
			t.Values = append(t.Values, value)
		}
		t.Of[i] = d
	}
	return t
}
