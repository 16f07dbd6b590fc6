package core

import (
	"fmt"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Examine returns what a cycle would do with a pod that has no node, now, whatever its place in the queue: its facts in
// full detail. Nothing changes. For a member of a group it is the cycle of the group; where that would not come to the
// pod, it is the cycle the pod would have for itself, without evictions for it (the cycle that trace.Fold makes of the
// facts has the pod or its group as Entity).
func (s *Scheduler) Examine(key string) ([]trace.Fact, error) { return s.ExamineNear(key, nil) }

// ExamineNear is Examine for a caller that reads the advice about few nodes: near chooses them after the filters ran,
// by their places in the matrix, which has no advice yet. The cycle of a group has advice about all.
func (s *Scheduler) ExamineNear(key string, near func(*trace.Matrix) []int) ([]trace.Fact, error) {
	return s.examine(key, trace.Reasoned, near)
}

// ExamineIn is Examine in less detail, for a caller that calls it often: what scores rest on takes most of the time.
func (s *Scheduler) ExamineIn(key string, detail trace.Detail) ([]trace.Fact, error) {
	return s.examine(key, detail, nil)
}

func (s *Scheduler) examine(
	key string, detail trace.Detail, near func(*trace.Matrix) []int,
) ([]trace.Fact, error) {
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
	f.columns.store = s.columns.store.Lend()
	f.detail = detail
	f.cycles++
	if f.groups && pod.Group != "" {
		if facts, tried := f.Fork().examineGroup(pod); tried {
			return facts, nil
		}
	}
	c := &cycle{
		scheduler: f, profile: f.lane(name), item: f.queue.PopOutOfTurn(pod, f.now), pod: pod,
		snapshot: f.state.Snapshot(), examined: true, near: near,
	}
	if f.groups && pod.Group != "" {
		c.profile = c.profile.solo()
	}
	c.run()
	return c.facts, nil
}

// examineGroup runs the cycle of a pod's group, wherever it waits; false when that would not try the pod.
func (s *Scheduler) examineGroup(pod *cluster.Pod) ([]trace.Fact, bool) {
	item, ok := s.queue.PopGroupOutOfTurn(pod)
	if !ok {
		return nil, false
	}
	g := s.groupCycle(item)
	g.examined = true
	g.run()
	c, _ := trace.Fold(g.facts)
	_, tried := c.Try(pod.Key)
	return g.facts, tried
}
