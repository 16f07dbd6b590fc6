package core

import (
	"fmt"

	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// SetAside has a pod wait as after a cycle in which plugins rejected it. A caller that follows another scheduler passes
// on that one's decision in this way; from then on the facts of Apply and Advance show what would wake the pod. A pod
// of a group waits with its group, and nothing is done with it.
func (s *Scheduler) SetAside(key string, because queue.Rejection) ([]trace.Fact, error) {
	pod, ok := s.state.Pod(key)
	if !ok || pod.NodeName != "" || s.groups && pod.Group != "" {
		return nil, fmt.Errorf("pod %q does not wait by itself", key)
	}
	return s.queue.SetAside(pod, because, s.moment(s.now)), nil
}

// Alone is a copy in whose queue no pod waits: a pod that is set aside in it costs no more than itself.
func (s *Scheduler) Alone() *Scheduler {
	f := s.Fork()
	f.queue = s.queue.Empty()
	return f
}

// BeginAs has the next cycle begin as that of another scheduler would, which has just run one: with the same number, at
// the same node, with as many hosts chosen before, and with its list of nodes made, as every cycle makes it. What the
// two then decide differs by their rules alone, as long as they know the same cluster.
func (s *Scheduler) BeginAs(other *Scheduler) {
	s.state.Settle()
	s.cycles, s.others, s.start, s.picks = other.cycles, other.others, other.start, other.picks
}
