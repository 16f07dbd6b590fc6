package session

import (
	"cmp"
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session/inside"
)

// Cache is what kube-scheduler's cache holds at the cursor, as its release keeps it.
type Cache struct {
	Version string
	Form    inside.Cache // zero: the source of the release was not read
	Read    bool         // Form is known
	Nodes   []CachedNode // the one that changed last first
	Newest  int64        // the highest generation of a node; of a release where nodes count alone: of no meaning
	Taken   int64        // that of the snapshot of the last cycle; 0: none was taken
	Within  bool         // the cursor is in the cycle that took it
	Zones   []CachedZone // in the order of their first nodes
	Order   []string     // in which the next cycle finds the nodes
	Assumed []AssumedPod // by name
	Images  []CachedImage
	Forgets time.Duration // after which assumed pods are forgotten that were not confirmed; 0: never
}

// CachedNode is a NodeInfo.
type CachedNode struct {
	Name       string
	Generation int64 // as the release counts
	Pods       int
	Copied     bool // the next snapshot copies it
	Ghost      bool // pods are on it, and it was not described
}

// CachedZone is a zone of the tree.
type CachedZone struct {
	Region, Zone string // both empty: its nodes have no such label
	Nodes        []string
}

// AssumedPod is a pod that counts on a node before the API server confirmed it.
type AssumedPod struct {
	Pod, Node string
	Until     time.Time // when it is forgotten; zero: nothing ends it but an event
}

// CachedImage is an image name that nodes have.
type CachedImage struct {
	Name  string
	Nodes int
	Size  trace.Value
}

// cacheOf reads the cache out of a state that does not change any more. In the middle of a cycle that is the state
// before it; the facts up to the cursor are applied to a copy.
func cacheOf(state *cluster.State, version string, forgets time.Duration, facts []trace.Fact, c *trace.Cycle) Cache {
	within := c != nil && len(facts) > 0
	if within {
		state = state.Fork()
		state.Settle()
		for _, fact := range facts {
			if c.Group == nil {
				assume(state, fact)
			}
		}
	}
	form, read := inside.CacheOf(version)
	all := Cache{
		Version: version, Form: form, Read: read, Newest: state.Newest(), Taken: state.Taken(), Within: within,
		Order: state.Snapshot().Names, Forgets: forgets,
	}
	all.nodes(state)
	state.EachZone(func(region, zone string, nodes []string) {
		all.Zones = append(all.Zones, CachedZone{region, zone, nodes})
	})
	state.EachAssumed(func(pod *cluster.Pod, until time.Time) {
		all.Assumed = append(all.Assumed, AssumedPod{pod.Key, pod.NodeName, until})
	})
	state.EachImage(func(name string, i cluster.Image) {
		all.Images = append(all.Images, CachedImage{name, i.Nodes, trace.Bytes(i.Size)})
	})
	return all
}

func (c *Cache) nodes(state *cluster.State) {
	var nodes []*cluster.Node
	state.EachNode(func(n *cluster.Node) bool { nodes = append(nodes, n); return true })
	slices.SortFunc(nodes, func(a, b *cluster.Node) int { return cmp.Compare(b.Generation(), a.Generation()) })
	for _, n := range nodes {
		node := CachedNode{
			Name: n.Name, Generation: n.Generation(), Pods: len(n.Pods), Ghost: n.API == nil,
			Copied: n.Generation() > c.Taken && n.API != nil,
		}
		if c.Read && !c.Form.Listed {
			node.Generation = n.Changes()
		}
		c.Nodes = append(c.Nodes, node)
	}
}

// assume has a fact of a cycle happen to a state.
func assume(state *cluster.State, fact trace.Fact) {
	switch f := fact.(type) {
	case trace.Assumed:
		pod, there := state.Pod(f.Pod)
		if _, already := state.Assumed(f.Pod); there && !already {
			state.Assume(pod, f.Node)
		}
	case trace.Forgotten:
		state.Forget(f.Pod)
	}
}
