// Package verify plays an input as schedstep run does and compares every step with the real kube-scheduler, so that a
// user can trust a recording. It draws no clusters (generate does) and repairs nothing.
package verify

import (
	"fmt"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/conformance/wire"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay"
	"github.com/schedstep/schedstep/replay/input"
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
	Objects string // the pod and the node as YAML
}

// between compares to the end of the input. It sets kube-scheduler's feature gates
// for the process while it plays.
func between(in *input.Input, o options) (*result, error) {
	gates, err := config.ParseGatesOf(o.Release, o.Gates)
	if err != nil {
		return nil, err
	}
	judged, without, err := compare.Judged(o.Configuration, gates)
	if err != nil {
		return nil, err
	}
	c, err := compare.Load(judged, gates)
	if err != nil {
		return nil, err
	}
	r := &result{Without: without, Others: map[string]int{}, Version: linked}
	theirs, back, err := r.other(in, judged, gates, o.Oracle)
	if err != nil {
		return nil, err
	}
	defer back()
	player := in.Play(c, o.Seed, trace.Full)
	if o.Until > 0 {
		player.RunOn(in.Start.Add(o.Until))
	}
	pair := compare.Beside(player.Scheduler(), theirs, &r.Tally)
	defer pair.Close()
	pair.Tamper = o.Tamper
	r.Tally.Cases = 1
	p := play{result: r, player: player, pair: pair}
	for p.step() {
		if o.Cycles > 0 && player.Scheduler().Cycles() >= o.Cycles {
			break
		}
	}
	r.Cycles = player.Scheduler().Cycles()
	return r, nil
}

// linked is the kube-scheduler of this process.
const linked = "1.37.1"

// other is the kube-scheduler to compare with, under the gates until back. Objects that the release of a program does
// not know are taken out of the input.
func (r *result) other(
	in *input.Input, configuration []byte, gates config.Gates, program *wire.Program,
) (theirs compare.KubeScheduler, back func(), err error) {
	if program == nil {
		if err := crash(configuration, in.Script); err != nil {
			return nil, nil, err
		}
		if back, err = oracle.SetGates(gates.String()); err != nil {
			return nil, nil, err
		}
		theirs, err = compare.Linked(configuration)
		return theirs, back, err
	}
	if in.Script, r.Unread, err = compare.Known(program, in.Script); err != nil {
		return nil, nil, err
	}
	begun, err := program.Begin(configuration, gates.String())
	if err != nil {
		return nil, nil, err
	}
	r.Version = begun.Version()
	return begun, func() {}, nil
}

// play is a comparison under way.
type play struct {
	*result
	player  *replay.Player
	pair    *compare.Pair
	changed bool // events have come since the gates were compared
	seen    int  // differences of the pair that were looked at
}

// step does one step on both sides; false at the end.
func (p *play) step() bool {
	before := p.player.Scheduler().State().Fork()
	step, ok := p.player.Step()
	if !ok {
		return false
	}
	var err error
	if step.Kind == replay.Delivered {
		p.changed = true
		err = p.pair.Delivered(step.Event, before, step.Effects, step.Facts)
	} else {
		if p.changed {
			p.pair.Gated(before)
			p.changed = false
		}
		if step.Kind == replay.Tried {
			err = p.pair.Tried(step.Effects, step.Facts)
		} else {
			err = p.pair.Waited(step.Effects)
		}
	}
	p.keep()
	p.Broken = err
	return err == nil
}

// keep takes over the differences of the step.
func (p *play) keep() {
	all := p.pair.Differences()
	for _, d := range all[p.seen:] {
		if len(p.Differences) < shown {
			p.Differences = append(p.Differences, Difference{d, p.player.Scheduler().Cycles(), p.objects(d)})
			continue
		}
		p.Others[d.Kind()]++
	}
	p.seen = len(all)
}

// objects is what a difference is about, as YAML.
func (p *play) objects(d compare.Difference) string {
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
