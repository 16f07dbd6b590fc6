package session

import (
	"fmt"
	"slices"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session/inside"
)

// Beginning is how kube-scheduler comes to its first cycle, as far as the cursor has come: with what this replay has in
// place of an API server.
type Beginning struct {
	Version  string
	Start    inside.Start // zero: the source of the release was not read
	Read     bool         // Start is known
	Kept     bool         // what lies before the first cycle is kept; else nothing else is told
	Now      inside.Stage // of the cursor
	Profiles []BeginningProfile
	Informed []Informed
	Steps    int // events that came before the first cycle, as far as the cursor has come
	Pods     BeginningPods
	Queue    trace.QueueCounts // when the first cycle is about to begin
	InLine   bool              // the queue is a FIFO
	Nodes    int               // that the cache has then
	// of the configuration, which all profiles share
	InitialBackoff, MaxBackoff time.Duration
	First                      string // what the first cycle is about; "": the cursor is before it
}

// BeginningProfile is a profile as it is configured.
type BeginningProfile struct {
	Name       string
	Filter     string   // the name of the phase, in the words of the release
	Filters    []string // plugins, in the order in which they are asked
	Score      string   // as Filter
	Scores     []string // with their weights where these are not 1
	Extenders  int
	Percentage int32 // of nodes that are enough; 0: it depends on their number
	Every      bool  // all nodes are asked
}

// Informed is an informer with what it brought.
type Informed struct {
	Kind    cluster.Kind
	Objects int
	Does    inside.Handler
}

// BeginningPods counts the pods by the handler that took them.
type BeginningPods struct {
	Cached int // they have a node
	Queued int // they have none, and a profile is theirs
	Others int // they have none, and belong to other schedulers
}

// opened is a scheduler when its first cycle is about to begin.
type opened struct {
	scheduler *core.Scheduler
	steps     int // that were done before
}

// opening is what the start of a scheduler came to, as far as the cursor: the last state before the first cycle.
func (k *At) opening() (o *opened, cycle int) {
	l := k.session.branches[k.session.origin()]
	if l.opened != nil {
		if cycle = l.opened.steps + 1; cycle <= k.steps || k.trying != nil && cycle == k.steps+1 {
			return l.opened, cycle
		}
	}
	if l.opened == nil && !l.opens() {
		return nil, 0
	}
	return &opened{k.player.Scheduler().Fork(), k.steps}, 0
}

// beginningOf describes a start; cycle is the step of the first cycle, 0 before it, and marks are those behind the
// cursor.
func beginningOf(version string, o *opened, cycle int, marks []Mark) Beginning {
	b := Beginning{Version: version, Kept: o != nil}
	b.Start, b.Read = inside.StartOf(version)
	if o == nil {
		return b
	}
	b.Steps = o.steps
	if b.Now = inside.Sync; cycle > 0 {
		b.Now = inside.Loop
	}
	i, there := slices.BinarySearchFunc(marks, cycle, func(m Mark, step int) int { return m.Step - step })
	if there {
		b.First = marks[i].Pod
	}
	s := o.scheduler
	b.InitialBackoff, b.MaxBackoff = s.Queue().Terms()
	b.InLine = s.Queue().InLine()
	b.Queue = s.Queue().Counts()
	b.Nodes = s.State().Count(cluster.KindNode)
	enabled := map[string]bool{}
	for _, p := range s.Profiles() {
		b.Profiles = append(b.Profiles, beginningProfile(p))
		for _, name := range pluginsOf(p) {
			enabled[name] = true
		}
	}
	unread := s.Profiles()[0].Behaviour.Reading.Unread
	for _, w := range b.Start.Watches {
		wanted := len(w.For) == 0 || slices.ContainsFunc(w.For, func(plugin string) bool { return enabled[plugin] })
		if wanted && !slices.Contains(unread, w.Kind) {
			b.Informed = append(b.Informed, Informed{w.Kind, s.State().Count(w.Kind), w.Does})
		}
	}
	s.State().EachPod(func(p *cluster.Pod) bool {
		_, ours := s.Profile(p.API.Spec.SchedulerName)
		switch {
		case p.NodeName != "":
			b.Pods.Cached++
		case ours:
			b.Pods.Queued++
		default:
			b.Pods.Others++
		}
		return true
	})
	return b
}

func beginningProfile(p *framework.Profile) BeginningProfile {
	_, every := p.Behaviour.Search.(framework.AllNodes)
	b := BeginningProfile{
		Name: p.SchedulerName, Filter: p.Behaviour.NameOf(trace.PhaseFilter),
		Score: p.Behaviour.NameOf(trace.PhaseScore), Extenders: len(p.Extenders), Percentage: p.Percentage, Every: every,
	}
	for _, f := range p.Filter {
		b.Filters = append(b.Filters, f.Name())
	}
	for _, s := range p.Score {
		name := s.Name()
		if s.Weight != 1 {
			name += fmt.Sprintf(" (%d)", s.Weight)
		}
		b.Scores = append(b.Scores, name)
	}
	return b
}

// pluginsOf are the names of the plugins of a profile that may need informers.
func pluginsOf(p *framework.Profile) []string {
	return slices.Concat(
		called(p.PreEnqueue), called(p.PreFilter), called(p.Filter), called(p.PostFilter), called(p.PreScore),
		called(p.Score),
	)
}

// called are the names of the plugins of one extension point.
func called[P framework.Plugin](plugins []P) []string {
	names := make([]string, len(plugins))
	for i, plugin := range plugins {
		names[i] = plugin.Name()
	}
	return names
}
