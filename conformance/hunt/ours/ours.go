// Package ours is schedstep's core for the hunter: its effects become requests that the hunter answers, and the answers
// become replies and events. It decides nothing.
package ours

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/hunt"
	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// New starts schedulers of ours by the default configuration of the release of the gates.
func New(gates config.Gates) hunt.New {
	return func(api *hunt.API) (hunt.Scheduler, error) {
		s, err := compare.New(nil, gates, time.Now())
		if err != nil {
			return nil, err
		}
		s.Keep(trace.Summary)
		return &process{api: api, scheduler: s}, nil
	}
}

// process is one scheduler. The hunter's goroutine alone uses it.
type process struct {
	api       *hunt.API
	scheduler *core.Scheduler
	ahead     time.Duration // what its clock is put forward
	leads     bool
	cycle     bool      // a cycle is to begin
	timer     time.Time // when it looks at its clock again
}

func (p *process) now() time.Time { return time.Now().Add(p.ahead) }

// Hear takes in a notification.
func (p *process) Hear(n hunt.Notice) {
	p.pass()
	e := cluster.Event{Action: cluster.Update}
	switch {
	case n.After == nil:
		e.Action, e.Object = cluster.Delete, n.Before
	case n.Before == nil:
		e.Action, e.Object = cluster.Add, n.After
	default:
		e.Object = n.After
	}
	effects, _ := p.scheduler.Apply(e)
	p.carry(effects)
}

// Lead has it schedule.
func (p *process) Lead() {
	p.leads = true
	p.pass()
	p.stir()
}

// Stop does nothing: what is planned for a process that has ended does not happen.
func (p *process) Stop() {}

// Leap puts its clock forward.
func (p *process) Leap(d time.Duration) {
	p.ahead += d
	p.pass()
	p.stir()
}

// pass lets it know the time.
func (p *process) pass() {
	effects, _ := p.scheduler.Advance(p.now())
	p.carry(effects)
}

// stir plans what it does next by itself: a cycle, or what its clock brings.
func (p *process) stir() {
	if !p.leads {
		return
	}
	if p.scheduler.CanSchedule() && !p.cycle {
		p.cycle = true
		p.api.After(0, p.try)
	}
	p.wake()
}

// wake plans to look at the clock when time brings something.
func (p *process) wake() {
	next, some := p.scheduler.Next()
	if !some || next.Equal(p.timer) {
		return
	}
	p.timer = next
	p.api.After(max(next.Sub(p.now()), time.Millisecond), func() {
		if p.timer.Equal(next) {
			p.timer = time.Time{}
		}
		p.pass()
		p.stir()
	})
}

// try runs a cycle, and takes up the next pod after as long as kube-scheduler would need for this one.
func (p *process) try() {
	p.pass()
	effects, facts, tried := p.scheduler.Schedule()
	if !tried {
		p.cycle = false
		p.wake()
		return
	}
	cycle, _ := trace.Fold(facts)
	pod, known := p.scheduler.State().Pod(cycle.Entity.Key())
	if !known {
		p.api.Failed("a cycle of a pod that is not there: " + cycle.Entity.Key())
		return
	}
	took := p.api.Began(pod.API)
	p.carry(effects)
	p.api.After(took, func() {
		p.cycle = false
		p.pass()
		p.stir()
	})
}

// carry sends the requests of one step, one after the other.
func (p *process) carry(effects []core.Effect) {
	p.next(effects)
	p.stir()
}

func (p *process) next(effects []core.Effect) {
	for n, effect := range effects {
		rest := effects[n+1:]
		if bind, is := effect.(core.Bind); is { // waits for nothing, and nothing waits for it
			p.send(effect, []hunt.Call{{Verb: "bind", Pod: bind.Pod.Key, UID: bind.Pod.API.UID, Node: bind.Node}}, func() {})
			continue
		}
		if calls := callsOf(effect); len(calls) > 0 {
			p.send(effect, calls, func() { p.next(rest) })
			return
		}
	}
}

// callsOf are the requests of an effect.
func callsOf(effect core.Effect) []hunt.Call {
	status := func(pod *cluster.Pod, edit func(*corev1.PodStatus)) hunt.Call {
		return hunt.Call{Verb: "patch", Pod: pod.Key, Patch: func(p *corev1.Pod) error {
			edit(&p.Status)
			return nil
		}}
	}
	switch e := effect.(type) {
	case core.Nominate:
		return []hunt.Call{status(e.Pod, func(s *corev1.PodStatus) { s.NominatedNodeName = e.Node })}
	case core.Report:
		if e.Condition == "" {
			return nil
		}
		return []hunt.Call{status(e.Pod, func(s *corev1.PodStatus) {
			condition(s, corev1.PodCondition{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: e.Condition, Message: e.Message,
			})
		})}
	case core.Evict:
		return []hunt.Call{status(e.Pod, func(s *corev1.PodStatus) {
			condition(s, corev1.PodCondition{
				Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: e.Reason, Message: e.Message,
			})
		}), {Verb: "delete", Pod: e.Pod.Key}}
	}
	return nil
}

func condition(s *corev1.PodStatus, c corev1.PodCondition) {
	same := func(o corev1.PodCondition) bool { return o.Type == c.Type }
	s.Conditions = append(slices.DeleteFunc(slices.Clone(s.Conditions), same), c)
}

// send makes the requests of an effect until one fails, and replies.
func (p *process) send(effect core.Effect, calls []hunt.Call, then func()) {
	p.api.Send(calls[0], func(err error) {
		p.pass()
		if err == nil && len(calls) > 1 {
			p.send(effect, calls[1:], then)
			return
		}
		if reply := replyTo(effect, err); reply != nil {
			effects, _ := p.scheduler.Answer(reply)
			p.carry(effects)
		}
		if _, evicts := effect.(core.Evict); !evicts || err == nil || errors.IsNotFound(err) {
			then() // after an eviction that fails the others are left out
		}
		p.stir()
	})
}

func replyTo(effect core.Effect, err error) core.Reply {
	switch e := effect.(type) {
	case core.Bind:
		if err != nil {
			return core.BindingRefused{Bind: e, Reason: err.Error()}
		}
		return core.BindingMade{Bind: e}
	case core.Evict:
		switch {
		case errors.IsNotFound(err):
			return core.EvictionDone{Evict: e}
		case err != nil:
			return core.EvictionRefused{Evict: e}
		}
	}
	return nil
}

// Fits runs the gates and a cycle that changes nothing.
func (p *process) Fits(key string) (string, error) {
	pod, known := p.scheduler.State().Pod(key)
	if !known {
		return "", fmt.Errorf("pod %s is not known", key)
	}
	profile, _ := p.scheduler.Profile(pod.API.Spec.SchedulerName)
	for _, gate := range profile.PreEnqueue {
		if v := gate.PreEnqueue(pod, p.scheduler.State()); v.Code != trace.Success {
			return "", fmt.Errorf("%s: %s", gate.Name(), v.Message())
		}
	}
	facts, err := p.scheduler.ExamineIn(key, trace.Summary)
	if err != nil {
		return "", err
	}
	cycle, _ := trace.Fold(facts)
	if ended := cycle.Ended; ended != nil && ended.Node == "" {
		return "", fmt.Errorf("%s", ended.Message)
	}
	return cycle.Ended.Node, nil
}

// View reads the queue and the state.
func (p *process) View(nodes []string) hunt.View {
	v := hunt.View{Nominated: map[string]string{}, Placed: map[string]string{}}
	q := p.scheduler.Queue()
	list := func(into *[]string, views ...func(func(*queue.Item) bool)) {
		for _, view := range views {
			for item := range view {
				*into = append(*into, item.Key())
			}
		}
		slices.Sort(*into)
	}
	list(&v.Active, q.Active())
	list(&v.Backoff, q.Backoff())
	list(&v.Parked, q.Unschedulable(), q.Gated())
	for _, node := range nodes {
		for _, pod := range q.Nominated(node) {
			v.Nominated[pod.Key] = node
		}
	}
	state := p.scheduler.State()
	state.EachNode(func(n *cluster.Node) bool {
		if n.API != nil {
			v.Nodes = append(v.Nodes, n.Name)
		}
		return true
	})
	slices.Sort(v.Nodes)
	state.EachPod(func(pod *cluster.Pod) bool {
		if pod.NodeName != "" {
			v.Placed[pod.Key] = pod.NodeName
		} else if on, assumed := state.Assumed(pod.Key); assumed {
			v.Placed[pod.Key] = on.NodeName
			v.Assumed = append(v.Assumed, pod.Key)
		}
		return true
	})
	return v
}
