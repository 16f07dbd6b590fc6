package cluster

import (
	"strings"
	"time"
)

// What kube-scheduler's cache knows beside the nodes and their pods, for whoever wants to see it: no cycle decides by
// it. A node has two numbers. Its generation is how often nodes of the cache had changed when it changed last, so the
// nodes by falling generation are kube-scheduler's list, with the one that changed last at its head (1.11 and later).
// How often it has changed itself is its generation in 1.10 and earlier.

// changed counts a change of a node that is writable.
func (s *State) changed(n *Node) {
	s.generation++
	n.generation, s.newest = s.generation, s.generation
	n.changes++
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

// EachNode calls f with every node in the order of names until f says false; also with those that pods name and nobody
// described, whose API is nil.
func (s *State) EachNode(f func(*Node) bool) {
	s.nodes.Scan(func(_ string, n *Node) bool { return f(n) })
}

// EachZone calls f with every zone and the names of its nodes, in the order in which they came. Nobody may write them.
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
