package manager

import (
	policyv1 "k8s.io/api/policy/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay"
	"github.com/schedstep/schedstep/replay/request"
)

// ObjectsOf are the objects that requests to the API server of a player find: those of its cluster, and the workloads
// that its controllers know.
func ObjectsOf(p *replay.Player) request.Objects { return objects{p} }

type objects struct{ player *replay.Player }

// Find is an object.
func (o objects) Find(of request.Object) (found cluster.Object, is bool) {
	o.player.Control(func(c replay.Controllers, by *replay.Client) {
		if m, ours := c.(*Manager); ours {
			found, is = m.Find(by.State(), of)
		}
	})
	return found, is
}

// EachBudget calls f with the budgets of a namespace.
func (o objects) EachBudget(namespace string, f func(*policyv1.PodDisruptionBudget) bool) {
	o.player.Scheduler().State().Objects().DisruptionBudgets.EachIn(namespace, f)
}
