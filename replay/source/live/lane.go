package live

import (
	"context"
	"slices"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/client-go/util/retry"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
)

// order is a wish of the scheduler with the requests that it comes to.
type order struct {
	effect   core.Effect
	lane     string // orders of one lane are carried out in their order
	at       time.Time
	requests []Request
	fault    error // why there are no requests
}

// lane is a line of orders of which one is under way at a time.
type lane struct {
	waiting []*order
	busy    bool
	refused time.Time // the virtual moment of the last order that was refused
}

// depends reports whether an order makes sense only if those before it were carried out: no pod is bound whose volumes
// are not, and no event reports a binding that was refused.
func (o *order) depends() bool {
	switch e := o.effect.(type) {
	case core.Bind, core.Write, core.Evict:
		return true
	case core.Report:
		return e.Condition == ""
	}
	return false
}

// enqueue puts an order at the end of its lane. d.mu is held.
func (d *Driver) enqueue(o *order) {
	l := d.lanes[o.lane]
	if l == nil {
		l = &lane{}
		d.lanes[o.lane] = l
	}
	l.waiting = append(l.waiting, o)
	if !l.busy {
		l.busy = true
		d.running.Go(func() { d.run(o.lane, l) })
	}
}

// run carries out the orders of a lane until none is left.
func (d *Driver) run(name string, l *lane) {
	for {
		o := d.next(name, l)
		if o == nil {
			return
		}
		d.slots <- struct{}{}
		gone, err := d.carryOut(o)
		<-d.slots
		d.mu.Lock()
		if err != nil && o.depends() {
			l.refused = o.at
			l.waiting = slices.DeleteFunc(l.waiting, (*order).depends)
		}
		d.mu.Unlock()
		d.tell(o, err)
		if r := replyTo(o.effect, err, gone || d.options.DryRun); r != nil {
			d.options.Answer(r)
		}
	}
}

// next takes an order out of a lane; nil when there is none left. What depends on an order of the same moment that was
// refused is dropped.
func (d *Driver) next(name string, l *lane) *order {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(l.waiting) > 0 {
		o := l.waiting[0]
		l.waiting = l.waiting[1:]
		if !o.depends() || !o.at.Equal(l.refused) {
			return o
		}
	}
	if l.busy = false; l.refused.IsZero() {
		delete(d.lanes, name)
	}
	return nil
}

// carryOut sends the requests of an order until one is refused. gone: the object is gone, which is a success for an
// order to delete it.
func (d *Driver) carryOut(o *order) (gone bool, err error) {
	if o.fault != nil {
		return false, o.fault
	}
	for i := range o.requests {
		err := d.send(&o.requests[i])
		if evict, is := o.effect.(core.Evict); is && err != nil && sameObjectIsGone(err, evict.Pod.API.UID) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// send sends one request, and again after faults that pass.
func (d *Driver) send(r *Request) error {
	client, err := d.client(r.Resource.GroupVersion())
	if err != nil {
		return err
	}
	again := r.retries
	if again == nil {
		again = func(error) bool { return false }
	}
	return retry.OnError(retry.DefaultBackoff, again, func() error {
		ctx, cancel := context.WithTimeoutCause(context.Background(), requestTime, silence(requestTime))
		defer cancel()
		return r.send(ctx, client, d.options.DryRun)
	})
}

// replyTo is the reply to the scheduler for an order; nil when events show the result, or the scheduler need not know.
func replyTo(effect core.Effect, err error, silent bool) core.Reply {
	switch e := effect.(type) {
	case core.Bind:
		if err != nil {
			return core.BindingRefused{Bind: e, Reason: plain(err)}
		}
	case core.Evict:
		if err != nil {
			return core.EvictionRefused{Evict: e}
		}
		if silent {
			return core.EvictionDone{Evict: e}
		}
	case core.Write:
		if err != nil {
			return core.WriteRefused{Write: e, Reason: purpose(e) + plain(err)}
		}
	}
	return nil
}

// purpose is the text that kube-scheduler puts before the reason why a claim was not written (bindClaim, 1.37).
func purpose(w core.Write) string {
	claim, is := w.Object.(*resourcev1.ResourceClaim)
	if !is || w.Action != cluster.Update {
		return ""
	}
	return "add allocation and reservation to claim " + cluster.Key(claim) + ": "
}

// refuse answers a wish that is not carried out. d.mu is held.
func (d *Driver) refuse(o *order, why string) {
	if r := replyTo(o.effect, refusal(why), false); r != nil {
		d.options.Answer(r)
	}
}

// refusal is why a wish was not even sent.
type refusal string

func (r refusal) Error() string { return string(r) }

// tell notes the result of an order.
func (d *Driver) tell(o *order, err error) {
	if len(o.requests) == 0 && err == nil {
		return
	}
	d.note(o.effect.String(), o.requests, err)
}

// note reports the results of requests.
func (d *Driver) note(wish string, requests []Request, err error) {
	if d.options.Tell == nil {
		return
	}
	w := Written{At: d.options.Now(), Wish: wish, DryRun: d.options.DryRun}
	for i := range requests {
		w.Requests = append(w.Requests, requests[i].String())
	}
	if err != nil {
		w.Fault = plain(err)
	}
	d.options.Tell(w)
}

// Hold keeps orders from now on from the server, until Release or Refuse.
func (d *Driver) Hold(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.holding = on
}

// Held are the requests that wait for a word, in order.
func (d *Driver) Held() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []string
	for _, o := range d.held {
		for i := range o.requests {
			all = append(all, o.requests[i].String())
		}
	}
	return all
}

// Release sends what is held.
func (d *Driver) Release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range d.held {
		d.enqueue(o)
	}
	d.held = nil
}

// Refuse drops the held orders, and replies to the scheduler as a server that rejects them would.
func (d *Driver) Refuse(why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range d.held {
		d.refuse(o, why)
	}
	d.held = nil
}
