package versus

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
)

// ours is schedstep's core. A cycle is one Schedule, from the pop to the effects; the facts of the latest cycle are
// kept, as a debugger that stands on it keeps them.
type ours struct {
	scheduler *core.Scheduler
	effects   []core.Effect
	facts     []trace.Fact
	idle      int // cycles that found no pod ready

	placed  map[string]string
	victims int
}

func newOurs(p *prepared, percentage int32, d trace.Detail) *ours {
	c := config.DefaultWith(config.Options{Percentage: &percentage})
	o := &ours{placed: map[string]string{}, scheduler: core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: start, Detail: d,
	})}
	for _, n := range p.nodes {
		o.apply(cluster.Add, n)
	}
	for _, s := range p.services {
		o.apply(cluster.Add, s)
	}
	for _, resting := range p.resting {
		o.apply(cluster.Add, resting)
	}
	return o
}

func (o *ours) apply(action cluster.Action, object cluster.Object) {
	o.scheduler.Apply(cluster.Event{Action: action, Object: object})
}

func (o *ours) arrive(pods []*corev1.Pod) error {
	for _, p := range pods {
		o.apply(cluster.Add, p)
	}
	return nil
}

func (o *ours) run(cycles int) {
	for range cycles {
		effects, facts, ok := o.scheduler.Schedule()
		if !ok {
			o.idle++
			return
		}
		o.effects, o.facts = append(o.effects, effects...), facts
	}
}

// settle carries out the effects of the cycles, and lets a minute pass, which ends every backoff.
func (o *ours) settle() error {
	if o.idle > 0 {
		return fmt.Errorf("schedstep: %d cycles found nobody ready", o.idle)
	}
	for _, e := range o.effects {
		switch e := e.(type) {
		case core.Bind:
			o.placed[e.Pod.Key] = e.Node
			o.apply(cluster.Update, e.Pod.API)
		case core.Nominate:
			o.apply(cluster.Update, e.Pod.Nominate(e.Node).API)
		case core.Evict:
			o.victims++
			o.apply(cluster.Delete, e.Pod.API)
		}
	}
	o.effects = nil
	o.scheduler.Advance(o.scheduler.Now().Add(time.Minute))
	return nil
}

func (o *ours) outcome() outcome { return outcome{placed: o.placed, victims: o.victims} }

func (o *ours) close() { *o = ours{} }
