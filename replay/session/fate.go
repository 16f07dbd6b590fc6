package session

import (
	"context"

	"github.com/schedstep/schedstep/replay"
	"github.com/schedstep/schedstep/replay/room"
)

// cyclesAsked is how many cycles before the cursor are run again, at most, to tell what became of a node.
const cyclesAsked = 5000

// Fate is what the cycles up to the cursor made of a node, and of how many it is told; fewer than there were when the
// line is long, or ctx ended. progress (may be nil) is told of steps.
func (k *At) Fate(ctx context.Context, node string, progress func(steps int)) (of room.Fate, cycles int64) {
	line := k.line
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
