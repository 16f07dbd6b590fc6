package explain

import (
	"context"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/session/room"
)

// The cycles before the position that are run again, at most, to find the results for a node; and after how many steps
// progress is reported.
const (
	cyclesAsked = 5000
	reportEvery = 64
)

// Node is what a node holds, what it answers to the pods that wait, and its results in the cycles up to the position:
// in fewer than there were where the line is long, or ctx ended. progress (may be nil) is called with steps.
func Node(
	ctx context.Context, k *session.At, name string, progress func(steps int),
) (session.NodeExplanation, error) {
	e, err := k.ExplainNode(name)
	if err != nil {
		return e, err
	}
	fates, again := room.NewFates(name), k.RerunCycles(cyclesAsked, trace.Reported)
	for {
		n, step, more := again.Next()
		if !more || ctx.Err() != nil {
			break
		}
		if step.Kind == play.Tried {
			fates.See(step.Facts)
			e.Cycles++
		}
		if progress != nil && n%reportEvery == 0 {
			progress(n)
		}
	}
	e.Fate = room.Fate{Node: name}
	if all := fates.All(); len(all) > 0 {
		e.Fate = all[0]
	}
	return e, nil
}
