package history

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
)

// order puts writes into the order in which the store made them, and gives each a moment that never goes back: by
// revision where the log has revisions, and by time where it has none. A write whose answer had no revision (a binding,
// an eviction) has the one that the next write of its object names as the version before. Where none does, it takes a
// hole in the row of revisions: after the last version of its object, before the next one, nearest to its moment.
// marks are revisions of other objects, sorted here. It returns how many writes found a hole, and how many were placed
// by time alone.
func order(writes []*Write, marks []Mark) (holed, timed int) {
	byTime := func(a, b *Write) int { return a.At.Compare(b.At) }
	slices.SortStableFunc(writes, byTime)
	if behindReady(writes) {
		slices.SortStableFunc(writes, byTime)
	}
	named(writes)
	marks = slices.Grow(marks, len(writes))
	for _, w := range writes {
		if w.Revision != 0 {
			marks = append(marks, Mark{w.Revision, w.At})
		}
	}
	if len(marks) == 0 {
		return 0, len(writes)
	}
	slices.SortFunc(marks, func(a, b Mark) int { return cmp.Compare(a.Revision, b.Revision) })
	marks = slices.CompactFunc(marks, func(a, b Mark) bool { return a.Revision == b.Revision })
	r := row{marks: marks, taken: map[uint64]bool{}}
	high := bounds(writes)
	last := map[key]uint64{}
	for i := range writes {
		w := writes[i]
		if w.Revision == 0 {
			low := max(last[w.key()], w.Before)
			if at, ok := r.hole(w.At, low, high[i]); ok {
				w.Revision, w.placed = at, true
				holed++
			} else {
				timed++
			}
		}
		last[w.key()] = max(w.Revision, last[w.key()])
	}
	r.sort(writes)
	return holed, timed
}

// behindReady puts a binding behind the write that made its pod ready for it, where the API server answered the binding
// first: the creation, or the write that took its last scheduling gate. A scheduler sees that write before its author
// has the answer, and no pod is bound earlier. It reports whether a binding was moved.
func behindReady(writes []*Write) bool {
	ready := map[key][]time.Time{}
	gated := map[key]bool{}
	for _, w := range writes {
		if w.Row.Kind != cluster.KindPod {
			continue
		}
		created := w.Verb == Create && w.Sub == ""
		if created || gated[w.key()] && w.Shows() && !w.Gated {
			ready[w.key()] = append(ready[w.key()], w.At)
		}
		switch {
		case w.Gated:
			gated[w.key()] = true
		case created || w.Shows():
			delete(gated, w.key())
		}
	}
	moved := false
	for _, w := range writes {
		if w.Sub != "binding" {
			continue
		}
		for _, at := range ready[w.key()] {
			if w.At.Before(at) && at.Sub(w.At) < far {
				w.At, moved = at.Add(time.Nanosecond), true
			}
		}
	}
	return moved
}

// named gives a write without a revision the one that the next write of the same object names as the version before.
func named(writes []*Write) {
	shown := map[uint64]bool{}
	for i := range writes {
		shown[writes[i].Revision] = true
	}
	next := map[key]*Write{}
	for i := range slices.Backward(writes) {
		w := writes[i]
		if after := next[w.key()]; w.Revision == 0 && after != nil && after.Before > w.Before && !shown[after.Before] {
			w.Revision = after.Before
		}
		next[w.key()] = w
	}
}

// bounds are the revisions of the versions after each write's, of the same object; the largest number where there is
// none.
func bounds(writes []*Write) []uint64 {
	high := make([]uint64, len(writes))
	next := map[key]uint64{}
	for i := range slices.Backward(writes) {
		w := writes[i]
		if high[i] = next[w.key()]; high[i] == 0 {
			high[i] = ^uint64(0)
		}
		switch {
		case w.Revision != 0:
			next[w.key()] = w.Revision
		case w.Before != 0:
			next[w.key()] = w.Before + 1
		}
	}
	return high
}

// row is the revisions that are known, in order, with their moments.
type row struct {
	marks []Mark
	taken map[uint64]bool
}

// search is how many known revisions around a moment are looked at for a hole.
const search = 64

// far is how far from its moment a write is looked for in the row of revisions: clocks and the time that an answer
// takes explain no more.
const far = time.Second

// hole is the free revision between low and high that lies nearest to a moment.
func (r *row) hole(at time.Time, low, high uint64) (uint64, bool) {
	mid := sort.Search(len(r.marks), func(i int) bool { return !r.marks[i].At.Before(at) })
	best, found, dist := uint64(0), false, far
	for i := max(mid-search, 1); i < min(mid+search, len(r.marks)); i++ {
		away := apart(at, r.marks[i-1].At, r.marks[i].At)
		if away >= dist {
			continue
		}
		for v := max(r.marks[i-1].Revision, low) + 1; v < r.marks[i].Revision && v < high; v++ {
			if !r.taken[v] {
				best, found, dist = v, true, away
				break
			}
		}
	}
	if found {
		r.taken[best] = true
	}
	return best, found
}

// apart is how far a moment lies outside of the time between two others.
func apart(at, from, to time.Time) time.Duration {
	if to.Before(from) {
		from, to = to, from
	}
	return max(from.Sub(at), at.Sub(to), 0)
}

// sort orders by revision. A write without one stays behind the write that came before it by time.
func (r *row) sort(writes []*Write) {
	places := make([]uint64, len(writes))
	last := uint64(0)
	for i := range writes {
		if writes[i].Revision != 0 {
			last = writes[i].Revision
		}
		places[i] = last
	}
	index := make([]int, len(writes))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(places[a], places[b]) })
	ordered := make([]*Write, len(writes))
	for i, from := range index {
		ordered[i] = writes[from]
	}
	copy(writes, ordered)
}

// level makes the moments of writes never go back, and returns by how much the clocks of servers disagree at most.
func level(writes []*Write) time.Duration {
	var most time.Duration
	for i := 1; i < len(writes); i++ {
		if back := writes[i-1].At.Sub(writes[i].At); back > 0 {
			most = max(most, back)
			writes[i].At = writes[i-1].At
		}
	}
	return most
}
