// Package input makes what a user hands in ready to be played: files of any format become a script, a start, a
// configuration, and a list of what was odd about them. It parses no format itself (importer, recording and scenario
// do) and plays nothing.
package input

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/scenario"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/replay/source/importer"
	"github.com/schedstep/schedstep/replay/source/importer/admission"
	"github.com/schedstep/schedstep/replay/source/importer/templates"
)

// Input is a replay that has not begun.
type Input struct {
	Title  string // the recording's own, or the first file's name
	Story  string // what a demo is about; may be empty
	Script source.Script
	Start  time.Time // virtual time before the first event
	World  World
	Seed   uint64
	Until  time.Time // virtual time goes on to here even when nothing is left to do; zero: it need not
	Config []byte    // a KubeSchedulerConfiguration the input brought along; nil: none
	From   string    // where Config was found
	Gates  string    // feature gates the input brought along, as config.ParseGatesOf reads them; empty: none
	// Release of kube-scheduler that the input wants to be decided by, which this build need not have; empty: any.
	Release string
	Told    phrase.Text // how the release is known: "its nodes say so"; "" for one that the user chose
	// Schedulers decide beside the one that Play is given a configuration of.
	Schedulers []play.Declared
	// Kubelets look at what is bound, because others than this scheduler bind too.
	Kubelets bool
	// Redacted: annotations, and the values of custom resources, are not in the recording.
	Redacted bool
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

	Made []templates.Made // workloads of which pods were made
	// Workloads are the Deployments, DaemonSets and Jobs of the input, where its Options want them.
	Workloads []cluster.Object
	// Holders are objects of other programs that hold the gates of pods.
	Holders []importer.Holder

	// Hidden is why a past that was rebuilt of logs shows less than was there; "" for one that shows all.
	Hidden phrase.Text
	// Past is how complete a past is that was rebuilt of logs; nil: the input is none.
	Past *Past

	Refused []phrase.Text // sentences: what could not be read and was left out
	Notices []phrase.Text // sentences: what is worth knowing
	lacks   []cluster.Kind
	log     *source.Log // that goes on after Script; nil: it is all
	packed  *packed     // the events in the place of Script; nil: it has them
	told    *told       // of a saved session that was not read whole; nil: Script has the events
	left    []importer.LeftOut
	spent   int                    // objects that only admission reads
	hold    func(core.Effect) bool // what Script itself decides about; nil: nothing
	events  []importer.PodEvent    // from the Event objects of the input
	emptier phrase.Text            // why nodes look emptier than they were; "" when the input shows no reason
	release string                 // of the cluster, from its nodes; ""
	beside  []*config.Config       // of Schedulers
	did     []string               // schedulers whose bindings are in Script
	sources map[string]string      // where objects of a dump were found, by kind and key; nil: it is none

	act func(core.Effect, *cluster.State, time.Time) // carries out effects in a driven world; may be nil
}

// Lacks reports whether the input could not hold objects of a kind.
func (in *Input) Lacks(k cluster.Kind) bool { return slices.Contains(in.lacks, k) }

// World is how a replay answers the scheduler's wishes.
type World string

// The worlds.
const (
	Simulated World = "simulated" // the scheduler's effects happen
	Recorded  World = "recorded"  // what really happened happens
	driven    World = "driven"    // effects go to a cluster, and the log has their results
)

// Options of Read. The zero value reads files and detects their format.
type Options struct {
	Stdin     io.Reader
	Format    string
	Time      time.Time // when virtual time begins; zero: at the newest timestamp of the objects
	Since, To time.Time // of a cluster's logs, what is played; zero: from the beginning, to the end
	Most      int64     // bytes that are read and unpacked; 0: importer's default
	Progress  func(done, total int64)
	Whole     bool              // keep what no scheduler reads of pods
	Packed    bool              // a past may stay packed: Each has its events, and Script none until All, Play or Unpack
	Resumes   bool              // read only the part of a saved session that its place needs
	Templates templates.Options // of which workloads pods are made
	Rules     admission.Rules   // of the API server that the objects of files would have been sent to
	Plugins   []config.Plugin   // that the configuration of a scenario may name besides those of kube-scheduler
	Nodes     string            // YAML of nodes that are there besides, under free names; "": none
	Programs  scenario.Program  // runs the programs of a scenario; nil: a scenario that has one is refused
}

// epoch is when virtual time begins for objects that bear no timestamp at all.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// Play is a scheduler at the start of the input, run by a configuration.
func (in *Input) Play(c *config.Config, seed uint64, d trace.Detail) *play.Player {
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
func (in *Input) PlayFrom(k *play.Keyframe, c *config.Config, seed uint64, d trace.Detail) (*play.Player, error) {
	return k.Resume(in.Play(c, seed, d), in.options(c, seed, d))
}

func (in *Input) options(c *config.Config, seed uint64, d trace.Detail) core.Options {
	return play.OptionsOf(c, in.Start, seed, d)
}

// join has schedulers decide beside the first.
func (in *Input) join(declared []play.Declared, plugins []config.Plugin) error {
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
func (in *Input) served(schedulerName string) bool {
	return slices.Contains(in.did, schedulerName) ||
		slices.ContainsFunc(in.Schedulers, func(d play.Declared) bool { return d.Name == schedulerName })
}

// Unserved lists, sorted, the scheduler names in pods of the script that no profile has, with their numbers.
func (in *Input) Unserved(c *config.Config) []phrase.Text {
	if in.told != nil {
		return sentences(in.told.Unserved)
	}
	counts := map[string]int{}
	for _, t := range in.Script {
		p, ok := t.Event.Object.(*corev1.Pod)
		if !ok || p.Spec.NodeName != "" || cluster.Finished(p) || t.Event.Action != cluster.Add {
			continue
		}
		if _, placed := c.Profile(p.Spec.SchedulerName); !placed && !in.served(p.Spec.SchedulerName) {
			counts[p.Spec.SchedulerName]++
		}
	}
	var out []phrase.Text
	for name, n := range counts {
		format := "%d pods use schedulerName %s; no profile has that name, so nobody here places them"
		if n == 1 {
			format = "%d pod uses schedulerName %s; no profile has that name, so nobody here places it"
		}
		out = append(out, phrase.Textf(format, n, name))
	}
	slices.SortFunc(out, func(a, b phrase.Text) int { return cmp.Compare(a.String(), b.String()) })
	return out
}
