package session

import (
	"context"
	"sync"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay"
	"github.com/schedstep/schedstep/replay/room"
)

// cyclesAsked is how many cycles before the cursor are run again, at most, to tell what became of a node.
const cyclesAsked = 5000

// Fate is what the cycles up to the cursor made of a node, and of how many it is told; fewer than there were when the
// line is long, or ctx ended. progress (may be nil) is told of steps.
func (s *Session) Fate(ctx context.Context, node string, progress func(steps int)) (of room.Fate, cycles int64) {
	k := s.here()
	line := s.line
	last := line.cycleOf(k.steps)
	first := max(last-cyclesAsked, line.gone)
	if first == last {
		return room.Fate{Node: node}, 0
	}
	fates := room.NewFates(node)
	p := line.playerAt(line.stepOf(first+1)-1, nil, nil)
	for n := line.stepOf(first + 1); n <= k.steps; n++ {
		step, more := p.Step()
		if !more || ctx.Err() != nil {
			break
		}
		if edited, kept := line.checkpointAt(n); kept {
			p = edited.Fork()
		}
		if step.Kind == replay.Tried {
			fates.See(step.Facts)
			cycles++
		}
		if progress != nil && n%reportEvery == 0 {
			progress(n)
		}
	}
	if all := fates.All(); len(all) > 0 {
		return all[0], cycles
	}
	return room.Fate{Node: node}, cycles
}

// strandedOf tells of a node of a state that does not change any more what is left on it for nobody.
func strandedOf(state *cluster.State) func(node string) []room.Stranded {
	pending := sync.OnceValue(func() []*cluster.Pod { return room.Pending(state) })
	return func(node string) []room.Stranded {
		n, there := state.Snapshot().Node(node)
		if !there {
			return nil
		}
		return room.StrandedOn(n, pending())
	}
}

// Stranded is what is left on a node at the cursor and is of use to no pod without a node.
func (f *Frame) Stranded(node string) []room.Stranded {
	if f.stranded == nil {
		return nil
	}
	return f.stranded(node)
}
