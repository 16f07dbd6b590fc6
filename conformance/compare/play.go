package compare

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/conformance/generate"
	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay"
)

// Play is one comparison from an empty cluster to the end of a script.
type Play struct {
	Script        replay.Script
	Start         time.Time
	Configuration []byte // every plugin of it must be judged, see Judged
	// Confirm says how many cycles pass before a bound pod is seen on its node.
	Confirm int
	// Cycles ends a play that does not end by itself; 0 stands for 400.
	Cycles int
	Tamper Tamper
}

// epoch is when the scripts of drawn cases begin.
var epoch = time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC)

// OfCase is the play of a drawn cluster: all of it at once, the pending pods
// after that, then one change every seven seconds.
func OfCase(c generate.Case, configuration []byte) Play {
	p := Play{Start: epoch, Configuration: configuration}
	add := func(at time.Time, action cluster.Action, object any) {
		p.Script = append(p.Script, replay.Timed{At: at, Event: cluster.Event{Action: action, Object: object.(cluster.Object)}})
	}
	for _, object := range c.Objects {
		add(epoch, cluster.Add, object)
	}
	for _, pod := range c.Pending {
		add(epoch, cluster.Add, pod)
	}
	at := epoch
	for _, change := range c.Churn {
		at = at.Add(7 * time.Second)
		switch {
		case change.After == nil:
			add(at, cluster.Delete, change.Before)
		case change.Before == nil:
			add(at, cluster.Add, change.After)
		default:
			add(at, cluster.Update, change.After)
		}
	}
	return p
}

// Run plays to the end. The differences are in the order they were found; an
// error is one of the comparison itself.
func (p Play) Run(tally *Tally) ([]Difference, error) {
	pair, err := New(p.Configuration, p.Start, tally)
	if err != nil {
		return nil, err
	}
	defer pair.Close()
	pair.tamper = p.Tamper
	tally.Cases++
	run := &playing{Pair: pair, Play: p, left: p.Cycles}
	if run.left == 0 {
		run.left = 400
	}
	err = run.all()
	return pair.Differences(), err
}

// playing is a Play under way.
type playing struct {
	*Pair
	Play
	left   int // cycles that may still be run
	echoes []echo
}

// echo is what the world answers, and after how many cycles.
type echo struct {
	cycles int
	replay.Timed
}

func (r *playing) all() error {
	for i, t := range r.Script {
		if err := r.until(t.At); err != nil {
			return err
		}
		effects, err := r.Deliver(r.live(t.Event))
		if err != nil {
			return err
		}
		r.ask(effects)
		if i+1 == len(r.Script) || r.Script[i+1].At.After(t.At) {
			r.gated()
		}
	}
	return r.until(r.ours.Now().Add(20 * time.Second))
}

// live is a scripted event as it would have come if the pod had been placed
// where it was placed.
func (r *playing) live(e cluster.Event) cluster.Event {
	pod, ok := e.Object.(*corev1.Pod)
	if !ok || e.Action == cluster.Delete || pod.Spec.NodeName != "" {
		return e
	}
	now, known := r.ours.State().Pod(pod.Namespace + "/" + pod.Name)
	if !known || now.NodeName == "" {
		return e
	}
	placed := pod.DeepCopy()
	placed.Spec.NodeName, placed.Status = now.NodeName, now.API.Status
	return cluster.Event{Action: cluster.Update, Object: placed}
}

// until runs cycles and lets time pass, up to a moment.
func (r *playing) until(at time.Time) error {
	for r.ours.Now().Before(at) {
		if err := r.settle(); err != nil {
			return err
		}
		next, ok := r.ours.Next()
		if !ok || next.After(at) {
			next = at
		}
		for _, e := range r.echoes {
			if e.At.Before(next) {
				next = e.At
			}
		}
		if !next.After(r.ours.Now()) {
			next = r.ours.Now().Add(time.Nanosecond)
		}
		effects, _ := r.ours.Advance(next)
		r.ask(effects)
	}
	return nil
}

// settle runs cycles until no pod is ready and every due echo was heard.
func (r *playing) settle() error {
	for r.left > 0 {
		if err := r.hear(); err != nil {
			return err
		}
		effects, ok, err := r.Cycle()
		if err != nil {
			return err
		}
		if !ok && !r.hurry() {
			return nil
		}
		r.left--
		for i := range r.echoes {
			r.echoes[i].cycles--
		}
		r.ask(effects)
	}
	r.hurry()
	return r.hear()
}

// hurry lets every due echo be heard now; false when there is none.
func (r *playing) hurry() bool {
	due := false
	for i, e := range r.echoes {
		if !e.At.After(r.ours.Now()) {
			r.echoes[i].cycles, due = 0, true
		}
	}
	return due
}

// hear delivers what the world has answered by now.
func (r *playing) hear() error {
	var later []echo
	due := r.echoes
	r.echoes = nil
	for _, e := range due {
		if e.cycles > 0 || e.At.After(r.ours.Now()) {
			later = append(later, e)
			continue
		}
		effects, err := r.Deliver(e.Event)
		if err != nil {
			return err
		}
		r.ask(effects)
	}
	r.echoes = append(later, r.echoes...)
	return nil
}

// ask has the world answer. Only bindings are seen late: the other side was told
// of nominations when they were made.
func (r *playing) ask(effects []core.Effect) {
	for _, effect := range effects {
		echoes, _ := r.world.Do(effect, r.ours.State(), r.ours.Now())
		late := 0
		if _, binds := effect.(core.Bind); binds {
			late = r.Confirm
		}
		if e, evicts := effect.(core.Evict); evicts {
			echoes = r.evicted(e, echoes)
		}
		for _, t := range echoes {
			r.echoes = append(r.echoes, echo{late, t})
		}
	}
}

// evicted is what comes of an eviction. The victim is seen on its node as it
// goes, if it was not seen there before.
func (r *playing) evicted(e core.Evict, echoes []replay.Timed) []replay.Timed {
	if len(echoes) == 0 {
		r.ours.Evicted(e)
		return nil
	}
	r.echoes = slices.DeleteFunc(r.echoes, func(other echo) bool { return cluster.Key(other.Event.Object) == e.Pod.Key })
	for i := range echoes {
		going := echoes[i].Event.Object.(*corev1.Pod).DeepCopy()
		going.Spec.NodeName = e.Pod.NodeName
		echoes[i].Event.Object = going
	}
	return echoes
}
