package history

import (
	"cmp"
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
)

// Change is a version of an object as a store holds it: with its revision, and without a moment.
type Change struct {
	Revision uint64
	Gone     bool // Object was deleted; it is nothing but its name
	Object   cluster.Object
}

// Beat is a revision of which a moment is known.
type Beat struct {
	Revision uint64
	At       time.Time
}

// OfStore makes a history of the versions that a store holds. since is the revision up to which older versions are
// gone (0: none are): what has a lower one was there at the beginning. Moments lie between those of beats around them,
// and never go back; without any beat they are guessed from the objects' own times.
func OfStore(changes []Change, beats []Beat, since uint64) Past {
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.Revision, b.Revision) })
	changes = slices.CompactFunc(changes, func(a, b Change) bool {
		return a.Revision == b.Revision && keyOf(a.Object) == keyOf(b.Object)
	})
	c := newClock(beats, changes)
	r := &rebuilding{alive: map[key]*life{}, helpers: map[key]cluster.Object{}}
	r.report.begin(nil)
	r.report.Writes = len(changes)
	for _, change := range changes {
		r.now = Write{At: c.at(change.Revision), Revision: change.Revision}
		if change.Revision <= since {
			r.now.At = c.at(since)
			r.report.Unchanged++
		}
		was := r.alive[keyOf(change.Object)]
		switch {
		case !change.Gone:
			r.put(change.Object, Exact)
		case was != nil:
			r.gone(was.object, Exact)
		}
	}
	if len(r.out) > 0 {
		r.report.From, r.report.To = r.out[0].At, r.out[len(r.out)-1].At
	}
	return Past{Versions: r.out, Report: r.report}
}

// clock maps revisions to moments.
type clock struct {
	beats []Beat
	last  time.Time
}

// newClock puts beats into order. Those that go back are left out: a lease holds the time of its holder's clock.
func newClock(beats []Beat, changes []Change) *clock {
	beats = slices.Clone(beats)
	if len(beats) == 0 {
		for _, c := range changes {
			if at := c.Object.GetCreationTimestamp(); !at.IsZero() && !c.Gone {
				beats = append(beats, Beat{c.Revision, at.UTC()})
			}
		}
	}
	slices.SortStableFunc(beats, func(a, b Beat) int { return cmp.Compare(a.Revision, b.Revision) })
	kept := beats[:0]
	for _, b := range beats {
		if n := len(kept); n == 0 || b.At.After(kept[n-1].At) && b.Revision > kept[n-1].Revision {
			kept = append(kept, b)
		}
	}
	return &clock{beats: kept}
}

// step is the time between two writes of which no moment is known.
const step = time.Millisecond

// at is the moment of a revision.
func (c *clock) at(revision uint64) time.Time {
	at := c.between(revision)
	if at.Before(c.last) {
		at = c.last
	}
	c.last = at
	return at
}

func (c *clock) between(revision uint64) time.Time {
	n := len(c.beats)
	if n == 0 {
		return time.Unix(0, 0).UTC().Add(time.Duration(min(revision, 1<<40)) * step)
	}
	i, exact := slices.BinarySearchFunc(c.beats, revision, func(b Beat, r uint64) int {
		return cmp.Compare(b.Revision, r)
	})
	switch {
	case exact:
		return c.beats[i].At
	case i == 0:
		return c.beats[0].At.Add(-time.Duration(min(c.beats[0].Revision-revision, 1<<20)) * step)
	case i == n:
		return c.beats[n-1].At.Add(time.Duration(min(revision-c.beats[n-1].Revision, 1<<20)) * step)
	}
	a, b := c.beats[i-1], c.beats[i]
	share := float64(revision-a.Revision) / float64(b.Revision-a.Revision)
	return a.At.Add(time.Duration(share * float64(b.At.Sub(a.At))))
}
