package core

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Activate puts a pod that waits into activeQ, whatever its backoff and the plugins that rejected it, as a plugin of
// kube-scheduler may request. A gate still holds it back.
func (s *Scheduler) Activate(pod *cluster.Pod) []trace.Fact {
	return s.queue.Activate([]*cluster.Pod{pod}, s.moment(s.now))
}
