package classroom

import (
	"context"
	"runtime"
	"runtime/metrics"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/utils/clock"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/tui/screen"
)

// Limits bound what one student does to a session. The zero value bounds nothing.
type Limits struct {
	Made    int           // branches, breakpoints, bookmarks and displayed values
	Command time.Duration // that one command may work
	Work    time.Duration // that a student may have worked at once, when they rested before
	Share   float64       // of a processor that a student may use in the long run
}

// Usual are limits for a class.
func Usual() Limits {
	return Limits{Made: 64, Command: 5 * time.Second, Work: 20 * time.Second, Share: 0.2}
}

// Memory bounds what all people of a class together keep in memory. Go has no bound for one of many in a process: what
// one student may make is counted instead, and the sum is watched, also while a command works.
type Memory struct {
	Most uint64        // bytes; 0: any number
	Used func() uint64 // bytes that are in use, by everything in the process
}

// InUse is what the last collection of garbage found in use.
func InUse() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return live[0].Value.Uint64()
}

// full reports whether there is no memory left for another command.
func (m Memory) full() bool { return m.Most > 0 && m.Used() >= m.Most }

// look is how often the memory is looked at while a command works.
const look = 50 * time.Millisecond

// watch looks at the memory until ctx ends, and stops the work that ctx is of when the memory is used up.
func (m Memory) watch(ctx context.Context, c clock.Clock, stop context.CancelCauseFunc) {
	timer := c.NewTimer(look)
	defer timer.Stop()
	for {
		select {
		case <-timer.C():
		case <-ctx.Done():
			return
		}
		if m.full() {
			stop(phrase.Errorf("stopped: the class's machine has no memory left; wait until others have done"))
			return
		}
		timer.Reset(look)
	}
}

// Turns lets as many students work at once as there are processors.
type Turns chan struct{}

// NewTurns are those of this machine.
func NewTurns() Turns { return make(Turns, runtime.GOMAXPROCS(0)) }

// bounds are those of one student.
func (l Limits) bounds(turns Turns, m Memory, c clock.WithDelayedExecution) screen.Bounds {
	if l == (Limits{}) {
		return screen.Bounds{}
	}
	share := rate.NewLimiter(rate.Limit(l.Share*1000), int(l.Work.Milliseconds())) // a token is a millisecond of work
	return screen.Bounds{Most: l.Made, Work: func(ctx context.Context) (context.Context, func(), error) {
		if share.TokensAt(c.Now()) < 1 {
			return nil, nil, phrase.Errorf("you have used up your share of the class's machine; wait a few seconds")
		}
		select {
		case turns <- struct{}{}:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
		began := c.Now()
		within, stop := context.WithCancelCause(ctx)
		timer := c.AfterFunc(l.Command, func() {
			stop(phrase.Errorf("stopped after %s, the most that a command may work in a class", l.Command))
		})
		if m.Most > 0 {
			go m.watch(within, c, stop)
		}
		return within, func() {
			timer.Stop()
			stop(nil)
			<-turns
			now := c.Now()
			share.ReserveN(now, int(min(now.Sub(began), l.Work).Milliseconds()))
		}, nil
	}}
}
