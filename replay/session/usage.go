package session

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session/room"
)

// Waits is how many entities are in each queue.
type Waits struct{ Active, Backoff, Unschedulable, Gated int32 }

// All is how many there are in all of them.
func (w Waits) All() int { return int(w.Active + w.Backoff + w.Unschedulable + w.Gated) }

func waitsOf(c trace.QueueCounts) Waits {
	return Waits{int32(c.Active), int32(c.Backoff), int32(c.Unschedulable), int32(c.Gated)}
}

// Usage is how much is requested of a node, resource by resource: cpu, memory, pods, then others.
type Usage struct {
	Node   string
	Shares []ResourceShare
}

// ResourceShare is how much of one resource is requested.
type ResourceShare struct {
	Resource string
	Share
}

// Of is the share of a resource; false where the node has none of it.
func (u *Usage) Of(resource string) (Share, bool) {
	for _, s := range u.Shares {
		if s.Resource == resource {
			return s.Share, true
		}
	}
	return Share{}, false
}

// usageOf is how much is requested of every node, in the snapshot's order.
func usageOf(state *cluster.State) []Usage {
	nodes := state.Snapshot().Nodes
	all := make([]Usage, len(nodes))
	for i, n := range nodes {
		all[i].Node = n.API.Name
		for _, name := range room.Resources(n) {
			a := room.Of(n, name)
			all[i].Shares = append(all[i].Shares, ResourceShare{name, Share{a.Used, a.All}})
		}
	}
	return all
}
