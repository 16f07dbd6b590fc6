package core

import (
	"github.com/tidwall/btree"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
)

// RestartAs is Restart with a configuration of another release, which reads the objects in its own way. No pod may be
// on its way to a node: InFlight is false.
func (s *Scheduler) RestartAs(o Options) {
	if s.InFlight() {
		panic("a scheduler with pods on their way to a node becomes another")
	}
	decides := &o.Profiles[0].Behaviour
	s.state, s.forgets, s.start = s.state.Reread(decides.Reading), decides.AssumedPodExpiry, 0
	s.Restart(o)
}

// Restart goes on as a kube-scheduler that is started anew with another configuration. It believes the same of the
// cluster. Of the pods that wait it knows nothing any more: attempts, backoff and the plugins that rejected them are
// forgotten, and they are queued in the order in which an API server lists them. Of o it reads the profiles, Groups and
// the backoffs; they are of the same release. No pod may be on its way to a node: Busy is false.
func (s *Scheduler) Restart(o Options) {
	if s.Busy() {
		panic("a scheduler with pods on their way to a node is restarted")
	}
	s.lanes, s.groups = lanesOf(o.Profiles), o.Groups
	s.batches, s.columns = batchesOf(s.lanes), columns{use: s.columns.use}
	s.found(o.Profiles)
	s.refill()
	s.signatures, s.equivalents = btree.Map[string, signature]{}, equivalents{}
	s.queue = queue.New(rules(o), s.now)
	if s.groups {
		s.state.EachPodGroup(func(g *schedulingv1beta1.PodGroup) bool {
			s.queue.AddGroup(g, s.moment(s.now))
			return true
		})
	}
	s.state.EachPod(func(p *cluster.Pod) bool {
		if p.NodeName != "" {
			return true
		}
		s.state.Leave(p)
		_, assumed := s.state.Assumed(p.Key)
		if _, served := s.Profile(p.API.Spec.SchedulerName); served {
			s.state.Join(p)
			if !assumed {
				s.sign(p)
				s.queue.Add(p, s.moment(s.now))
			}
		}
		return true
	})
}
