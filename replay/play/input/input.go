// Package input makes what a user hands in ready to be played: files of any format become a script, a start, a
// configuration, and a list of what was odd about them. It parses no format itself (importer, recording and scenario
// do) and plays nothing.
package input

import (
	"cmp"
	"io"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/scenario"
	"github.com/schedstep/schedstep/replay/source/importer/admission"
	"github.com/schedstep/schedstep/replay/source/importer/templates"
)

// Input is one input that was read: what is played, and what is known about it.
type Input struct {
	Replay
	Report
	told *told // of a saved session that was not read whole; nil: Script has the events
}

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
