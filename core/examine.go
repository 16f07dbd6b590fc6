package core

import (
	"fmt"

	"github.com/schedstep/schedstep/core/trace"
)

// Examine says what a cycle would do with a pod that has no node, now, whatever its place in the queue: its facts in
// full detail. Nothing changes.
func (s *Scheduler) Examine(key string) ([]trace.Fact, error) {
	pod, ok := s.state.Pod(key)
	if !ok {
		return nil, fmt.Errorf("there is no pod %q", key)
	}
	if pod.NodeName != "" {
		return nil, fmt.Errorf("pod %q is on node %q", key, pod.NodeName)
	}
	name := pod.API.Spec.SchedulerName
	if s.lane(name) == nil {
		return nil, fmt.Errorf("pod %q: no profile is called %q", key, name)
	}
	f := s.Fork()
	f.detail = trace.Reasoned
	f.cycles++
	c := &cycle{Scheduler: f, profile: f.lane(name), item: f.queue.PopOutOfTurn(pod, f.now), pod: pod, snapshot: f.state.Snapshot(), trial: true}
	c.run()
	return c.facts, nil
}
