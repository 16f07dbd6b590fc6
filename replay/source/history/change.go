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
	Gone     bool           // the object was deleted
	Packed   Ref            // where the vault has it; 0: it was deleted
	Created  time.Time      // of the object; zero: it is not known
	Name     cluster.Object // an object of its kind with nothing but its name, which all changes of it may share
}

// Beat is a revision of which a moment is known.
type Beat struct {
	Revision uint64
	At       time.Time
}

// OfStore gives a history of the versions that a store holds, one by one in order. since is the revision up to which
// older versions are gone (0: none are): what has a lower one was there at the beginning. Moments lie between those of
// beats around them, and never go back; without any beat they are guessed from the objects' own times.
func OfStore(changes []Change, beats []Beat, since uint64, vault *Vault, give func(Version)) Report {
	changes = once(changes)
	c := newClock(beats, changes)
	r := &rebuilding{alive: map[key]*life{}, helpers: map[key]cluster.Object{}, vault: vault}
	r.give = func(v Version) {
		if r.report.From.IsZero() {
			r.report.From = v.At
		}
		r.report.To = v.At
		give(v)
	}
	r.report.begin(nil)
	r.report.Writes = len(changes)
	for _, change := range changes {
		r.now = Write{
			At: c.at(change.Revision), Revision: change.Revision, Packed: change.Packed, Request: NoRequest,
		}
		if change.Revision <= since {
			r.now.At = c.at(since)
			r.report.Unchanged++
		}
		was := r.alive[keyOf(change.Name)]
		switch {
		case !change.Gone:
			r.now.After = r.body(&r.now)
			r.put(r.now.After, Exact)
		case was != nil:
			r.gone(r.object(was), Exact)
		}
	}
	return r.report
}

// once are changes by revision, each of them once: a database and a log may both have it.
func once(changes []Change) []Change {
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Revision, b.Revision), compareKeys(keyOf(a.Name), keyOf(b.Name)))
	})
	return slices.CompactFunc(changes, func(a, b Change) bool {
		return a.Revision == b.Revision && keyOf(a.Name) == keyOf(b.Name)
	})
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
			if at := c.Created; !at.IsZero() {
				beats = append(beats, Beat{c.Revision, at.UTC()})
			}
		}
	}
	slices.SortStableFunc(beats, func(a, b Beat) int {
		return cmp.Or(cmp.Compare(a.Revision, b.Revision), a.At.Compare(b.At))
	})
	beats = slices.CompactFunc(beats, func(a, b Beat) bool { return a.Revision == b.Revision })
	return &clock{beats: growing(beats)}
}

// growing is the longest row of beats whose moments never go back.
func growing(beats []Beat) []Beat {
	ends := []int{}                   // the last beat of the best row of each length
	before := make([]int, len(beats)) // the beat before each in its row; -1: none
	for i, b := range beats {
		n, _ := slices.BinarySearchFunc(ends, b.At, func(e int, at time.Time) int {
			if beats[e].At.After(at) {
				return 1
			}
			return -1
		})
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	row := make([]Beat, len(ends))
	for n, i := len(ends)-1, -1; n >= 0; n-- {
		if i < 0 {
			i = ends[n]
		}
		row[n], i = beats[i], before[i]
	}
	return row
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

// Beats are the revisions whose moments the writes of an audit log show, at any level: those that were answered, and
// those that the next write of the same object names as the version before.
func Beats(writes []*Write, marks []Mark) []Beat {
	var beats []Beat
	for _, m := range marks {
		beats = append(beats, Beat(m))
	}
	writes = slices.Clone(writes)
	slices.SortStableFunc(writes, func(a, b *Write) int { return a.At.Compare(b.At) })
	last := map[key]time.Time{}
	for i := range writes {
		w := writes[i]
		before, known := last[w.key()]
		if known && w.Before != 0 {
			beats = append(beats, Beat{w.Before, before})
		}
		if w.Revision != 0 {
			beats = append(beats, Beat{w.Revision, w.At})
		}
		if w.Name != "" {
			last[w.key()] = w.At
		}
	}
	return beats
}

// Paired are the moments of versions in a store by the writes of an audit log that name their objects: of an object,
// the last write made the last version, and so on backwards. A pod that is evicted, and one whose deletion is its last
// write, is written twice. Revisions that known has are left out.
func Paired(changes []Change, writes []*Write, known []Beat) []Beat {
	has := map[uint64]bool{}
	for _, b := range known {
		has[b.Revision] = true
	}
	changes = once(changes)
	times := map[key][]time.Time{}
	writes = slices.Clone(writes)
	slices.SortStableFunc(writes, func(a, b *Write) int { return a.At.Compare(b.At) })
	ended := map[key]bool{}
	for i := range slices.Backward(writes) {
		w := writes[i]
		if w.Name == "" || w.Verb == DeleteCollection {
			continue
		}
		k := w.key()
		times[k] = append(times[k], w.At)
		twice := w.Sub == "eviction" || w.Verb == Delete && w.Row.Kind == cluster.KindPod && !ended[k]
		ended[k] = ended[k] || w.Verb == Delete
		if twice {
			times[k] = append(times[k], w.At)
		}
	}
	revisions := map[key][]uint64{}
	for i := range slices.Backward(changes) {
		k := keyOf(changes[i].Name)
		revisions[k] = append(revisions[k], changes[i].Revision)
	}
	var beats []Beat
	for k, all := range times {
		if len(all) > len(revisions[k]) {
			continue // a write that changed nothing, or a version that is gone
		}
		for i, at := range all {
			if revision := revisions[k][i]; !has[revision] {
				beats = append(beats, Beat{revision, at})
			}
		}
	}
	return beats
}

// Joined are the beats of an audit log, and before and after them those of leases, which are less exact.
func Joined(log, leases []Beat) []Beat {
	if len(log) == 0 {
		return leases
	}
	first := slices.MinFunc(log, func(a, b Beat) int { return cmp.Compare(a.Revision, b.Revision) }).Revision
	last := slices.MaxFunc(log, func(a, b Beat) int { return cmp.Compare(a.Revision, b.Revision) }).Revision
	all := slices.Clone(log)
	for _, b := range leases {
		if b.Revision < first || b.Revision > last {
			all = append(all, b)
		}
	}
	return all
}
