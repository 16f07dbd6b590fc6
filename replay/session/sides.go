package session

import (
	"time"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
)

// Side is the replay from where it begins, as far as what lies behind the position.
type Side struct {
	Play func(trace.Detail) *play.Player   // a player before its first step
	Over func(n int, step *play.Step) bool // says that the n-th step, from 0 on, lies ahead
}

// Sides are the replay as it is, and with a setting that is changed before the first step: that side gets the events
// that lie behind the position, and goes on until the time of the position: to as many cycles as the replay has had,
// while there pods wait for their turn at that time. What was tried out on branches is in neither.
func (k *At) Sides(setting Edit) (asIs, changed Side, err error) {
	first := k.main.checkpoints[0]
	switch {
	case k.line != k.main:
		return asIs, changed, phrase.Errorf(
			"diff: it is about the replay, not about a branch (branch %s goes there)", mainLine,
		)
	case k.lost || first.step > 0:
		return asIs, changed, phrase.Errorf("diff: the beginning of the replay is no longer kept")
	case len(first.player.Schedulers()) > 1:
		return asIs, changed, phrase.Errorf("diff: several schedulers decide here, and a setting is of one")
	}
	until, taken, steps := k.player.Scheduler().Now(), k.player.Taken(), k.steps
	cycles := int64(-1)
	if k.player.Scheduler().CanSchedule() {
		cycles = k.player.Scheduler().Cycles()
	}
	asIs = Side{
		Play: func(d trace.Detail) *play.Player {
			p := first.player.Branch()
			p.Keep(d)
			return p
		},
		Over: func(n int, _ *play.Step) bool { return n >= steps },
	}
	change := func(p *play.Player) error {
		p.EndLog(taken)
		return setting.apply(&change{
			player: p, version: k.session.about.Version, configure: k.session.about.Configure, regate: k.session.about.Regate,
		})
	}
	if err := change(asIs.Play(trace.Summary)); err != nil {
		return asIs, changed, err
	}
	changed = Side{
		Play: func(d trace.Detail) *play.Player {
			p := asIs.Play(d)
			if err := change(p); err != nil {
				panic("a setting that could be changed cannot be changed again: " + err.Error())
			}
			return p
		},
		Over: atCursor(until, cycles),
	}
	return asIs, changed, nil
}

// atCursor ends a side at a time, and before it has more than so many cycles; below 0: with any number.
func atCursor(until time.Time, cycles int64) func(n int, step *play.Step) bool {
	var tried int64
	return func(n int, step *play.Step) bool {
		if n == 0 {
			tried = 0
		}
		if step.Kind == play.Tried {
			tried++
		}
		return step.At.After(until) || cycles >= 0 && tried > cycles
	}
}
