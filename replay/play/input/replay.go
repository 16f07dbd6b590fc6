package input

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/source"
)

// Replay is what is played, before it has begun.
type Replay struct {
	Script source.Script
	Start  time.Time // virtual time before the first event
	World  World
	Seed   uint64
	Until  time.Time // virtual time goes on to here even when nothing is left to do; zero: it need not
	Config []byte    // a KubeSchedulerConfiguration the input brought along; nil: none
	Gates  string    // feature gates the input brought along, as config.ParseGatesOf reads them; empty: none
	// Release of kube-scheduler that the input wants to be decided by, which this build need not have; empty: any.
	Release string
	// Schedulers decide beside the one that Play is given a configuration of.
	Schedulers []play.Declared
	// Kubelets look at what is bound, because others than this scheduler bind too.
	Kubelets bool
	// Percentage of nodes to score that overrules the configuration; nil: none does.
	Percentage *int32
	// Session is where a debugger stood in the input, for session.Restore; nil: the input is no saved session.
	Session []byte
	// Keyframe is a state of the replay near there, for session.Keyframes; nil: there is none.
	Keyframe []byte
	// Answers are what extenders answered when the input was recorded, for an extender.Journal.
	Answers []json.RawMessage
	// Extenders answer in the place of servers, by URL prefix; nil: the input speaks for none.
	Extenders map[string]framework.Line

	log    *source.Log                                  // that goes on after Script; nil: it is all
	packed *packed                                      // the events in the place of Script; nil: it has them
	hold   func(core.Effect) bool                       // what Script itself decides about; nil: nothing
	beside []*config.Config                             // of Schedulers
	did    []string                                     // schedulers whose bindings are in Script
	act    func(core.Effect, *cluster.State, time.Time) // carries out effects in a driven world; may be nil
}

// World is how a replay answers the scheduler's wishes.
type World string

// The worlds.
const (
	Simulated World = "simulated" // the scheduler's effects happen
	Recorded  World = "recorded"  // what really happened happens
	driven    World = "driven"    // effects go to a cluster, and the log has their results
)

// Play is a scheduler at the start of the input, run by a configuration.
func (in *Replay) Play(c *config.Config, seed uint64, d trace.Detail) *play.Player {
	in.Unpack()
	s := core.New(in.options(c, seed, d))
	log := in.log
	if log == nil {
		log = in.Script.Log()
	}
	var w play.World
	switch in.World {
	case Recorded:
		w = play.NewRecorded(log)
	case driven:
		w = play.NewDriven(in.act)
	case Simulated:
		w = play.NewSimulated()
	}
	player := play.NewPlayer(s, w, log)
	player.RunOn(in.Until)
	player.Hook(play.Hooks{Hold: in.hold})
	if in.Kubelets {
		player.Attend()
	}
	for _, own := range in.beside {
		player.Join(play.NewScheduler(own, in.Start, seed, d))
	}
	return player
}

// PlayFrom is the player at a keyframe of the same input, in the state that Play reaches there.
func (in *Replay) PlayFrom(k *play.Keyframe, c *config.Config, seed uint64, d trace.Detail) (*play.Player, error) {
	return k.Resume(in.Play(c, seed, d), in.options(c, seed, d))
}

func (in *Replay) options(c *config.Config, seed uint64, d trace.Detail) core.Options {
	options := play.OptionsOf(c, in.Start, seed, d)
	options.Opening = in.opening
	return options
}

// opening is the objects of CustomResourceDefinitions that are there at the start.
func (in *Replay) opening() []cluster.Object {
	script := in.Script
	if in.log != nil && len(script) == 0 {
		script = in.log.From(0)
	}
	var objects []cluster.Object
	for _, t := range script {
		if t.At.After(in.Start) {
			break
		}
		if kind, is := cluster.KindOf(t.Event.Object); is && kind.IsCustom() && t.Event.Action == cluster.Add {
			objects = append(objects, t.Event.Object)
		}
	}
	return objects
}

// join has schedulers decide beside the first.
func (in *Replay) join(declared []play.Declared, plugins []config.Plugin) error {
	for i := range declared {
		c, err := declared[i].Load(plugins)
		if err != nil {
			return err
		}
		in.beside = append(in.beside, c)
	}
	in.Schedulers = declared
	return nil
}

// served reports whether a scheduler beside the first places pods with a schedulerName.
func (in *Replay) served(schedulerName string) bool {
	return slices.Contains(in.did, schedulerName) ||
		slices.ContainsFunc(in.Schedulers, func(d play.Declared) bool { return d.Name == schedulerName })
}
