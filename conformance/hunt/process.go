package hunt

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
)

// process is one process of the scheduler, with its watches.
type process struct {
	Scheduler
	*run
	dead   atomic.Bool
	feeds  map[string]*feed // by kind
	atOnce bool             // it evicts within the attempt, before a node is nominated
}

// feed is a watch of one kind, and what the process knows of it.
type feed struct {
	known map[string]Object
	queue []change
	due   time.Duration // when the last of the queue is delivered
	late  time.Duration // until then nothing is delivered
	lost  bool
}

// change is what happened to an object on the server.
type change struct {
	key    string
	before Object // as it was deleted
	after  Object
}

// begin starts a process with a list of all objects.
func (r *run) begin() (*process, error) {
	p := &process{run: r, feeds: map[string]*feed{}}
	var err error
	if p.Scheduler, err = r.new(&API{p}); err != nil {
		return nil, err
	}
	if r.lead == nil {
		r.lead = p // it may end before it has heard of all objects
	}
	order := slices.Clone(kinds)
	if r.chance("list").IntN(2) == 0 {
		slices.Reverse(order) // each kind has a watch of its own, and any of them may be the first
	}
	for _, kind := range order {
		f := &feed{known: map[string]Object{}}
		p.feeds[kind] = f
		for _, o := range r.server.list(kind) {
			p.hear(f, change{key: keyOf(o), after: o})
		}
	}
	return p, nil
}

// hear delivers what happened to one object. A change with neither version is one that nothing was seen of: the object
// is not in the new list.
func (p *process) hear(f *feed, c change) {
	n := Notice{Before: f.known[c.key], After: c.after}
	if c.after == nil {
		if n.Before == nil {
			return // it came and went unseen
		}
		n.Before, n.Unseen = either(c.before, n.Before), c.before == nil
		delete(f.known, c.key)
	} else {
		f.known[c.key] = c.after
	}
	if p.gone() {
		return
	}
	p.say("heard " + c.key)
	p.Scheduler.Hear(n)
}

func either(a, b Object) Object {
	if a != nil {
		return a
	}
	return b
}

// send puts what happened into the watch.
func (p *process) send(kind string, c change) {
	f := p.feeds[kind]
	if f == nil || p.gone() || f.lost {
		return
	}
	lag := time.Duration(1+p.chance("lag", kind, c.key).IntN(12)) * time.Millisecond
	f.due = max(f.due, p.since()+lag, f.late)
	f.queue = append(f.queue, c)
	p.after(f.due-p.since(), func() {
		if p.gone() || len(f.queue) == 0 || f.late > p.since() {
			return
		}
		next := f.queue[0]
		f.queue = f.queue[1:]
		p.hear(f, next)
	})
}

// delay holds a watch back for a time.
func (p *process) delay(kind string, d time.Duration) {
	f := p.feeds[kind]
	f.late = max(f.late, p.since()+d)
	p.after(f.late-p.since(), func() {
		if p.gone() || f.late > p.since() {
			return
		}
		queue := f.queue
		f.queue = nil
		for _, c := range queue {
			p.hear(f, c)
		}
	})
}

// lose breaks a watch off; after a time the objects are listed anew.
func (p *process) lose(kind string, d time.Duration) {
	f := p.feeds[kind]
	if f.lost {
		return
	}
	f.lost, f.queue, f.late = true, nil, 0
	p.after(d, func() {
		f.lost = false
		if !p.gone() {
			p.relist(kind, f)
		}
	})
}

func (p *process) relist(kind string, f *feed) {
	gone := func() {
		for _, key := range sortedKeys(f.known) {
			if _, there := p.server.objects[kind][key]; !there {
				p.hear(f, change{key: key})
			}
		}
	}
	last := p.chance("relist").IntN(2) == 1 // the order is another from release to release
	if !last {
		gone()
	}
	for _, o := range p.server.list(kind) {
		if known, is := f.known[keyOf(o)]; is && known.GetResourceVersion() == o.GetResourceVersion() {
			continue
		}
		p.hear(f, change{key: keyOf(o), after: o})
	}
	if last {
		gone()
	}
}

// kill ends the process. Calls that are on their way arrive or do not.
func (p *process) kill() {
	if p != nil && !p.dead.Swap(true) && p.Scheduler != nil {
		p.Stop()
	}
}

// API is the API server as a process sees it.
type API struct{ p *process }

// Do makes a call and waits for the answer. It is called in goroutines of the scheduler.
func (a *API) Do(c Call) error {
	answer := make(chan error, 1)
	a.Send(c, func(err error) { answer <- err })
	return <-answer
}

// Send makes a call; done gets the answer.
func (a *API) Send(c Call, done func(error)) {
	r := a.p.run
	if a.p.gone() {
		done(fmt.Errorf("connection refused"))
		return
	}
	dice := r.chance("call", c.name())
	there := time.Duration(2+dice.IntN(40)) * time.Millisecond
	back := time.Duration(1+dice.IntN(20)) * time.Millisecond
	fails := dice.IntN(3)
	r.after(there, func() {
		if a.p.gone() && dice.IntN(2) == 0 {
			done(fmt.Errorf("connection refused"))
			return
		}
		var err error
		refuses := r.refuses > r.since()
		if refuses && fails == 0 {
			err = errors.NewInternalError(fmt.Errorf("etcdserver: request timed out"))
		} else {
			r.say("call " + c.name())
			r.observe(c)
			err = r.server.carry(c)
		}
		if refuses && fails == 1 {
			err = errors.NewTimeoutError("the answer was lost", 1)
		}
		r.after(back, func() { done(err) })
	})
}

// Began notes an attempt to place a pod, as the process knows it, and is how long it takes from its look at the cluster
// to its decision.
func (a *API) Began(pod *corev1.Pod) time.Duration {
	r, key := a.p.run, keyOf(pod)
	r.mu.Lock()
	r.attempts[key]++
	r.mu.Unlock()
	r.say("attempt " + key)
	r.began(pod)
	return time.Duration(1+r.chance("cycle", key).IntN(30))*time.Millisecond + tick/4
}

// Failed notes that the process has ended by itself. Another takes its place, a second later; after the third end the
// history is given up.
func (a *API) Failed(why string) {
	r := a.p.run
	r.found(Finding{Invariant: Alive, About: "the scheduler", Text: why})
	a.p.kill()
	if r.ends++; r.ends > 2 {
		return
	}
	r.after(time.Second, func() {
		switch a.p {
		case r.lead:
			r.replace(nil)
		case r.standby:
			r.standby, r.err = r.begin()
		}
	})
}

// After runs something later, unless the process has ended by then. Until then it is no part of what is going to
// happen, as no timer of a scheduler is: a cluster is quiet while it runs.
func (a *API) After(d time.Duration, do func()) {
	time.AfterFunc(d, func() {
		a.p.after(0, func() {
			if !a.p.gone() {
				do()
			}
		})
	})
}

func (p *process) gone() bool { return p == nil || p.dead.Load() }

// chance draws from the seed, what it is about, and how often that was drawn before: what happens to one object does
// not change when something about another is left out of the history.
func (r *run) chance(about ...string) *rand.Rand {
	r.drawnMu.Lock()
	defer r.drawnMu.Unlock()
	h := fnv.New64a()
	for _, word := range about {
		h.Write([]byte(word))
		h.Write([]byte{0})
	}
	r.drawn[h.Sum64()]++
	return rand.New(rand.NewPCG(r.history.Seed^h.Sum64(), r.drawn[h.Sum64()])) //nolint:gosec // not for secrets
}
