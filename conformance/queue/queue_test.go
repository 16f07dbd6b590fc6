package queue_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/law"
)

// TestBothQueuesHoldTheSameAfterEveryCall moves the clock by a millisecond between calls: what theirs does with equal
// timestamps is left to its heap.
func TestBothQueuesHoldTheSameAfterEveryCall(t *testing.T) {
	metrics.Register()
	klog.SetLogger(logr.Discard())
	run := compare.Run{Test: t.Name()}
	defer func() { save(t, &run) }()
	law.Check(t, func(r *rapid.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		p := newPair(ctx, r)
		run.Sequences++
		for range rapid.IntRange(20, 150).Draw(r, "calls") {
			run.Calls++
			p.call()
			p.compare()
			p.wait(time.Millisecond)
			p.compare()
		}
	})
}

// save keeps what was compared, for the report.
func save(t *testing.T, run *compare.Run) {
	t.Helper()
	if t.Failed() {
		run.Differences = map[string]int{"queue": 1}
	}
	if err := run.Save(); err != nil {
		t.Fatal(err)
	}
}

func (p *pair) call() {
	what := rapid.SampledFrom([]string{
		"set", "set", "set", "remove", "pop", "pop", "pop", "park", "park", "bind", "wake", "wake", "seconds",
		"minutes", "nominate", "activate",
	}).Draw(p.T, "call")
	switch what {
	case "set":
		p.set()
	case "pop":
		p.pop()
	case "park", "bind":
		item := p.land()
		if item != nil && what == "park" {
			p.park(item)
		} else if item != nil {
			p.bind(item)
		}
	case "wake":
		p.wake()
	case "seconds":
		p.wait(time.Duration(rapid.IntRange(0, 3000).Draw(p.T, "ms")) * time.Millisecond)
	case "minutes":
		p.wait(time.Duration(rapid.IntRange(0, 400).Draw(p.T, "s")) * time.Second)
	case "remove", "nominate", "activate":
		if pod, exists := p.existing(); exists {
			map[string]func(*cluster.Pod){"remove": p.remove, "nominate": p.nominate, "activate": p.activate}[what](pod)
		}
	}
}
