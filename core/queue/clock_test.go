package queue_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// next is when the queue has something to do, counted from start; -1 when never.
func (s *stage) next() time.Duration {
	at, ok := s.Next(s.now)
	if !ok {
		return -1
	}
	return at.Sub(start())
}

func TestEmptyQueueHasNothingToWaitFor(t *testing.T) {
	s := newStage(t)
	if got := s.next(); got != -1 {
		t.Errorf("next after %s", got)
	}
	s.add("p")
	if got := s.next(); got != -1 {
		t.Errorf("activeQ waits %s", got)
	}
}

func TestNextIsTheWholeSecondAfterTheWindowInWhichBackoffEnds(t *testing.T) {
	s := newStage(t)
	s.reject("p")
	if got := s.next(); got != 1700*time.Millisecond {
		t.Errorf("next after %s", got)
	}
	s.wait(1600 * time.Millisecond)
	if got := s.next(); got != 1700*time.Millisecond {
		t.Errorf("next after %s", got)
	}
}

func TestUnschedulablePodIsTriedAgainAtTheFirstSweepAfterMoreThanFiveMinutes(t *testing.T) {
	for _, c := range []struct{ parkedAfter, want time.Duration }{
		{0, 5*time.Minute + 30*time.Second}, // 5 min sharp is not more than 5 min
		{time.Nanosecond, 5*time.Minute + 30*time.Second},
		{30*time.Second - time.Nanosecond, 5*time.Minute + 30*time.Second},
		{30 * time.Second, 6 * time.Minute},
	} {
		s := newStage(t)
		s.wait(c.parkedAfter)
		s.reject("p", "Silent")
		if got := s.next(); got != c.want {
			t.Errorf("parked after %s, tried again after %s, want %s", c.parkedAfter, got, c.want)
		}
		s.says(s.wait(c.want - c.parkedAfter - time.Nanosecond))
		s.says(s.wait(time.Nanosecond), "ns/p unschedulable -> activeQ on UnschedulableTimeout")
	}
}

func TestTimeoutWakesInOrderOfArrivalAndThoseInFlightHearOfIt(t *testing.T) {
	s := newStage(t)
	s.reject("b", "Silent")
	s.reject("a", "Silent")
	s.add("flying")
	flying := s.pop()
	s.says(s.wait(time.Hour),
		"ns/b unschedulable -> activeQ on UnschedulableTimeout",
		"ns/a unschedulable -> activeQ on UnschedulableTimeout")
	s.says(
		s.park(flying, "Silent"),
		"ns/flying in flight -> backoffQ on ScheduleAttemptFailure: UnschedulableTimeout while it was in flight until 2026-11-20T13:00:01Z",
	)
}

func TestUntil136NoTimeoutReachesAGatedPod(t *testing.T) {
	s := newStageOf(t, "1.36")
	s.add("p", held)
	if got := s.next(); got != -1 {
		t.Errorf("next after %s", got)
	}
	s.says(s.wait(time.Hour))
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

func TestGatedPodIsAskedAgainEveryFiveMinutesAndStaysGated(t *testing.T) {
	s := newStage(t)
	s.add("p", gates("a"))
	sweep := 5*time.Minute + 30*time.Second
	for n := 1; n <= 3; n++ {
		if got := s.next(); got != time.Duration(n)*sweep {
			t.Errorf("asked again after %s, want %s", got, time.Duration(n)*sweep)
		}
		s.says(s.wait(sweep))
		item, in, _ := s.Find("ns/p")
		if in != queue.Gated || !item.Flushed.Equal(s.now) || !item.Since.Equal(start()) {
			t.Errorf("in %s, flushed at %s, there since %s", in, item.Flushed, item.Since)
		}
	}
}

func TestTimeoutSendsAPodThatStillBacksOffToBackoffQ(t *testing.T) {
	r := rules()
	r.InitialBackoff, r.MaxBackoff = time.Hour, time.Hour
	s := newStage(t)
	s.Queue = queue.New(r, start())
	s.reject("p", "Silent")
	s.says(s.wait(3*time.Hour),
		"ns/p unschedulable -> backoffQ on UnschedulableTimeout until 2026-11-20T13:00:00Z",
		"ns/p backoffQ -> activeQ on BackoffComplete")
}

func TestAdvanceMovesInTimeOrderAndErrorsAfterTheOthersOfTheirSecond(t *testing.T) {
	s := newStage(t)
	s.reject("error")
	s.reject("rejected", "Fit")
	s.reject("timeout", "Silent")
	s.wake(podDelete, nil)
	s.says(s.wait(time.Hour),
		"ns/rejected backoffQ -> activeQ on BackoffComplete",
		"ns/error backoffQ -> activeQ on BackoffComplete",
		"ns/timeout unschedulable -> activeQ on UnschedulableTimeout")
}

func TestSweepsAreCountedFromTheStart(t *testing.T) {
	s := newStage(t)
	s.now = start().Add(7 * time.Second)
	s.reject("p", "Silent")
	at, _ := s.Next(s.now)
	if got := at.Sub(start()) % (30 * time.Second); got != 0 {
		t.Errorf("the sweep at %s is %s off", at, got)
	}
}

func TestFirstAttemptIsTheFirstTimeInActiveQ(t *testing.T) {
	s := newStage(t)
	s.add("p", gates("a"))
	s.wait(time.Minute)
	s.update("p")
	first := s.now
	s.wait(time.Minute)
	s.park(s.pop(), "Fit")
	s.wait(time.Minute)
	s.wake(podDelete, nil)
	item, _, _ := s.Find("ns/p")
	if !item.FirstAttempt.Equal(first) || !item.Since.Equal(first.Add(time.Minute)) {
		t.Errorf("first attempt at %s, since %s", item.FirstAttempt, item.Since)
	}
	if diff := cmp.Diff(trace.QueueCounts{Active: 1}, s.Counts()); diff != "" {
		t.Error(diff)
	}
}
