package compare

import (
	"errors"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/schedstep/schedstep/conformance/generate"
	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/source"
)

// Play is one comparison from an empty cluster to the end of a script.
type Play struct {
	Script        source.Script
	Start         time.Time
	Configuration []byte       // every plugin of it must be judged, see Judged
	Gates         config.Gates // ours is of their release
	// Theirs is kube-scheduler in an empty cluster, with the same gates; nil: the newest, in this process.
	Theirs func(configuration []byte) (KubeScheduler, error)
	// Ours is schedstep in an empty cluster; nil: New.
	Ours func(configuration []byte, gates config.Gates, start time.Time) (*core.Scheduler, error)
	// Confirm is how many cycles pass before a bound pod is seen on its node.
	Confirm int
	// Cycles ends a play that does not end by itself; 0 stands for 400.
	Cycles int
	Tamper Tamper
	// Beside gets what ours did in each step, once kube-scheduler has followed, and returns what differs besides. nil:
	// nothing more is compared.
	Beside func(effects []core.Effect, facts []trace.Fact) []Difference
}

// epoch is when the scripts of drawn cases begin.
var epoch = time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC)

// OfCase is the play of a drawn cluster: all of it at once, the pending pods
// after that, then one change every seven seconds.
func OfCase(c generate.Case, configuration []byte) Play {
	p := Play{Start: epoch, Configuration: configuration}
	add := func(at time.Time, action cluster.Action, object any) {
		p.Script = append(
			p.Script, source.Timed{At: at, Event: cluster.Event{Action: action, Object: object.(cluster.Object)}},
		)
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

// Linked is the kube-scheduler of this process, under the gates of oracle.SetGates.
func Linked(configuration []byte) (KubeScheduler, error) {
	return oracle.New(nil, oracle.Options{Configuration: configuration})
}

// Run plays to the end, or to that of kube-scheduler's process. The differences are in the order they were found; an
// error is one of the comparison itself.
func (p Play) Run(tally *Tally) ([]Difference, error) {
	if p.Ours == nil {
		p.Ours = New
	}
	ours, err := p.Ours(p.Configuration, p.Gates, p.Start)
	if err != nil {
		return nil, err
	}
	if p.Theirs == nil {
		p.Theirs = Linked
	}
	theirs, err := p.Theirs(p.Configuration)
	if err != nil {
		return nil, err
	}
	pair := Beside(ours, theirs, tally)
	defer pair.Close()
	pair.Tamper = p.Tamper
	tally.Cases++
	player := play.NewPlayer(pair.ours, play.NewSimulated(), source.Script{}.Log())
	run := &playing{Pair: pair, play: p, player: player, left: p.Cycles}
	player.Hook(play.Hooks{Delay: run.delay})
	if run.left == 0 {
		run.left = 400
	}
	if err = run.all(); errors.Is(err, errEnds) {
		tally.CutShort++
		err = nil
	}
	return pair.Differences(), err
}

// playing is a Play under way.
type playing struct {
	*Pair
	play   Play
	player *play.Player // its log is empty: the events are delivered here, between the cycles
	left   int          // cycles that may still be run
	echoes []echo
}

// echo is what the world answers, and after how many cycles.
type echo struct {
	cycles int
	source.Timed
}

func (r *playing) all() error {
	for i, t := range r.play.Script {
		if err := r.until(t.At); err != nil {
			return err
		}
		if e, happens := r.live(t.Event); happens {
			if err := r.happen(e); err != nil {
				return err
			}
		}
		if i+1 == len(r.play.Script) || r.play.Script[i+1].At.After(t.At) {
			r.Gated(r.ours.State())
		}
	}
	return r.until(r.ours.Now().Add(20 * time.Second))
}

// live is a scripted event as it would have come in the cluster as it is: a pod
// stays where it was placed, and what the world made of a volume or a claim
// stays as it is.
func (r *playing) live(e cluster.Event) (event cluster.Event, happens bool) {
	if e.Action == cluster.Delete {
		return e, true
	}
	objects := r.ours.State().Objects()
	switch o := e.Object.(type) {
	case *corev1.PersistentVolume:
		now, known := objects.Volumes.Find(o.Name)
		return e, !known || !byWorld(now)
	case *corev1.PersistentVolumeClaim:
		now, known := objects.VolumeClaims.Find(cluster.Key(o))
		return e, !known || !byWorld(now)
	case *resourcev1.ResourceClaim:
		now, known := objects.ResourceClaims.Find(cluster.Key(o))
		return e, !known || !byWorld(now)
	case *corev1.Pod:
		now, known := r.ours.State().Pod(cluster.Key(o))
		if o.Spec.NodeName != "" || !known || now.NodeName == "" {
			return e, true
		}
		placed := o.DeepCopy()
		placed.Spec.NodeName, placed.Status = now.NodeName, now.API.Status
		return cluster.Event{Action: cluster.Update, Object: placed}, true
	}
	return e, true
}

// byWorld reports that the simulated world wrote the object last.
func byWorld(o cluster.Object) bool { return strings.HasPrefix(o.GetResourceVersion(), "simulated-") }

// happen delivers an event to both sides.
func (r *playing) happen(e cluster.Event) error {
	before := r.ours.State().Fork()
	step := r.player.Deliver(e)
	return r.beside(step, r.Delivered(e, before, step.Effects, step.Facts))
}

// beside passes a step on.
func (r *playing) beside(step play.Step, err error) error {
	if err != nil || r.play.Beside == nil {
		return err
	}
	r.Add(r.play.Beside(step.Effects, step.Facts)...)
	return nil
}

// until runs cycles and lets time pass, up to a moment.
func (r *playing) until(at time.Time) error {
	for r.ours.Now().Before(at) {
		if err := r.runReady(); err != nil {
			return err
		}
		next, ok := r.ours.Next()
		if !ok || next.After(at) || r.left == 0 { // no more cycles: a pod that is ready stays so
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
		step := r.player.Advance(next)
		if err := r.beside(step, r.Waited(step.Effects)); err != nil {
			return err
		}
	}
	return nil
}

// runReady runs cycles until no pod is ready and every due echo was delivered.
func (r *playing) runReady() error {
	for r.left > 0 {
		if err := r.hear(); err != nil {
			return err
		}
		if !r.ours.CanSchedule() && !r.hurry() {
			return nil
		}
		r.left--
		for i := range r.echoes {
			r.echoes[i].cycles--
		}
		step, ok := r.player.Cycle()
		if !ok {
			continue
		}
		if err := r.beside(step, r.Tried(step.Effects, step.Facts)); err != nil {
			return err
		}
	}
	r.hurry()
	return r.hear()
}

// hurry makes every due echo come now; false when there is none.
func (r *playing) hurry() bool {
	due := false
	for i, e := range r.echoes {
		if !e.At.After(r.ours.Now()) {
			r.echoes[i].cycles, due = 0, true
		}
	}
	return due
}

// hear delivers those answers of the world whose time has come.
func (r *playing) hear() error {
	var later []echo
	due := r.echoes
	r.echoes = nil
	for _, e := range due {
		if e.cycles > 0 || e.At.After(r.ours.Now()) {
			later = append(later, e)
			continue
		}
		if err := r.happen(e.Event); err != nil {
			return err
		}
	}
	r.echoes = append(later, r.echoes...)
	return nil
}

// delay keeps the events of the world until enough cycles have passed. Only bindings are seen late: the other side got
// nominations when they were made.
func (r *playing) delay(because core.Effect, events []source.Timed) []source.Timed {
	late := 0
	switch e := because.(type) {
	case core.Bind:
		late = r.play.Confirm
	case core.Evict:
		events = r.evicted(e, events)
	}
	for _, t := range events {
		r.echoes = append(r.echoes, echo{late, t})
	}
	return nil
}

// evicted shows the victim on its node as it goes, if it was not seen there before.
func (r *playing) evicted(e core.Evict, events []source.Timed) []source.Timed {
	r.echoes = slices.DeleteFunc(r.echoes, func(other echo) bool { return cluster.Key(other.Event.Object) == e.Pod.Key })
	events = slices.Clone(events)
	for i := range events {
		going := events[i].Event.Object.(*corev1.Pod).DeepCopy()
		going.Spec.NodeName = e.Pod.NodeName
		events[i].Event.Object = going
	}
	return events
}
