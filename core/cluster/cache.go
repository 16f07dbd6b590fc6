package cluster

import (
	"strings"
	"time"
)

// What kube-scheduler's cache holds beside the nodes and their pods. No cycle depends on it; it is there to be shown. A
// node has two numbers. Its generation is how often nodes of the cache had changed when it changed last, so the nodes
// by falling generation are kube-scheduler's list, with the one that changed last at its head (1.11 and later). In 1.10
// and earlier the generation is how often the node itself has changed.

// changed counts a change of a node that is writable.
func (s *State) changed(n *Node) {
	s.generation++
	n.generation, s.newest = s.generation, s.generation
	n.changes++
	s.journal.add(n.serial)
}

// drop takes a node out.
func (s *State) drop(n *Node) {
	s.nodes.Delete(n.Name)
	if n.generation == s.newest {
		s.newest = 0
	}
}

// Newest is the highest generation of a node that is there; 0: there is none.
func (s *State) Newest() int64 {
	if s.newest == 0 {
		s.nodes.Scan(func(_ string, n *Node) bool { s.newest = max(s.newest, n.generation); return true })
	}
	return s.newest
}

// Taken is the generation of the snapshot that the last cycle took: nodes with a higher one have changed since. 0: no
// cycle took one.
func (s *State) Taken() int64 { return s.taken }

// Generation is how often nodes had changed when this one changed last. A node that is new counts as a change.
func (n *Node) Generation() int64 { return n.generation }

// Changes is how often the node has changed since something was first known of its name.
func (n *Node) Changes() int64 { return n.changes }

// EachNode calls f with every node in the order of names until f returns false. It includes nodes that only pods name:
// without a Node object, their API is nil.
func (s *State) EachNode(f func(*Node) bool) {
	s.nodes.Scan(func(_ string, n *Node) bool { return f(n) })
}

// EachZone calls f with every zone and the names of its nodes, in the order in which they came. They are read only.
// Region and zone are both empty for the nodes without such labels.
func (s *State) EachZone(f func(region, zone string, nodes []string)) {
	for i, key := range s.zones.keys {
		region, zone, _ := strings.Cut(key, ":\x00:") // as GetZoneKey of k8s.io/component-helpers writes it
		f(region, zone, s.zones.names[i])
	}
}

// EachAssumed calls f with every assumed pod on its node, in the order of keys, and with the moment at which the belief
// ends; zero: none is known.
func (s *State) EachAssumed(f func(pod *Pod, until time.Time)) {
	s.assumed.Scan(func(_ string, a assumedPod) bool { f(a.pod, a.until); return true })
}

// EachImage calls f with every image name that a node has, in the order of names.
func (s *State) EachImage(f func(name string, image Image)) {
	s.images.byName.Scan(func(name string, i Image) bool { f(name, i); return true })
}
