package scenario

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/source"
)

// after is how much later than a cycle the events are recorded that a scenario has after it.
const after = time.Millisecond

// schedule runs one cycle of each scheduler that is ready, and runs programs when none is ready any more; false when
// none is ready.
func (r *run) schedule() (bool, error) {
	r.look()
	step, ok := r.player.Cycle()
	if !ok {
		asked, err := r.consult()
		if !asked && err == nil {
			r.print("nobody is ready")
		}
		return asked, err
	}
	r.pause += after
	for ok {
		r.took(step, author)
		if ok = r.player.InRound(); ok {
			step, ok = r.player.Cycle()
		}
	}
	r.receive()
	if r.player.CanSchedule() {
		return true, nil
	}
	_, err := r.consult()
	return true, err
}

// runFor runs cycles, and lets time pass, until a moment.
func (r *run) runFor(d time.Duration) error {
	until := r.scheduler().Now().Add(d)
	for cycles := 0; ; {
		if r.player.CanSchedule() {
			if cycles++; cycles > most {
				return phrase.Errorf("after %d cycles somebody is still ready", most)
			}
			if _, err := r.schedule(); err != nil {
				return err
			}
			continue
		}
		bound, err := r.consult()
		if err != nil {
			return err
		}
		if bound {
			continue
		}
		next, ok := r.player.NextMove()
		if !ok || next.After(until) {
			break
		}
		r.pass(next)
	}
	r.pass(until)
	return nil
}

// advance lets time pass; no cycle runs.
func (r *run) advance(d time.Duration) {
	until := r.scheduler().Now().Add(d)
	for {
		at, sent := r.player.NextSent()
		if !sent || at.After(until) {
			break
		}
		r.pass(at)
	}
	r.pass(until)
}

// pass moves the clock and takes in what arrived meanwhile.
func (r *run) pass(to time.Time) {
	if to.After(r.scheduler().Now()) {
		r.pause = 0
		r.took(r.player.Advance(to), author)
	}
	r.receive()
}

// bind is another scheduler's doing.
func (r *run) bind(pod, node string) error {
	w, is := r.player.World().(*play.Simulated)
	if !is {
		return phrase.Errorf("the %s world binds nothing", r.player.World().Name())
	}
	events, err := w.Bind(key(pod), node, r.scheduler().State(), r.scheduler().Now())
	if err != nil {
		return err
	}
	for _, e := range events {
		r.deliver(e.Event)
	}
	return nil
}

// hold is what the world keeps instead of carrying it out.
type hold string

const (
	nothing   hold = ""
	bindings  hold = "bindings"
	evictions hold = "evictions"
)

func (r *run) hold(what string) error {
	switch h := hold(what); h {
	case nothing:
		r.holds = bindings
	case bindings, evictions:
		r.holds = h
	default:
		return phrase.Errorf("%q cannot be held (want bindings or evictions)", what)
	}
	return nil
}

// holdBack keeps an effect from the world when effects of its kind are held.
func (r *run) holdBack(e core.Effect) bool {
	switch e := e.(type) {
	case core.Bind:
		if r.holds == bindings {
			r.kept = append(r.kept, effectID(e))
			r.bindings = append(slices.Clip(r.bindings), e)
			return true
		}
	case core.Evict:
		if r.holds == evictions {
			r.kept = append(r.kept, effectID(e))
			r.evictions = append(slices.Clip(r.evictions), e)
			return true
		}
	}
	return false
}

// effectID identifies a binding or an eviction: what is done, and to which of the pods that have had the name.
func effectID(e core.Effect) string {
	switch e := e.(type) {
	case core.Bind:
		return e.String() + " " + string(e.Pod.API.UID)
	case core.Evict:
		return e.String() + " " + string(e.Pod.API.UID)
	}
	return ""
}

// heldBinding takes a binding out of those that are held.
func (r *run) heldBinding(pod string) (core.Bind, bool) {
	i := slices.IndexFunc(r.bindings, func(b core.Bind) bool { return b.Pod.Key == key(pod) })
	if i < 0 {
		return core.Bind{}, false
	}
	b := r.bindings[i]
	r.bindings = slices.Delete(slices.Clone(r.bindings), i, i+1)
	return b, true
}

// heldEviction takes an eviction out of those that are held.
func (r *run) heldEviction(pod string) (core.Evict, bool) {
	i := slices.IndexFunc(r.evictions, func(e core.Evict) bool { return e.Pod.Key == key(pod) })
	if i < 0 {
		return core.Evict{}, false
	}
	e := r.evictions[i]
	r.evictions = slices.Delete(slices.Clone(r.evictions), i, i+1)
	return e, true
}

func (r *run) confirm(pod string) error {
	if b, is := r.heldBinding(pod); is {
		r.carryOut(b)
		return nil
	}
	if e, is := r.heldEviction(pod); is {
		r.carryOut(e)
		return nil
	}
	return phrase.Errorf("no binding of pod %s is held, and no eviction", key(pod))
}

// delay has the API server make a binding that is held; its event stays back until it is confirmed.
func (r *run) delay(pod string) error {
	i := slices.IndexFunc(r.bindings, func(b core.Bind) bool { return b.Pod.Key == key(pod) })
	switch {
	case i < 0:
		return phrase.Errorf("no binding of pod %s is held", key(pod))
	case slices.Contains(r.made, effectID(r.bindings[i])):
		return phrase.Errorf("the binding of pod %s is made already (want confirm)", key(pod))
	}
	r.made = append(slices.Clip(r.made), effectID(r.bindings[i]))
	r.answer(core.BindingMade{Bind: r.bindings[i]})
	return nil
}

// carryOut has the world do what was held.
func (r *run) carryOut(e core.Effect) {
	r.record(source.Timed{Effect: e})
	r.took(r.player.Do(e), author)
	r.receive()
}

func (r *run) refuse(pod, reason string) error {
	if e, is := r.heldEviction(pod); is {
		r.answer(core.EvictionRefused{Evict: e})
		return nil
	}
	b, is := r.heldBinding(pod)
	switch {
	case !is:
		return phrase.Errorf("no binding of pod %s is held, and no eviction", key(pod))
	case slices.Contains(r.made, effectID(b)):
		r.bindings = append(slices.Clip(r.bindings), b)
		return phrase.Errorf("the binding of pod %s is made already (want confirm)", key(pod))
	}
	r.answer(core.BindingRefused{Bind: b, Reason: reason})
	return nil
}

// answer is a reply of the world to the scheduler that comes with no event.
func (r *run) answer(reply core.Reply) {
	r.record(source.Timed{Reply: reply})
	r.took(r.player.Answer(reply), author)
	r.receive()
}

func (r *run) allow(pod, plugin string) error {
	if err := r.mustWait(pod); err != nil {
		return err
	}
	r.answer(core.PermitAllowed{Pod: key(pod), Plugin: plugin})
	return nil
}

func (r *run) reject(pod, plugin, reason string) error {
	if err := r.mustWait(pod); err != nil {
		return err
	}
	r.answer(core.PermitRejected{Pod: key(pod), Plugin: plugin, Reason: reason})
	return nil
}

func (r *run) mustWait(pod string) error {
	for _, p := range r.player.ForPod(key(pod)).Waiting() {
		if p.Key == key(pod) {
			return nil
		}
	}
	return phrase.Errorf("pod %s does not wait at Permit", key(pod))
}

// queueNames are the queues as expect names them.
var queueNames = map[string]trace.QueueName{
	"active": queue.ActiveQ, "backoff": queue.BackoffQ, "unschedulable": queue.Unschedulable, "gated": queue.Gated,
	"flight": queue.InFlight,
}

// expect fails unless a pod is where it should be.
func (r *run) expect(pod, where, want string) error {
	scheduler := r.player.ForPod(key(pod))
	p, known := scheduler.State().Pod(key(pod))
	if assumed, is := scheduler.State().Assumed(key(pod)); is {
		p = assumed
	}
	_, in, _ := scheduler.Queue().Find(key(pod))
	found := "it does not exist"
	switch {
	case known && p.NodeName != "":
		found = "it is on " + p.NodeName
	case known && in != "":
		found = "it is in " + string(in)
	case known:
		found = "it has no node and is in no queue"
	}
	right := false
	switch where {
	case "on":
		right = known && p.NodeName == want
	case "in":
		right = in == queueNames[want]
	case "nowhere":
		right = !known || p.NodeName == "" && in == ""
	}
	if right {
		return nil
	}
	return phrase.Errorf("expected %s %s: %s", key(pod), where+space(want), found)
}

func space(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}
