// Package slice makes an input smaller that still leads one pod the same way: whatever was left out, the pod goes
// through the same cycles to the letter. It knows nothing of why an object matters; it tries.
package slice

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/source"
)

// Slice is what is left of a script.
type Slice struct {
	Script      source.Script
	Kept, Of    int  // objects
	Cycles      int  // of the pod: the same before and after
	Plays       int  // how many scripts were tried
	Interrupted bool // by the most plays: more could go
}

// ErrNoCycle is that of a pod that is never tried.
var ErrNoCycle = phrase.Errorf("no cycle is about a pod")

// Search finds a slice.
type Search struct {
	Pod  string // namespace/name
	Play func(source.Script) *play.Player
	Most int                       // how many scripts are tried at most
	Tell func(kept, of, plays int) // called with the progress of the search; may be nil
}

// Find leaves out one group of objects after the other, smaller ones each time, and takes back what changed a cycle of
// the pod. An error: no cycle is about the pod, or the context ended.
func (s *Search) Find(ctx context.Context, script source.Script) (*Slice, error) {
	f := &finding{Search: s, script: script, gone: map[source.ObjectID]bool{}}
	whole, err := f.tale(ctx, script, nil)
	if err != nil {
		return nil, err
	}
	if len(whole.cycles) == 0 {
		return nil, phrase.Errorf("%w %q", ErrNoCycle, s.Pod)
	}
	f.want = whole.cycles
	f.script = f.upTo(script, whole.taken)
	if same, err := f.same(ctx, f.script); err != nil {
		return nil, err
	} else if !same { // what comes later keeps the pod from another cycle
		f.script = script
	}
	for before := -1; before < len(f.gone) && f.plays < f.Most; { // what is gone may have been why others had to stay
		before = len(f.gone)
		f.sort(whole.nodes)
		if err := f.halve(ctx); err != nil {
			return nil, err
		}
	}
	kept := f.without(nil)
	return &Slice{
		Script: kept, Kept: len(kept.Objects()), Of: len(script.Objects()), Cycles: len(f.want), Plays: f.plays,
		Interrupted: f.plays >= s.Most,
	}, nil
}

// finding is a search that goes on.
type finding struct {
	*Search
	script source.Script
	want   [][]byte                 // the cycles of the pod
	gone   map[source.ObjectID]bool // left out for good
	groups [][]source.ObjectID      // to be left out, by kind
	plays  int
}

// upTo is the beginning of a script, and of the rest what is about the pod.
func (f *finding) upTo(script source.Script, taken int) source.Script {
	cut := slices.Clone(script[:taken])
	for _, t := range script[taken:] {
		if t.Event.Object != nil && source.IDOf(t.Event.Object) == (source.ObjectID{Kind: cluster.KindPod, Key: f.Pod}) {
			cut = append(cut, t)
		}
	}
	return cut
}

// sort puts what may be left out into groups by kind. The pod stays, and so do the nodes its cycles name.
func (f *finding) sort(nodes map[string]bool) {
	byKind := map[cluster.Kind][]source.ObjectID{}
	for _, id := range f.without(nil).Objects() {
		if id.Kind == cluster.KindPod && id.Key == f.Pod || id.Kind == cluster.KindNode && nodes[id.Key] {
			continue
		}
		byKind[id.Kind] = append(byKind[id.Kind], id)
	}
	for _, kind := range append(cluster.Kinds(), cluster.KindEvent) {
		if len(byKind[kind]) > 0 {
			f.groups = append(f.groups, byKind[kind])
		}
	}
}

// halve tries every group, then the halves of those that must not go whole, down to single objects.
func (f *finding) halve(ctx context.Context) error {
	for len(f.groups) > 0 && f.plays < f.Most {
		group := f.groups[0]
		f.groups = f.groups[1:]
		if f.Tell != nil {
			f.Tell(len(f.without(nil).Objects()), len(f.script.Objects()), f.plays)
		}
		same, err := f.same(ctx, f.without(group))
		if err != nil {
			return err
		}
		switch half := len(group) / 2; {
		case same:
			for _, id := range group {
				f.gone[id] = true
			}
		case half > 0:
			f.groups = append(f.groups, group[:half], group[half:])
		}
	}
	return nil
}

// without is the script without what is gone and a group more.
func (f *finding) without(group []source.ObjectID) source.Script {
	more := make(map[source.ObjectID]bool, len(group))
	for _, id := range group {
		more[id] = true
	}
	var kept source.Script
	for _, t := range f.script {
		if t.Event.Object != nil {
			if id := source.IDOf(t.Event.Object); f.gone[id] || more[id] {
				continue
			}
		}
		kept = append(kept, t)
	}
	return kept
}

// same reports whether a script leads the pod the same way.
func (f *finding) same(ctx context.Context, script source.Script) (bool, error) {
	t, err := f.tale(ctx, script, f.want)
	return t.same, err
}

// tale is the story of the pod in a script.
type tale struct {
	cycles [][]byte        // what each of its cycles found
	nodes  map[string]bool // that they name
	taken  int             // entries that came before the last of them ended
	same   bool            // as those that were wanted
}

// tale plays a script, as far as it is like what is wanted; nil: to its end.
func (f *finding) tale(ctx context.Context, script source.Script, want [][]byte) (tale, error) {
	f.plays++
	t := tale{nodes: map[string]bool{}}
	player := f.Play(script)
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return t, ctx.Err()
		}
		step, ok := player.Step()
		if !ok {
			break
		}
		found, is, err := f.found(&step)
		if err != nil {
			return t, err
		}
		if !is {
			continue
		}
		if want != nil && (len(t.cycles) == len(want) || !bytes.Equal(found.text, want[len(t.cycles)])) {
			return t, nil
		}
		t.cycles, t.taken = append(t.cycles, found.text), player.Taken()
		for _, node := range found.nodes {
			t.nodes[node] = true
		}
	}
	t.same = len(t.cycles) == len(want)
	return t, ctx.Err()
}

// found is what a cycle found about the pod.
type found struct {
	text  []byte
	nodes []string
}

// found is a step's content about the pod: all of a cycle's document but its number, its hashes and the lengths of the
// queues, which other pods change. false: the step is no cycle about the pod or about its group.
func (f *finding) found(step *play.Step) (found, bool, error) {
	if step.Kind != play.Tried {
		return found{}, false, nil
	}
	c, is := trace.Fold(step.Facts)
	if !is || !f.isAbout(c) {
		return found{}, false, nil
	}
	d := c.Document()
	d.Number, d.Hash, d.Queue = 0, "", trace.QueueDocument{BackoffUntil: d.Queue.BackoffUntil, MovedTo: d.Queue.MovedTo}
	text, err := json.Marshal(d)
	of := found{text: text}
	for _, node := range d.Nodes {
		of.nodes = append(of.nodes, node.Name)
	}
	return of, true, err
}

// isAbout reports whether a cycle tries the pod, alone or as a member of its group.
func (f *finding) isAbout(c *trace.Cycle) bool {
	if c.Group == nil {
		return c.Entity.Key() == f.Pod
	}
	for _, member := range c.Group.Members {
		if member.Key() == f.Pod {
			return true
		}
	}
	return false
}
