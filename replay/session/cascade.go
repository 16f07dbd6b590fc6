package session

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay"
)

// Fallen is a pod that has to leave its node for another one, and what becomes of it when it is created again, as its
// controller would do.
type Fallen struct {
	Pod  string // namespace/name
	From string // its node
	For  string // the pod that takes its place
	Node string // where it is in the end; "" while it has none
}

// What a cascade is at most.
const (
	mostFallen       = 200
	mostCascadeSteps = 20_000
)

// errNoEviction is why there is no cascade.
var errNoEviction = phrase.Errorf("nobody is evicted here: go to the end of a cycle that nominates a node")

// Cascade follows the evictions of the cycle of the cursor: each pod that goes is created again without a node, runs
// through the scheduler, and may evict others in turn. They are listed in the order in which they have to leave; whole
// means that the queues have settled. Nothing more comes of the log, and the session stays as it is.
func (s *Session) Cascade(ctx context.Context) (fallen []Fallen, whole bool, err error) {
	p, err := s.Trial()
	if err != nil {
		return nil, false, err
	}
	k := s.here()
	if cycle := s.Frame().About(); k.trying == nil && cycle != nil && cycle.Latest() != nil {
		fallen = goingFor(cycle.Latest(), p.Scheduler().State())
	}
	for range mostCascadeSteps {
		step, more := p.Step()
		if !more || ctx.Err() != nil || len(fallen) > mostFallen {
			whole = !more
			break
		}
		for _, e := range step.Effects {
			if evicted, is := e.(core.Evict); is {
				fallen = append(fallen, Fallen{Pod: evicted.Pod.Key, From: evicted.Pod.NodeName, For: evicted.For.Key})
			}
		}
		if gone, is := hasLeft(step, fallen); is {
			p.Deliver(cluster.Event{Action: cluster.Add, Object: again(gone)})
		}
	}
	if len(fallen) == 0 {
		return nil, false, errNoEviction
	}
	for i := range fallen {
		if live, there := p.Scheduler().State().Pod(fallen[i].Pod); there {
			fallen[i].Node = HostOf(p.Scheduler().State(), live)
		}
	}
	return fallen, whole, ctx.Err()
}

// goingFor are the victims of a try that are still there.
func goingFor(t *trace.Try, state *cluster.State) []Fallen {
	if t.Preemption == nil {
		return nil
	}
	var fallen []Fallen
	for _, victim := range t.Preemption.Victims {
		if live, there := state.Pod(victim); there && live.NodeName == t.Preemption.Node {
			fallen = append(fallen, Fallen{Pod: victim, From: t.Preemption.Node, For: t.Entity.Key()})
		}
	}
	return fallen
}

// hasLeft is the evicted pod whose deletion a step has delivered, if a controller would create it again.
func hasLeft(step replay.Step, fallen []Fallen) (*corev1.Pod, bool) {
	pod, is := step.Event.Object.(*corev1.Pod)
	if !is || step.Kind != replay.Delivered || step.Event.Action != cluster.Delete || belongsToNode(pod) {
		return nil, false
	}
	return pod, slices.ContainsFunc(fallen, func(f Fallen) bool { return f.Pod == cluster.Key(pod) })
}
