package play

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source"
)

// Controllers act in a simulated cluster beside its schedulers, each as a pure reaction: they see what happens, write
// by a Client, and have themselves woken later. Their forks share nothing that one of them writes.
type Controllers interface {
	// Begin is called once, when they begin to act.
	Begin(by *Client)
	// See is called with every event after the scheduler took it.
	See(e cluster.Event, by *Client)
	// Wake is called when a moment has come that Client.Wait named.
	Wake(key string, by *Client)
	// Attends reports whether the kubelet of a node is alive.
	Attends(node string) bool
	Fork() Controllers
}

// Manage has controllers act in the world of the player from now on, which is a simulated one then, and kubelets attend
// to what is bound. Pods that are evicted or deleted are ended by the controllers' kubelet.
func (p *Player) Manage(c Controllers) {
	w, is := p.world.(*Simulated)
	if !is {
		w = NewSimulated()
		p.Enter(w)
	}
	w.managed, w.attends = c, true
	p.Control(func(c Controllers, by *Client) { c.Begin(by) })
}

// IsManaged reports whether controllers act in the world.
func (w *Simulated) IsManaged() bool { return w.managed != nil }

// Control has the controllers of the world do something now, by themselves; without controllers nothing happens.
func (p *Player) Control(do func(Controllers, *Client)) []trace.Fact {
	w, is := p.world.(*Simulated)
	if !is || w.managed == nil {
		return nil
	}
	by := w.client(p.scheduler.State(), p.scheduler.Now())
	do(w.managed, by)
	p.Send(p.delayed(nil, by.by.events)...)
	return by.facts
}

// Client is the API server as controllers reach it at one moment of virtual time. What is written happens at that
// moment, in the order in which it is written, after what is under way already.
type Client struct {
	by    controllers
	facts []trace.Fact
}

func (w *Simulated) client(known *cluster.State, now time.Time) *Client {
	return &Client{by: controllers{Simulated: w, known: known.Objects(), state: known, now: now}}
}

func (c *Client) outcome() Outcome { return Outcome{Events: c.by.events, Facts: c.facts} }

// State is the cluster as the API server shows it, and what the scheduler believes. It is read only.
func (c *Client) State() *cluster.State { return c.by.state }

// Now is the moment.
func (c *Client) Now() time.Time { return c.by.now }

// UpdatePod changes a live pod; where it is gone nothing happens. It builds on what was written before and is not seen
// yet.
func (c *Client) UpdatePod(key string, change func(*corev1.Pod)) {
	c.by.events = append(c.by.events, c.by.update(key, c.by.state, c.by.now, change)...)
}

// Write adds, changes or deletes an object, which the client owns from then on. A new one without a UID gets one.
func (c *Client) Write(action cluster.Action, o cluster.Object) {
	if action == cluster.Delete {
		c.by.events = append(c.by.events, source.Timed{At: c.by.now, Event: cluster.Event{Action: action, Object: o}})
		return
	}
	c.by.send(0, action, o)
}

// Wait has the controllers woken with a key after some time.
func (c *Client) Wait(key string, after time.Duration) {
	c.by.events = append(c.by.events, source.Timed{At: c.by.now.Add(after), Wake: key})
}

// Note makes what a controller did a fact of the step.
func (c *Client) Note(controller string, did phrase.Text, object string) {
	c.facts = append(c.facts, trace.Acted{Controller: controller, Did: did, Object: object})
}

// wake has the controllers do what they waited for.
func (p *Player) wake(key string) Step {
	facts := p.Control(func(c Controllers, by *Client) { c.Wake(key, by) })
	return Step{Kind: Delivered, At: p.scheduler.Now(), Facts: facts}
}
