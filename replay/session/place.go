package session

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// Place is where a pod or a pod group is at the cursor, and what may make kube-scheduler try it again.
type Place struct {
	Node string // that it is on; "" while it has none
	// the scheduler counts the pod on Node, and the API server has not confirmed that yet
	Assumed  bool
	Queue    trace.QueueName // where it waits; trace.Outside when it is in no queue
	Unserved string          // its schedulerName, when it has no node and no profile is called so
	Row      QueueRow        // what the queue knows of it; zero when it is in none
	Cycle    int64           // the cycle the cursor is in the middle of, if that tries the pod; else 0
	Group    string          // the PodGroup it belongs to; "" for none
	Until    time.Time       // the end of the backoff, of the pod or of the group it waits with; zero: none
	// in activeQ: how many are popped before it, and the last of them
	Before int
	Last   QueueRow
	// how long it waits at most after it was parked, whatever happens; 0 where no such limit holds
	Flush  time.Duration
	Wakers []Waker
	// its backoff may end early, when no other item is ready
	CutsShort bool
}

// Waker is a plugin that keeps a pod waiting, with the events after which the pod may be tried again.
type Waker struct {
	Plugin string
	Events []cluster.ClusterEvent
}

// Place returns where a pod is, and when it is tried again: after an event that a rejecting plugin waits for, or after
// some time.
func (k *At) Place(pod string) Place {
	return k.place(pod)
}

func (k *At) place(pod string) Place {
	var p Place
	state := k.state()
	h := nodeOfPod(state, pod)
	item, where, queued := k.find(pod)
	if !queued || !h.assumed {
		p.Node, p.Assumed = h.node, h.assumed
	}
	if !queued {
		if live, there := state.Pod(pod); there && p.Node == "" && !cluster.Finished(live.API) {
			if name := live.API.Spec.SchedulerName; !k.serves(name) {
				p.Unserved = name
			}
		}
		return p
	}
	scheduler := k.player.ForPod(pod)
	q := scheduler.Queue()
	p.Queue, p.Row = where, rowOf(q, state, item)
	if k.tries(pod) {
		p.Cycle = k.trying.Number
	}
	whole, key := (*QueueRow)(nil), pod
	if p.Row.Group != "" {
		if g, _, waits := q.Find(trace.GroupKey(p.Row.Group)); waits {
			row := rowOf(q, state, g)
			whole, key = &row, row.Pod
		}
	}
	if where == queue.ActiveQ {
		for before := range q.Active() {
			if before.Key() == key {
				break
			}
			if k.tries(before.Key()) { // it was popped
				continue
			}
			p.Before++
			p.Last = QueueRow{Pod: before.Key(), Priority: before.Priority(), Since: before.Since}
		}
	}
	p.CutsShort = q.CutsShort()
	p.complete(whole, k.session.wakersOf(scheduler, p.Row.Scheduler), q.Patience())
	return p
}

// serves reports whether a profile has that schedulerName.
func (k *At) serves(name string) bool {
	_, served := k.player.For(name).Profile(name)
	return served
}

// complete works out what follows from the row of a pod and, where it waits with its group, from that of the group.
func (p *Place) complete(whole *QueueRow, wakers []Waker, patience time.Duration) {
	p.Group, p.Until = p.Row.Group, p.Row.Until
	if whole != nil && p.Until.IsZero() {
		p.Until = whole.Until
	}
	blamed := p.Row.Plugins
	if p.Queue == queue.Gated {
		if p.Row.Gate == "" && whole != nil { // another member of its group is held back
			p.Row.Gate, p.Row.GateText = whole.Gate, whole.GateText
		}
		blamed = []string{p.Row.Gate}
	}
	switch p.Queue {
	case queue.Unschedulable:
		p.Flush = patience
	case queue.Gated:
	default:
		return
	}
	for _, w := range wakers {
		if slices.Contains(blamed, w.Plugin) {
			p.Wakers = append(p.Wakers, w)
		}
	}
	for _, plugin := range blamed {
		if !slices.ContainsFunc(wakers, func(w Waker) bool { return w.Plugin == plugin }) && plugin != "" {
			p.Wakers = append(p.Wakers, Waker{Plugin: plugin})
		}
	}
}

// wakersOf are the plugins of a profile that wait for events. They are looked up once for each profile.
func (s *Session) wakersOf(scheduler *core.Scheduler, name string) []Waker {
	if known, found := s.wakers[name]; found {
		return known
	}
	var found []Waker
	if profile, ok := scheduler.Profile(name); ok {
		for _, plugin := range profile.Wakers() {
			w := Waker{Plugin: plugin.Name()}
			for _, h := range plugin.Hints() {
				w.Events = append(w.Events, h.Event)
			}
			found = append(found, w)
		}
	}
	if s.wakers == nil {
		s.wakers = map[string][]Waker{}
	}
	s.wakers[name] = found
	return found
}

// place is where a pod or a pod group is, by the lists of the frame; false: it is in none of them.
func (f *Frame) place(key string) (p Place, listed bool) {
	for _, list := range []struct {
		name trace.QueueName
		rows []QueueRow
	}{
		{queue.ActiveQ, f.Queue.Active},
		{queue.BackoffQ, f.Queue.Backoff},
		{queue.Unschedulable, f.Queue.Unschedulable},
		{queue.Gated, f.Queue.Gated},
		{queue.InFlight, f.Queue.InFlight},
		{queue.Incomplete, f.Queue.Incomplete},
	} {
		for i := range list.rows {
			row, whole := &list.rows[i], (*QueueRow)(nil)
			if at := slices.IndexFunc(row.Members, func(m QueueRow) bool { return m.Pod == key }); at >= 0 {
				row, whole = &row.Members[at], row
			}
			if row.Pod != key {
				continue
			}
			p.Queue, p.Row = list.name, *row
			if list.name == queue.ActiveQ && i > 0 {
				before := &list.rows[i-1]
				p.Before, p.Last = i, QueueRow{Pod: before.Pod, Priority: before.Priority, Since: before.Since}
			}
			if f.trying && f.tries(key) {
				p.Cycle = f.Cycle.Number
			}
			if h := f.hosts[key]; !h.assumed {
				p.Node = h.node
			}
			p.CutsShort = f.cutsShort
			p.complete(whole, f.wakers[row.Scheduler], f.patience)
			return p, true
		}
	}
	p.Node, p.Assumed = f.hosts[key].node, f.hosts[key].assumed
	return p, p.Node != ""
}

// tries reports whether the cycle of the frame is about a pod or a pod group.
func (f *Frame) tries(key string) bool {
	c := f.About()
	if c == nil {
		return false
	}
	_, tried := c.Try(key)
	return tried || c.Entity.Key() == key
}

// Explain explains a pod or a pod group from what the frame holds: where it is, which pods had to leave for it and, if
// the frame is about its cycle, the result of that cycle. Of a pod of another cycle it has no causes that follow from
// what that found. History stays empty. false: the frame holds nothing about it.
func (f *Frame) Explain(key string) (Explanation, bool) {
	e := Explanation{Language: f.Language, Pod: key, Now: f.Now}
	listed := false
	e.Place, listed = f.place(key)
	if !e.Place.Assumed {
		e.Node = e.Place.Node
	}
	e.Wants = f.hosts[key].wants
	e.Victims = victimsFor(key, f.evictions)
	var try *trace.Try
	if f.tries(key) {
		listed = true
		c := f.About()
		e.Group = c.Group
		if c.Entity.Key() == key {
			e.Lint = f.At.findings()
		}
		try, _ = c.Try(key)
	}
	e.Causes = f.At.causes(key, try, e.Place.Queue)
	if e.Cycle = try; try != nil {
		e.judge()
		e.compare(f.records)
	}
	return e, listed
}

// hostsOf are the nodes of the pods that a cycle was about, by the pod.
func hostsOf(c *trace.Cycle, state *cluster.State) map[string]host {
	if c == nil {
		return nil
	}
	hosts := map[string]host{}
	add := func(pod string) {
		h := nodeOfPod(state, pod)
		if live, there := state.Pod(pod); there {
			h.wants = wantsOf(live)
		}
		hosts[pod] = h
	}
	add(c.Entity.Key())
	if c.Group != nil {
		for _, m := range c.Group.Members {
			add(m.Key())
		}
	}
	return hosts
}

// host is the node that a pod is on, or is assumed to be on.
type host struct {
	node    string
	assumed bool
	wants   Wants // in frames
}

func nodeOfPod(state *cluster.State, pod string) host {
	if live, there := state.Pod(pod); there && live.NodeName != "" {
		return host{node: live.NodeName}
	}
	if there, assumed := state.Assumed(pod); assumed {
		return host{node: there.NodeName, assumed: true}
	}
	return host{}
}
