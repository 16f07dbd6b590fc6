package classroom

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

// at is when the students of these tests begin.
var at = time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC)

// limits let a command work for five seconds, and a student for twenty at once and for a fifth of a processor.
func limits() Limits {
	return Limits{Made: 3, Command: 5 * time.Second, Work: 20 * time.Second, Share: 0.2}
}

// works makes a student's command run for a time; the error is that of a student whose command may not begin.
func works(
	t *testing.T, work func(context.Context) (context.Context, func(), error), c *clocktesting.FakeClock, d time.Duration,
) error {
	t.Helper()
	_, done, err := work(t.Context())
	if err != nil {
		return err
	}
	c.Step(d)
	done()
	return nil
}

func TestWhoHasUsedUpTheirShareWaitsUntilItHasGrown(t *testing.T) {
	c := clocktesting.NewFakeClock(at)
	turns := make(Turns, 1)
	anna, bob := limits().bounds(turns, Memory{}, c).Work, limits().bounds(turns, Memory{}, c).Work
	// Each second of work takes one and gives a fifth back, so that twenty last for 25 seconds of work.
	for i := range 25 {
		if err := works(t, anna, c, time.Second); err != nil {
			t.Fatalf("second %d: %v", i, err)
		}
	}
	err := works(t, anna, c, time.Second)
	if err == nil || !strings.Contains(err.Error(), "share of the class's machine") {
		t.Errorf("who has used up their share begins with %v", err)
	}
	if err := works(t, bob, c, time.Second); err != nil {
		t.Errorf("bob pays for anna: %v", err)
	}
	c.Step(5 * time.Second)
	if err := works(t, anna, c, time.Second); err != nil {
		t.Errorf("after a rest: %v", err)
	}
}

func TestACommandIsStoppedAtItsTimeAndSaysSo(t *testing.T) {
	c := clocktesting.NewFakeClock(at)
	within, done, err := limits().bounds(make(Turns, 1), Memory{}, c).Work(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.Step(5*time.Second - 1)
	if within.Err() != nil {
		t.Errorf("a command is stopped before its time: %v", context.Cause(within))
	}
	c.Step(1)
	<-within.Done()
	if why := context.Cause(within).Error(); why != "stopped after 5s, the most that a command may work in a class" {
		t.Errorf("the command is stopped: %s", why)
	}
	done()
	if c.HasWaiters() {
		t.Error("the time of a command that ended still runs")
	}
}

// A command that takes what memory the class has left is stopped long before its time.
func TestACommandIsStoppedWhenMemoryIsUsedUp(t *testing.T) {
	c := clocktesting.NewFakeClock(at)
	var used atomic.Uint64
	memory := Memory{Most: 100, Used: used.Load}
	within, done, err := limits().bounds(make(Turns, 1), memory, c).Work(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	used.Store(99)
	for range 3 {
		waiting(t, c)
		c.Step(look)
	}
	waiting(t, c)
	if within.Err() != nil {
		t.Fatalf("a command is stopped while memory is left: %v", context.Cause(within))
	}
	used.Store(100)
	c.Step(look)
	<-within.Done()
	want := "stopped: the class's machine has no memory left; wait until others have done"
	if why := context.Cause(within).Error(); why != want {
		t.Errorf("the command is stopped: %s", why)
	}
}

// waiting returns when both the time of a command and the next look at the memory are waited for.
func waiting(t *testing.T, c *clocktesting.FakeClock) {
	t.Helper()
	for c.Waiters() < 2 {
		if t.Context().Err() != nil {
			t.Fatal("nobody looks at the memory")
		}
		runtime.Gosched()
	}
}

// With one processor a second student begins when the first has done, or goes away without having begun.
func TestOnlyAsManyWorkAsThereAreTurns(t *testing.T) {
	c := clocktesting.NewFakeClock(at)
	turns := make(Turns, 1)
	anna, bob := limits().bounds(turns, Memory{}, c).Work, limits().bounds(turns, Memory{}, c).Work
	_, done, err := anna(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	away, goes := context.WithCancel(t.Context())
	goes()
	if _, _, err := bob(away); err == nil {
		t.Error("bob works beside anna, and there is one turn")
	}
	began := make(chan error)
	go func() {
		_, done, err := bob(t.Context())
		if err == nil {
			done()
		}
		began <- err
	}()
	done()
	if err := <-began; err != nil {
		t.Error(err)
	}
}

func TestLimitsThatAreZeroBoundNothing(t *testing.T) {
	if b := (Limits{}).bounds(nil, Memory{}, nil); b.Work != nil || b.Most != 0 {
		t.Errorf("%+v", b)
	}
	if b := limits().bounds(make(Turns, 1), Memory{}, clocktesting.NewFakeClock(at)); b.Most != 3 {
		t.Errorf("%d things may be made, want 3", b.Most)
	}
}
