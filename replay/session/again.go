package session

import (
	"context"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/replay/play"
)

// Again runs the branch once more from the first step that is kept to the end of the cursor's step, and calls see with
// every step and with the scheduler after it. The cursor stays. It returns the scheduler at the end, to be read.
func (s *Session) Again(
	ctx context.Context, see func(step play.Step, after *core.Scheduler),
) (*core.Scheduler, error) {
	defer s.Heed(ctx)()
	first := s.line.first()
	p := s.line.playerAt(first, nil, nil)
	for n := first + 1; n <= s.at.Step; n++ {
		if n%reportEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		step, _ := p.Step()
		if edited, kept := s.line.checkpointAt(n); kept {
			p = edited.Fork() // where a branch begins, more has happened than the step
		}
		see(step, p.Scheduler())
	}
	return p.Scheduler(), nil
}
