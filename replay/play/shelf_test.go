package play_test

import (
	"slices"
	"testing"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source"
)

// shelved is a log of a script of which nothing was read, and what was taken off its shelf.
func shelved(script source.Script, first int) (log *source.Log, taken func() (before, after int)) {
	before, next := 0, first
	return source.Shelf{
			First: first, Len: len(script),
			Before: func() source.Script { before = first; return slices.Clone(script[:first]) },
			After: func() source.Script {
				some := script[next:min(next+3, len(script))]
				next += len(some)
				return some
			},
		}.Log(), func() (int, int) {
			return before, next - first
		}
}

func tenPods() source.Script {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var script source.Script
	for i := range 10 {
		script = append(script, source.Timed{
			At:    began.Add(time.Duration(i) * time.Second),
			Event: cluster.Event{Action: cluster.Add, Object: build.Pod(string(rune('a' + i)))},
		})
	}
	return script
}

// TestALogTakesOffItsShelfWhatIsAskedFor reads the number, the past and the rest.
func TestALogTakesOffItsShelfWhatIsAskedFor(t *testing.T) {
	script := tenPods()
	log, taken := shelved(script, 4)
	if b, a := taken(); log.Len() != 10 || b+a > 0 || !log.Closed() {
		t.Errorf("%d entries, of which %d and %d were taken to count them", log.Len(), b, a)
	}
	if past := log.Before(6); len(past) != 6 || past[0].Event.Object != script[0].Event.Object {
		t.Errorf("%d entries lie before the seventh", len(past))
	}
	if b, a := taken(); b != 4 || a != 3 {
		t.Errorf("%d and %d were taken for six", b, a)
	}
	if rest := log.From(0); len(rest) != 10 || rest[9].Event.Object != script[9].Event.Object || log.Len() != 10 {
		t.Errorf("there are %d entries in all, and %d", len(rest), log.Len())
	}
}

// TestAPlayerOfAShelfTakesTheSameSteps plays a log from a shelf and one that is whole.
func TestAPlayerOfAShelfTakesTheSameSteps(t *testing.T) {
	script := tenPods()
	in := &input.Input{Replay: input.Replay{World: input.Simulated, Script: script, Start: script[0].At}}
	whole := in.Play(config.Default(), 1, trace.Full)
	log, _ := shelved(script, 4)
	lazy := play.NewPlayer(whole.Fork().Scheduler(), play.NewSimulated(), log)
	for {
		was, more := whole.Step()
		is, goesOn := lazy.Step()
		if more != goesOn || told(was) != told(is) {
			t.Fatalf("%s\nfrom the shelf:\n%s", told(was), told(is))
		}
		if !more {
			return
		}
	}
}

// TestALogWithoutItsPastEndsWhereItIsAskedForIt keeps a damaged file from being played as another one.
func TestALogWithoutItsPastEndsWhereItIsAskedForIt(t *testing.T) {
	script := tenPods()
	in := &input.Input{Replay: input.Replay{World: input.Simulated, Script: script, Start: script[0].At}}
	log := source.Shelf{
		First: 4, Len: 10, Before: func() source.Script { return script[:2] },
		After: func() source.Script { return nil },
	}.Log()
	p := play.NewPlayer(in.Play(config.Default(), 1, trace.Full).Scheduler(), play.NewSimulated(), log)
	if step, ok := p.Step(); ok {
		t.Errorf("%v was played", step)
	}
}
