package queue_test

import (
	"iter"
	"testing"
	"time"

	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

func TestHigherPriorityIsPoppedFirstThenWhoWaitsLonger(t *testing.T) {
	s := newStage(t)
	s.add("low")
	s.wait(time.Millisecond)
	s.add("low-later")
	s.add("high", priority(7))
	s.wait(time.Millisecond)
	s.add("high-later", priority(7))
	if got, want := names(s.Active()), "high high-later low low-later"; got != want {
		t.Errorf("activeQ is %s, want %s", got, want)
	}
	for _, want := range []string{"high", "high-later", "low", "low-later"} {
		if got := s.pop().Pod.Name(); got != want {
			t.Errorf("popped %s, want %s", got, want)
		}
	}
	if got, want := names(s.InFlight()), "high high-later low low-later"; got != want {
		t.Errorf("in flight are %s, want %s", got, want)
	}
}

func TestEqualsArePoppedInOrderOfArrival(t *testing.T) {
	s := newStage(t)
	for _, name := range []string{"c", "a", "b"} {
		s.add(name)
	}
	if got := names(s.Active()); got != "c a b" {
		t.Errorf("activeQ is %s", got)
	}
}

func TestBackoffIsDoubledUpToTheMaximumAndEndsOnAWholeSecond(t *testing.T) {
	for _, c := range []struct {
		name         string
		initial, max time.Duration
		failures     int
		want         time.Duration // after 12:00:00
	}{
		{"first failure", time.Second, 10 * time.Second, 1, time.Second},
		{"second", time.Second, 10 * time.Second, 2, 2 * time.Second},
		{"third", time.Second, 10 * time.Second, 3, 4 * time.Second},
		{"fourth", time.Second, 10 * time.Second, 4, 8 * time.Second},
		{"fifth meets the maximum", time.Second, 10 * time.Second, 5, 10 * time.Second},
		{"a hundred do not overflow", time.Second, 10 * time.Second, 100, 10 * time.Second},
		{"maximum below initial", 5 * time.Second, 2 * time.Second, 1, 2 * time.Second},
		{"fractions are cut after adding", 1800 * time.Millisecond, 10 * time.Second, 1, 2 * time.Second},
		{"no initial backoff", 0, 10 * time.Second, 3, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rules()
			r.InitialBackoff, r.MaxBackoff = c.initial, c.max
			s := newStage(t)
			s.Queue = queue.New(r, start())
			s.add("p")
			for range c.failures {
				s.activate("p")
				s.park(s.pop(), "Fit")
			}
			item, _, _ := s.Find("ns/p")
			if got := item.BackoffUntil.Sub(start().Truncate(time.Second)); got != c.want {
				t.Errorf("backoff ends %s after the second, want %s", got, c.want)
			}
			if item.UnschedulableCount != c.failures || item.Attempts != c.failures {
				t.Errorf("counted %d failures in %d attempts, want %d", item.UnschedulableCount, item.Attempts, c.failures)
			}
		})
	}
}

func TestMaximumOfZeroTurnsBackoffOff(t *testing.T) {
	r := rules()
	r.MaxBackoff = 0
	s := newStage(t)
	s.Queue = queue.New(r, start())
	s.add("p")
	s.says(s.park(s.pop()), "ns/p in flight -> activeQ on ScheduleAttemptFailure: no plugin rejected it")
}

func TestErrorsInARowBackOffOnTheirOwnAndARejectionEndsTheRow(t *testing.T) {
	s := newStage(t)
	s.add("p")
	s.park(s.pop(), "Fit")
	for range 2 {
		s.activate("p")
		s.park(s.pop())
	}
	item, _, _ := s.Find("ns/p")
	if item.UnschedulableCount != 1 || item.ErrorCount != 2 || item.BackoffUntil.Second() != 2 {
		t.Errorf(
			"counts %d rejections and %d errors, backoff until :%02d; want 1, 2, :02", item.UnschedulableCount,
			item.ErrorCount, item.BackoffUntil.Second(),
		)
	}
	s.activate("p")
	s.park(s.pop(), "Fit")
	if item, _, _ = s.Find("ns/p"); item.UnschedulableCount != 2 || item.ErrorCount != 0 {
		t.Errorf("counts %d rejections and %d errors, want 2 and 0", item.UnschedulableCount, item.ErrorCount)
	}
}

func TestBackoffQIsOrderedBySecondThenAsActiveQAndErrorsComeLast(t *testing.T) {
	s := newStage(t)
	for i, name := range []string{"error", "low", "high", "later"} {
		s.add(name, priority(int32(i%3*5)))
	}
	items := map[string]*queue.Item{}
	for range 4 {
		item := s.pop()
		items[item.Pod.Name()] = item
	}
	s.wake(podDelete, nil)
	s.park(items["error"])
	s.park(items["low"], "Fit")
	s.park(items["high"], "Fit")
	s.now = s.now.Add(800 * time.Millisecond)
	s.park(items["later"], "Fit")
	if got, want := names(s.Backoff()), "high low later error"; got != want {
		t.Errorf("backoffQ is %s, want %s", got, want)
	}
}

func TestViewsCanBeLeftEarly(t *testing.T) {
	s := newStage(t)
	for _, name := range []string{"a", "b"} {
		s.reject("rejected-"+name, "Fit")
		s.wake(podDelete, nil)
		s.Pop(s.now)
		s.reject("failed-" + name)
		s.reject("unschedulable-"+name, "Silent")
		s.add("gated-"+name, held)
	}
	s.add("active-a")
	s.add("active-b")
	for name, view := range map[trace.QueueName]iter.Seq[*queue.Item]{
		queue.ActiveQ: s.Active(), queue.BackoffQ: s.Backoff(), queue.Unschedulable: s.Unschedulable(),
		queue.Gated: s.Gated(), queue.InFlight: s.InFlight(),
	} {
		seen := 0
		for range view {
			seen++
			break
		}
		if seen != 1 {
			t.Errorf("%s: saw %d", name, seen)
		}
	}
}
