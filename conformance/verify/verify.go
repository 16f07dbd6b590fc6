// Package verify plays an input as schedstep run does and compares every step with the real kube-scheduler, so that a
// user can trust a recording. It draws no clusters (generate does) and repairs nothing.
package verify

import (
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/conformance/wire"
	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
)

// shown is how many differences are kept with their objects.
const shown = 20

// options are how an input is played.
type options struct {
	Release *release.Release // of both sides
	// Oracle is the program of the release; nil: the kube-scheduler of this process, which is the newest.
	Oracle *wire.Program
	// Configuration is a KubeSchedulerConfiguration; nil: the default.
	Configuration []byte
	Gates         string // feature gates, as config.ParseGates reads them
	Seed          uint64
	Until         time.Duration // virtual time goes on for this long after the start
	Cycles        int64         // ends the play; 0: it ends by itself
	Tamper        compare.Tamper
	Foreign       Foreign // nil: none
}

// Foreign is plugins that are not kube-scheduler's own, linked into both schedulers.
type Foreign interface {
	// Plugins are they, as ours knows them.
	Plugins() []config.Plugin
	// Begin is an empty cluster with a kube-scheduler that has them, beside ours, which runs by the same configuration.
	// One begins when the one before is closed.
	Begin(configuration []byte, ours *core.Scheduler) (compare.KubeScheduler, error)
	// Stepped compares what the plugins did in a step besides what a cycle answers: Permit, waits, writes.
	Stepped(effects []core.Effect, facts []trace.Fact) []compare.Difference
	// Counted is what Stepped has compared so far, as a line; "" for nothing.
	Counted() string
}

// result is what came out.
type result struct {
	Tally       compare.Tally
	Cycles      int64
	Differences []Difference // the first ones
	Others      map[string]int
	Without     []string // plugins that schedstep does not judge with, left out on both sides
	Unread      []string // kinds of objects that the release does not know, left out on both sides
	Version     string   // of kube-scheduler
	Foreign     string   // what was compared of plugins besides; "": nothing
	Broken      error    // why the comparison ended early; nil: it did not
}

// Count is how many differences there are.
func (r *result) Count() int {
	n := len(r.Differences)
	for _, others := range r.Others {
		n += others
	}
	return n
}

// Difference is one difference with what it takes to see it again.
type Difference struct {
	compare.Difference
	Cycle   int64  // the last cycle begun
	Cluster string // which of the drawn ones it is in; "" where none are drawn
	Objects string // the pod and the node as YAML
}

// between compares to the end of the input. It sets kube-scheduler's feature gates
// for the process while it plays.
func between(in *input.Input, o options) (*result, error) {
	s, back, err := begin(in, o)
	if err != nil {
		return nil, err
	}
	defer back()
	r, player := s.result, in.Play(s.config, o.Seed, trace.Full)
	if o.Until > 0 {
		player.RunOn(in.Start.Add(o.Until))
	}
	theirs, err := r.other(s.judged, s.gates, o, player.Scheduler())
	if err != nil {
		return nil, err
	}
	pair := compare.Beside(player.Scheduler(), theirs, &r.Tally)
	defer pair.Close()
	pair.Tamper = o.Tamper
	r.Tally.Cases = 1
	p := comparison{result: r, player: player, pair: pair, foreign: o.Foreign}
	for p.step() {
		if o.Cycles > 0 && player.Scheduler().Cycles() >= o.Cycles {
			break
		}
	}
	r.Cycles = player.Scheduler().Cycles()
	r.count(o.Foreign)
	return r, nil
}

// count takes over what was compared of plugins.
func (r *result) count(f Foreign) {
	if f != nil {
		r.Foreign = f.Counted()
	}
}

// linked is the kube-scheduler of this process.
const linked = "1.37.1"

// sides is what both run by.
type sides struct {
	*result
	gates  config.Gates
	judged []byte // the configuration
	config *config.Config
}

// begin reads the configuration, and puts the process under the gates until back.
func begin(in *input.Input, o options) (s sides, back func(), err error) {
	if s.gates, err = config.ParseGatesOf(o.Release, o.Gates); err != nil {
		return s, nil, err
	}
	s.result = &result{Others: map[string]int{}, Version: linked}
	if s.judged, s.Without, err = compare.Judged(o.Configuration, s.gates, o.plugins()...); err != nil {
		return s, nil, err
	}
	if s.config, err = compare.Load(s.judged, s.gates, o.plugins()...); err != nil {
		return s, nil, err
	}
	if err = enabled(s.config, o.plugins()); err != nil {
		return s, nil, err
	}
	back, err = s.ready(in, s.judged, s.gates, o.Oracle)
	return s, back, err
}

// plugins are those that a configuration may name besides kube-scheduler's own.
func (o *options) plugins() []config.Plugin {
	if o.Foreign == nil {
		return nil
	}
	return o.Foreign.Plugins()
}

// enabled refuses a configuration that enables none of the plugins that were linked for it.
func enabled(c *config.Config, plugins []config.Plugin) error {
	if len(plugins) == 0 {
		return nil
	}
	for k := range c.Expanded {
		for _, at := range c.Expanded[k].Points {
			for _, e := range at.Plugins {
				if slices.ContainsFunc(plugins, func(p config.Plugin) bool { return p.Name() == e.Name }) {
					return nil
				}
			}
		}
	}
	return fmt.Errorf("the configuration enables none of the plugins that were built in (%s), so nothing of them would be "+
		"compared: --config names one that does", namesOf(plugins))
}

// ready puts the process under the gates until back, where kube-scheduler is one of this process. Objects that the
// release of a program does not know are taken out of the input.
func (r *result) ready(
	in *input.Input, configuration []byte, gates config.Gates, program *wire.Program,
) (back func(), err error) {
	if program != nil {
		in.Script, r.Unread, err = compare.Known(program, in.Script)
		return func() {}, err
	}
	if err := crash(configuration, in.Script); err != nil {
		return nil, err
	}
	return oracle.SetGates(gates.String())
}

// other is the kube-scheduler to compare with.
func (r *result) other(
	configuration []byte, gates config.Gates, o options, ours *core.Scheduler,
) (compare.KubeScheduler, error) {
	switch {
	case o.Foreign != nil:
		return o.Foreign.Begin(configuration, ours)
	case o.Oracle == nil:
		return compare.Linked(configuration)
	}
	begun, err := o.Oracle.Begin(configuration, gates.String())
	if err != nil {
		return nil, err
	}
	r.Version = begun.Version()
	return begun, nil
}

// comparison is a comparison under way.
type comparison struct {
	*result
	player  *play.Player
	pair    *compare.Pair
	foreign Foreign
	changed bool // events have come since the gates were compared
	seen    int  // differences of the pair that were looked at
}

// step does one step on both sides; false at the end.
func (p *comparison) step() bool {
	before := p.player.Scheduler().State().Fork()
	step, ok := p.player.Step()
	if !ok {
		return false
	}
	var err error
	if step.Kind == play.Delivered {
		p.changed = true
		err = p.pair.Delivered(step.Event, before, step.Effects, step.Facts)
	} else {
		if p.changed {
			p.pair.Gated(before)
			p.changed = false
		}
		if step.Kind == play.Tried {
			err = p.pair.Tried(step.Effects, step.Facts)
		} else {
			err = p.pair.Waited(step.Effects)
		}
	}
	if err == nil && p.foreign != nil {
		p.pair.Add(p.foreign.Stepped(step.Effects, step.Facts)...)
	}
	p.keep()
	p.Broken = err
	return err == nil
}

// keep takes over the differences of the step.
func (p *comparison) keep() {
	all := p.pair.Differences()
	for _, d := range all[p.seen:] {
		p.add(Difference{Difference: d, Cycle: p.player.Scheduler().Cycles(), Objects: p.objects(d)})
	}
	p.seen = len(all)
}

// add keeps a difference, or counts it.
func (r *result) add(d Difference) {
	if len(r.Differences) < shown {
		r.Differences = append(r.Differences, d)
		return
	}
	r.Others[d.Kind()]++
}

// objects is what a difference is about, as YAML.
func (p *comparison) objects(d compare.Difference) string {
	text := ""
	state := p.player.Scheduler().State()
	if pod, known := state.Pod(d.Pod); known {
		text += document("Pod", pod.API)
	}
	if node, known := state.Snapshot().Node(d.Node); known {
		text += document("Node", node.API)
	}
	return text
}

func document(kind string, o cluster.Object) string {
	data, err := yaml.Marshal(o)
	if err != nil {
		return fmt.Sprintf("---\n# %v\n", err)
	}
	return fmt.Sprintf("---\napiVersion: v1\nkind: %s\n%s", kind, data)
}
