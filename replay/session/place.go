package session

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
)

// Place is where a pod is at the cursor, and what may have it tried.
type Place struct {
	Node  string    // that it is on; "" while it has none
	Queue string    // where it waits, as the queue names its parts; "" when it is in none
	Row   QueueRow  // what the queue knows of it; zero when it is in none
	Cycle int64     // the cycle the cursor is in the middle of, if that tries the pod; else 0
	Group string    // the PodGroup it belongs to; "" for none
	Until time.Time // the end of the backoff, of the pod or of the group it waits with; zero: none
	// how long it waits at most after it was parked, whatever happens; 0 where no such limit holds
	Flush  time.Duration
	Wakers []Waker
}

// Waker is a plugin that keeps a pod waiting, with the events that may have the pod tried again.
type Waker struct {
	Plugin string
	Events []cluster.ClusterEvent
}

// Place says where a pod is, and what may have it tried again: the events its rejecting plugins wait for, and time.
func (s *Session) Place(pod string) Place {
	k := s.here()
	return k.place(pod)
}

func (k *known) place(pod string) Place {
	var p Place
	state := k.state()
	if live, ok := state.Pod(pod); ok {
		p.Node = live.NodeName
	}
	item, where, queued := k.find(pod)
	if !queued {
		return p
	}
	q := k.player.Scheduler().Queue()
	p.Queue, p.Group, p.Row = where, item.Pod.Group, rowOf(q, state, item)
	if k.tries(pod) {
		p.Cycle = k.trying.Number
	}
	group, _, waitsWithGroup := q.Find(queue.GroupKey(item.Pod.Group))
	p.Until = item.BackoffUntil
	if waitsWithGroup && p.Until.IsZero() {
		p.Until = group.BackoffUntil
	}
	blamed := append(slices.Clone(item.Rejectors), item.Pending...)
	if where == queue.Gated {
		if item.Gate == "" && waitsWithGroup { // another member of its group is held back
			p.Row.Gate, p.Row.GateText = group.Gate, group.GateText
			item = group.Members[0]
		}
		blamed = []string{p.Row.Gate}
	}
	if where == queue.Unschedulable || where == queue.Gated {
		p.Wakers = k.wakers(item, blamed)
	}
	if where == queue.Unschedulable {
		p.Flush = q.Patience()
	}
	return p
}

// wakers are the plugins among the blamed ones that wait for events.
func (k *known) wakers(item *queue.Item, blamed []string) []Waker {
	profile, ok := k.player.Scheduler().Profile(item.Pod.API.Spec.SchedulerName)
	if !ok {
		return nil
	}
	var wakers []Waker
	for _, plugin := range profile.Wakers() {
		if !slices.Contains(blamed, plugin.Name()) {
			continue
		}
		w := Waker{Plugin: plugin.Name()}
		for _, h := range plugin.Hints() {
			w.Events = append(w.Events, h.Event)
		}
		wakers = append(wakers, w)
	}
	return wakers
}
