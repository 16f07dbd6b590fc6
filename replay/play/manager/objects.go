package manager

import (
	policyv1 "k8s.io/api/policy/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/request"
)

// ObjectsOf are the objects that requests to the API server of a player find: those of its cluster, and the workloads
// that its controllers know.
func ObjectsOf(p *play.Player) request.Objects { return objects{p} }

type objects struct{ player *play.Player }

// Find is an object.
func (o objects) Find(of request.Object) (found cluster.Object, is bool) {
	o.player.Control(func(c play.Controllers, by *play.Client) {
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
