package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
)

// TestColumnsChangeNothing plays random stories to two schedulers at once, with and without columns: every fact and
// every effect is the same. The one with columns computes again all that it keeps, and panics where an answer differs.
func TestColumnsChangeNothing(t *testing.T) {
	cycles := 0
	law.CheckCostly(t, func(rt *rapid.T) {
		p := newPair(rt)
		rt.Repeat(map[string]func(*rapid.T){
			"":         func(*rapid.T) {},
			"node":     p.node,
			"pods":     p.pods,
			"pod":      p.pod,
			"object":   p.object,
			"cycles":   p.cycle,
			"confirm":  p.confirm,
			"time":     p.time,
			"setting":  p.setting,
			"question": p.question,
		})
		cycles += p.cycles
	})
	law.Met(t, cycles > 0, "no cycle was run")
}

// pair is two schedulers in the same cluster.
type pair struct {
	with, without *core.Scheduler
	version       int
	placed        []*corev1.Pod // bound, and not seen so
	keys          []string      // of all pods there were
	cycles        int
}

// few is a search that ends at so many feasible nodes.
type few struct {
	framework.Sampling
	enough int
}

// Enough is that many.
func (f few) Enough(_ *framework.Profile, nodes int) int { return min(f.enough, nodes) }

const flat = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: PodTopologySpread
    args: {defaultingType: List}
`

func newPair(rt *rapid.T) *pair {
	enough := rapid.IntRange(1, 6).Draw(rt, "enough")
	flatly, seed := rapid.Bool().Draw(rt, "flat"), rapid.Uint64().Draw(rt, "seed")
	scheduler := func(columns core.Columns) *core.Scheduler {
		c := config.Default()
		if flatly {
			var err error
			if c, err = config.Load([]byte(flat), "flat"); err != nil {
				rt.Fatal(err)
			}
		}
		c.Profiles[0].Behaviour.Search = few{enough: enough}
		return core.New(core.Options{
			Profiles: c.Profiles, InitialBackoff: time.Second, MaxBackoff: 4 * time.Second, Start: time.Unix(1e9, 0),
			Columns: columns, Seed: seed,
		})
	}
	p := &pair{with: scheduler(core.ColumnsChecked), without: scheduler(core.ColumnsOff)}
	for i := range 4 {
		p.apply(rt, cluster.Add, p.drawNode(rt, fmt.Sprint("n", i)))
	}
	return p
}

// same does one thing on both schedulers and compares the effects and facts.
func (p *pair) same(rt *rapid.T, do func(*core.Scheduler) ([]core.Effect, []trace.Fact)) []core.Effect {
	effects, facts := do(p.with)
	others, wanted := do(p.without)
	if got, want := told(effects, facts), told(others, wanted); got != want {
		rt.Fatalf("with columns:\n%s\nwithout:\n%s", got, want)
	}
	return effects
}

func told(effects []core.Effect, facts []trace.Fact) string {
	var b strings.Builder
	for _, f := range facts {
		text, err := json.Marshal(f)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "%T %s\n", f, text)
	}
	for _, e := range effects {
		fmt.Fprintln(&b, e)
	}
	return b.String()
}

func (p *pair) apply(rt *rapid.T, action cluster.Action, o cluster.Object) {
	p.version++
	o.SetResourceVersion(fmt.Sprint(p.version))
	p.take(p.same(rt, func(s *core.Scheduler) ([]core.Effect, []trace.Fact) {
		return s.Apply(cluster.Event{Action: action, Object: o.DeepCopyObject().(cluster.Object)})
	}))
}

// take carries out effects, except for bindings, which are to be seen later.
func (p *pair) take(effects []core.Effect) {
	for _, e := range effects {
		if bind, is := e.(core.Bind); is {
			pod := bind.Pod.API.DeepCopy()
			pod.Spec.NodeName = bind.Node
			p.placed = append(p.placed, pod)
		}
	}
}

func (p *pair) cycle(rt *rapid.T) {
	for range rapid.IntRange(1, 6).Draw(rt, "cycles") {
		effects := p.same(rt, func(s *core.Scheduler) ([]core.Effect, []trace.Fact) {
			effects, facts, ran := s.Schedule()
			if ran && s == p.with {
				p.cycles++
			}
			return effects, facts
		})
		p.take(effects)
		for _, e := range effects {
			if evict, is := e.(core.Evict); is {
				p.apply(rt, cluster.Delete, evict.Pod.API.DeepCopy())
			}
		}
	}
}

// confirm shows bindings, or denies that they were made.
func (p *pair) confirm(rt *rapid.T) {
	for _, pod := range p.placed {
		if _, known := p.with.State().Pod(pod.Namespace + "/" + pod.Name); known {
			p.apply(rt, cluster.Update, pod)
		}
	}
	p.placed = nil
}

func (p *pair) time(rt *rapid.T) {
	ahead := time.Duration(rapid.IntRange(1, 400).Draw(rt, "seconds")) * time.Second
	p.same(rt, func(s *core.Scheduler) ([]core.Effect, []trace.Fact) { return s.Advance(s.Now().Add(ahead)) })
}

// setting changes what is kept of facts, or goes on with a fork.
func (p *pair) setting(rt *rapid.T) {
	switch rapid.IntRange(0, 9).Draw(rt, "setting") {
	case 0, 1:
		p.with, p.without = p.with.Fork(), p.without.Fork()
	case 2:
		plugin := rapid.SampledFrom([]string{"ImageLocality", "NodePorts", "NodeResourcesFit"}).Draw(rt, "plugin")
		p.with.Disable(plugin)
		p.without.Disable(plugin)
	default:
		detail := trace.Detail(rapid.IntRange(int(trace.Summary), int(trace.Reasoned)).Draw(rt, "detail"))
		p.with.Keep(detail)
		p.without.Keep(detail)
	}
}

// question examines a pod on both schedulers: what would a cycle do with it?
func (p *pair) question(rt *rapid.T) {
	if len(p.keys) == 0 {
		return
	}
	key := rapid.SampledFrom(p.keys).Draw(rt, "key")
	detail := trace.Detail(rapid.IntRange(int(trace.Summary), int(trace.Full)).Draw(rt, "detail"))
	p.same(rt, func(s *core.Scheduler) ([]core.Effect, []trace.Fact) {
		facts, err := s.ExamineIn(key, detail)
		if err != nil {
			return nil, nil
		}
		return nil, facts
	})
}
