// Package reduce makes an input smaller that still shows a claim, such as "pod web-4 is unschedulable": objects, single
// events, fields and moments are left out until none of them can be left out any more. It does not know why something
// matters; it plays what is left, and writes it as a scenario, manifests, a Go test or a case of scheduler_perf. It
// draws nothing.
package reduce

import (
	"cmp"
	"context"
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source"
)

// Holds plays a script and reports whether it shows the claim. An error ends the search, except for one of the context.
type Holds func(context.Context, source.Script) (bool, error)

// Progress is how far a search is.
type Progress struct {
	Events, Of int // that are left, of those there were
	Plays      int // how many smaller scripts were tried
}

// Search is what is looked for, and how.
type Search struct {
	Holds Holds
	// Fields replaces Holds when fields are left out, which happens once objects and events are as few as they can be:
	// it may write the script down and read it again, so that what is written shows the claim too. nil: Holds stays.
	Fields Holds
	// Whole has objects keep all their fields.
	Whole bool
	// Keeps are objects that stay, by kind and key, such as the pod that the claim is about; nil: none.
	Keeps func(kind cluster.Kind, key string) bool
	Tell  func(Progress) // called before each play; may be nil
	Most  int            // how many scripts are tried at most
}

// Reduced is a script from which nothing more can be left out.
type Reduced struct {
	Script      source.Script
	Objects, Of int // objects that are left, of those there were
	Plays       int
	Interrupted bool // the context ended, or the most plays were made: more could go
	Stopped     bool // the context ended
	Written     bool // Search.Fields was asked, and the script shows the claim by it
}

// ErrNotShown is that of an input that does not show the claim as it is.
var ErrNotShown = phrase.Errorf("the input does not show it as it is")

// Find looks for the smallest part of a script. The same script and claim give the same part. When the context ends, it
// returns what it has by then.
func (s *Search) Find(ctx context.Context, script source.Script) (*Reduced, error) {
	f := &finding{Search: s, holds: s.Holds, script: slices.Clone(script), of: len(script)}
	shown, err := f.try(ctx, f.script)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if !shown {
		return nil, ErrNotShown
	}
	if err := f.reduce(ctx); err != nil {
		return nil, err
	}
	return &Reduced{
		Script: f.script, Objects: len(f.script.Objects()), Of: len(script.Objects()), Plays: f.plays,
		Interrupted: f.over(ctx),
		Stopped:     ctx.Err() != nil,
		Written:     f.written,
	}, nil
}

// finding is a search that goes on.
type finding struct {
	*Search
	holds  Holds
	script source.Script
	of     int
	plays  int
	failed error

	written bool
}

// reduce goes on for as long as something goes: what is gone may be why others had to stay.
func (f *finding) reduce(ctx context.Context) error {
	for {
		before := f.script
		f.leaveOutObjects(ctx)
		f.leaveOutEvents(ctx)
		f.joinMoments(ctx)
		if f.failed != nil || f.over(ctx) {
			return f.failed
		}
		if f.Fields != nil {
			f.holds = f.Fields
			shown, err := f.try(ctx, f.script)
			if err != nil || !shown && ctx.Err() == nil {
				return cmp.Or(err, ErrNotWritten)
			}
			f.written = f.written || shown
		}
		if !f.Whole {
			f.leaveOutFields(ctx)
		}
		if f.failed != nil || f.over(ctx) || same(before, f.script) {
			return f.failed
		}
	}
}

// ErrNotWritten is that of a script that does not show the claim any more once it was written and read again.
var ErrNotWritten = phrase.Errorf("what is left does not show it once it is written in that form and read again")

func (f *finding) over(ctx context.Context) bool { return ctx.Err() != nil || f.plays >= f.Most }

// try plays a script.
func (f *finding) try(ctx context.Context, script source.Script) (bool, error) {
	f.plays++
	if f.Tell != nil {
		f.Tell(Progress{Events: len(script), Of: f.of, Plays: f.plays})
	}
	shown, err := f.holds(ctx, script)
	if err != nil && ctx.Err() != nil {
		return false, nil // the search ends, with what it has
	}
	return shown && err == nil, err
}

// take keeps a smaller script if it shows the claim.
func (f *finding) take(ctx context.Context, script source.Script) bool {
	if f.failed != nil || f.over(ctx) {
		return false
	}
	shown, err := f.try(ctx, script)
	if f.failed = err; shown {
		f.script = script
	}
	return shown
}

// leaveOutObjects tries groups of objects, then their halves, down to single ones, the last that came first: later
// objects depend on earlier ones. It ends with a pass over single objects in which nothing goes.
func (f *finding) leaveOutObjects(ctx context.Context) {
	size := len(f.script.Objects())
	for size > 0 && f.failed == nil && !f.over(ctx) {
		gone := false
		left := f.script.Objects()
		for end := len(left); end > 0; end -= size {
			group := map[source.ObjectID]bool{}
			for _, id := range left[max(0, end-size):end] {
				if f.Keeps == nil || !f.Keeps(id.Kind, id.Key) {
					group[id] = true
				}
			}
			if len(group) > 0 && f.take(ctx, without(f.script, group)) {
				gone = true
			}
		}
		if size == 1 && gone {
			continue
		}
		size /= 2
	}
}

func without(script source.Script, group map[source.ObjectID]bool) source.Script {
	return slices.DeleteFunc(slices.Clone(script), func(t source.Timed) bool {
		return t.Event.Object != nil && group[source.IDOf(t.Event.Object)]
	})
}

// halved tries groups of what a script has, then their halves, down to single ones, the last first. It ends with a pass
// over single ones in which nothing goes. All lists places in the script; smaller is the script without some of them,
// in which the places before these are as they were.
func (f *finding) halved(ctx context.Context, all func() []int, smaller func([]int) source.Script) {
	size := len(all())
	for size > 0 && f.failed == nil && !f.over(ctx) {
		gone := false
		left := all()
		for end := len(left); end > 0; end -= size {
			gone = f.take(ctx, smaller(left[max(0, end-size):end])) || gone
		}
		if size == 1 && gone {
			continue
		}
		size /= 2
	}
}

// leaveOutEvents tries updates, deletions, what the world holds back. The first event of an object stays.
func (f *finding) leaveOutEvents(ctx context.Context) {
	f.halved(ctx, func() (places []int) {
		seen := map[source.ObjectID]bool{}
		for i, t := range f.script {
			if t.Event.Object == nil || seen[source.IDOf(t.Event.Object)] {
				places = append(places, i)
				continue
			}
			seen[source.IDOf(t.Event.Object)] = true
		}
		return places
	}, func(group []int) source.Script {
		var rest source.Script
		for i, t := range f.script {
			if !slices.Contains(group, i) {
				rest = append(rest, t)
			}
		}
		return rest
	})
}

// joinMoments tries to have what comes at some moments in a row come at the moment before these.
func (f *finding) joinMoments(ctx context.Context) {
	f.halved(ctx, func() (places []int) {
		for i := 1; i < len(f.script); i++ {
			if !f.script[i].At.Equal(f.script[i-1].At) {
				places = append(places, i)
			}
		}
		return places
	}, func(group []int) source.Script {
		joined := slices.Clone(f.script)
		first, last := group[0], joined[group[len(group)-1]].At
		for k := first; k < len(joined) && !joined[k].At.After(last); k++ {
			joined[k].At = joined[first-1].At
		}
		return joined
	})
}

// leaveOutFields tries every field that an object may do without: larger parts first.
func (f *finding) leaveOutFields(ctx context.Context) {
	for i := range f.script {
		if f.script[i].Event.Object == nil || f.script[i].Event.Action == cluster.Delete {
			continue
		}
		for n := 0; f.failed == nil && !f.over(ctx); {
			smaller, more := smallerBy(f.script[i].Event.Object, n)
			if !more {
				break
			}
			script := slices.Clone(f.script)
			script[i].Event.Object = smaller
			if !f.take(ctx, script) {
				n++ // else the next part has this number
			}
		}
	}
}

// same reports whether two scripts are the same: scripts change by being replaced alone.
func same(a, b source.Script) bool {
	return slices.EqualFunc(a, b, func(x, y source.Timed) bool {
		return x.At.Equal(y.At) && x.Event.Object == y.Event.Object && x.Event.Action == y.Event.Action
	})
}
