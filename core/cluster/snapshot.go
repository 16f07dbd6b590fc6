package cluster

import (
	"time"

	"k8s.io/apimachinery/pkg/labels"
)

// Snapshot is the cluster as one cycle sees it: fixed, and in a fixed order. It is a view of the State and is good
// until that State changes. Nodes without a description are not in it.
type Snapshot struct {
	Nodes []*Node   // one node of each zone in turn
	Names []string  // of Nodes; stays good for ever
	Now   time.Time // of the cycle; zero in a view that no cycle has
	// Promised is what is assumed for the members of a pod group that the same cycle found nodes for before: the State's
	// alone is not enough to know it by, for there it is beside what other cycles assume.
	Promised []Object
	state    *State
}

// Snapshot is the present view.
func (s *State) Snapshot() *Snapshot {
	if s.order == nil {
		s.names = s.listing()
		order := make([]*Node, len(s.names))
		positions := make([]int32, s.serials)
		for i := range positions {
			positions[i] = -1
		}
		for i, name := range s.names {
			n, _ := s.nodes.Get(name)
			if n.index != i {
				n = s.writable(n)
				n.index = i
			}
			order[i] = n
			positions[n.serial] = int32(i)
		}
		s.order, s.positions, s.topologies = order, positions, nil
	}
	return &Snapshot{Nodes: s.order, Names: s.names, state: s}
}

// Settle is the view of a cycle. Later views keep its order for as long as the same nodes are there, also when one
// moves to another zone or leaves and comes back: kube-scheduler makes its list of nodes again only when a cycle finds
// a node that is new, or misses one (UpdateSnapshot, 1.37).
func (s *State) Settle() *Snapshot {
	v := s.Snapshot()
	s.settled, s.taken = v.Names, s.Newest()
	return v
}

// listing is the names of the nodes in the order of a snapshot.
func (s *State) listing() []string {
	if s.reading.NodeListMadeEachCycle || len(s.settled) != s.zones.count {
		return s.zones.list()
	}
	for _, name := range s.settled {
		if n, ok := s.nodes.Get(name); !ok || n.API == nil {
			return s.zones.list()
		}
	}
	return s.settled
}

// Node is the node with that name.
func (v *Snapshot) Node(name string) (*Node, bool) {
	n, ok := v.state.nodes.Get(name)
	if !ok || n.API == nil {
		return nil, false
	}
	return n, true
}

// Pod is a live pod as the API server last showed it.
func (v *Snapshot) Pod(key string) (*Pod, bool) { return v.state.Pod(key) }

// Image is what the nodes know of an image name; false when none has it.
func (v *Snapshot) Image(name string) (Image, bool) { return v.state.images.byName.Get(name) }

// Objects is everything besides pods and nodes.
func (v *Snapshot) Objects() *Objects { return &v.state.objects }

// NamespaceLabels are the labels of a namespace, none when it is unknown.
func (v *Snapshot) NamespaceLabels(name string) labels.Set { return v.state.NamespaceLabels(name) }

// LabelSets is how many different LabelSets there have been; every LabelSet.ID is below it.
func (v *Snapshot) LabelSets() int { return v.state.LabelSets() }

// NamespaceLabels are the labels of a namespace, none when it is unknown.
func (s *State) NamespaceLabels(name string) labels.Set {
	ns, ok := s.objects.Namespaces.Find(name)
	if !ok {
		return nil
	}
	return ns.Labels
}
