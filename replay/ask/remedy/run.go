package remedy

import (
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play"
)

// run is the result of running a set of changes.
type run struct {
	node  string // of the pod; "" none
	late  bool   // it took the time after which pods are tried again anyway
	state *cluster.State
}

// outcome is the run without changes.
type outcome struct {
	run
	late *cluster.State // after pods were tried again anyway; state is before
}

// What a run does at most.
const (
	mostSteps    = 100_000
	leastCycles  = 200
	mostCycles   = 5000
	cyclesBudget = 1_000_000 // nodes that the cycles of one run together may look at
	searchBudget = 20 * cyclesBudget
)

// play runs a player until the queues have settled. When the pod has no node then, time goes on until it would be tried
// again anyway.
func (f *finder) play(p *play.Player) outcome {
	f.settle(p)
	first := p.Scheduler().State().Fork()
	if node := nodeOf(first, f.pod); node != "" {
		return outcome{run: run{node: node, state: first}, late: first}
	}
	q := p.Scheduler().Queue()
	p.RunOn(p.Scheduler().Now().Add(q.Patience() + time.Minute))
	f.settle(p)
	late := p.Scheduler().State().Fork()
	return outcome{run: run{node: nodeOf(late, f.pod), late: true, state: first}, late: late}
}

// run runs a set of changes once.
func (f *finder) run(s *Set) run {
	if r, done := f.known[s.Key]; done {
		return r
	}
	f.count()
	var r run
	if p, err := f.here.Trial(edits(s.Changes)...); err == nil {
		o := f.play(p)
		if r = o.run; o.run.late {
			r.state = o.late
		}
	}
	f.known[s.Key] = r
	return r
}

// settle steps until nothing is left to do, or more was done than a run may do.
func (f *finder) settle(p *play.Player) {
	cycles := min(max(cyclesBudget/max(f.answer.Nodes, 1), leastCycles), mostCycles)
	for range mostSteps {
		if cycles == 0 || f.ctx.Err() != nil {
			return
		}
		step, ok := p.Step()
		if !ok {
			return
		}
		if step.Kind == play.Tried {
			cycles--
			f.cycles++
		}
	}
}

// nodeOf is the node of a pod, also one that is only assumed.
func nodeOf(s *cluster.State, pod string) string {
	p := pending(s, pod)
	if p == nil {
		return ""
	}
	if assumed, ok := s.Assumed(pod); ok {
		return assumed.NodeName
	}
	return p.NodeName
}
