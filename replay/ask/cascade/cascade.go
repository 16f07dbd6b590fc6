// Package cascade is the question where evicted pods go, and which pods they evict in turn. It runs that on a copy: the
// session stays as it is.
package cascade

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/ask"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
)

// Question is the question as it is typed.
func Question() ask.Question {
	return ask.Question{
		Name: "cascade", LooksBack: true, Data: true, Find: find,
		Does: "follow the evictions of this cycle: where the evicted pods go, and whom they evict in turn",
		Help: "Follows the evictions of the cycle of the cursor on a copy: each pod that goes is created again, as its " +
			"controller would do, and may evict others in turn. It tells who leaves for whom, and where each of them is in " +
			"the end.",
		Command: ask.Piped, Page: ask.OnNoPage,
		Examples: []string{"cascade"},
	}
}

// answer is the pods that leave, in the order in which they have to.
type answer struct {
	Fallen []fallen `json:"evicted"`
	Whole  bool     `json:"whole"` // the queues have settled
}

// fallen is a pod that has to leave its node for another one, and where it goes when it is created again, as its
// controller would do.
type fallen struct {
	Pod  string `json:"pod"`  // namespace/name
	From string `json:"from"` // its node
	For  string `json:"for"`  // the pod that takes its place
	Node string `json:"node"` // where it is in the end; "" while it has none
}

// What a cascade is at most.
const (
	mostFallen       = 200
	mostCascadeSteps = 20_000
)

// errNoEviction is why there is no cascade.
var errNoEviction = phrase.Errorf("nobody is evicted here: go to the end of a cycle that nominates a node")

// find follows the evictions of the cycle of the cursor: each pod that goes is created again without a node, runs
// through the scheduler, and may evict others in turn. Nothing more comes of the log.
func find(c ask.Call) (ask.Answer, error) {
	p, err := c.At.Trial()
	if err != nil {
		return nil, err
	}
	var a answer
	if cycle := c.Frame.About(); !c.At.IsTrying() && cycle != nil && cycle.Latest() != nil {
		a.Fallen = goingFor(cycle.Latest(), p.Scheduler().State())
	}
	for range mostCascadeSteps {
		step, more := p.Step()
		if !more || c.Context.Err() != nil || len(a.Fallen) > mostFallen {
			a.Whole = !more
			break
		}
		for _, e := range step.Effects {
			if evicted, is := e.(core.Evict); is {
				a.Fallen = append(a.Fallen, fallen{Pod: evicted.Pod.Key, From: evicted.Pod.NodeName, For: evicted.For.Key})
			}
		}
		if fresh, is := successor(step, a.Fallen); is {
			p.Deliver(cluster.Event{Action: cluster.Add, Object: fresh})
		}
	}
	if len(a.Fallen) == 0 {
		return nil, errNoEviction
	}
	for i := range a.Fallen {
		if live, there := p.Scheduler().State().Pod(a.Fallen[i].Pod); there {
			a.Fallen[i].Node = session.HostOf(p.Scheduler().State(), live)
		}
	}
	return a, c.Context.Err()
}

// goingFor are the victims of a try that are still there.
func goingFor(t *trace.Try, state *cluster.State) []fallen {
	if t.Preemption == nil {
		return nil
	}
	var all []fallen
	for _, victim := range t.Preemption.Victims {
		if live, there := state.Pod(victim); there && live.NodeName == t.Preemption.Node {
			all = append(all, fallen{Pod: victim, From: t.Preemption.Node, For: t.Entity.Key()})
		}
	}
	return all
}

// successor is what a controller creates in place of the evicted pod whose deletion a step has delivered.
func successor(step play.Step, all []fallen) (*corev1.Pod, bool) {
	pod, is := step.Event.Object.(*corev1.Pod)
	if !is || step.Kind != play.Delivered || step.Event.Action != cluster.Delete ||
		!slices.ContainsFunc(all, func(f fallen) bool { return f.Pod == cluster.Key(pod) }) {
		return nil, false
	}
	return session.Successor(pod)
}
