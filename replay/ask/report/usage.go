package report

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/session/room"
)

// usage works out how nodes, resources and zones are used.
func (r *Report) usage(nodes []*cluster.Node) {
	for _, n := range nodes {
		r.Nodes.All++
		if len(n.Pods) == 0 {
			r.Nodes.Empty++
		}
		if n.API.Spec.Unschedulable {
			r.Nodes.Closed++
		}
	}
	r.Resources, r.Zones = room.UsesOf(nodes), room.ZonesOf(nodes)
}
