package session

import (
	"context"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session/cause"
)

// What is run at most to find out whether pods that are tried before another take its room.
const (
	mostAhead      = 20_000
	verdictsBudget = 40_000_000 // cycles times nodes
)

// Outrun is the cause of a pod in activeQ that a node would take now, and that gets none, because pods that are tried
// before it take the room: that is run, which takes as long as their cycles, or until ctx ends. None where it gets a
// node, has another cause, or more would have to be run than this does.
func (k *At) Outrun(ctx context.Context, e *Explanation) []cause.Cause {
	ahead := e.Place.Before > 0 || k.trying != nil
	if e.Node != "" || len(e.Causes) > 0 || e.Place.Queue != queue.ActiveQ || !ahead || e.Place.Group != "" {
		return nil
	}
	try := e.Cycle
	if !e.Asked { // it is about an earlier attempt
		facts, err := k.player.ForPod(e.Pod).Examine(e.Pod)
		if err != nil {
			return nil
		}
		now, _ := trace.Fold(facts)
		try, _ = now.Try(e.Pod)
	}
	if try == nil || try.Matrix == nil || try.Matrix.FeasibleCount() == 0 {
		return nil
	}
	p, err := k.Trial()
	if err != nil {
		return nil
	}
	before := p.Scheduler().State().Fork()
	for left := min(mostAhead, verdictsBudget/max(len(before.Snapshot().Nodes), 1)); left > 0 && ctx.Err() == nil; {
		step, more := p.Step()
		if !more {
			return nil
		}
		if step.Kind != play.Tried {
			continue
		}
		left--
		if isAttemptOf(step.Facts, e.Pod) {
			return cause.RoomTaken(placedSince(before, p.Scheduler().State(), e.Pod))
		}
	}
	return nil
}

// isAttemptOf reports whether the facts of a cycle are those of an attempt of an entity.
func isAttemptOf(facts []trace.Fact, key string) bool {
	for _, f := range facts {
		if popped, is := f.(trace.Popped); is {
			return popped.Entity.Key() == key
		}
	}
	return false
}

// placedSince are the pods that had no node in one state and have one in a later, in order of key; none where the pod
// itself is one of them.
func placedSince(before, now *cluster.State, itself string) []string {
	if p, is := now.Pod(itself); !is || HostOf(now, p) != "" {
		return nil
	}
	var placed []string
	now.EachPod(func(p *cluster.Pod) bool {
		if old, was := before.Pod(p.Key); was && HostOf(now, p) != "" && HostOf(before, old) == "" {
			placed = append(placed, p.Key)
		}
		return true
	})
	return placed
}
