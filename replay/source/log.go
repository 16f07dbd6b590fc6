// Package source is what all sources of a replay come to: a script, whose events are all known, or a log, which may
// still grow. The packages below it are the sources: files of others, recordings, clusters that run now, and the traces
// of clusters. It plays nothing.
package source

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
)

// Timed is something that happens at a moment of virtual time: an event of the cluster, a reply of the world to the
// scheduler, or an effect that play.Hooks.Hold kept from the world and that is carried out now.
type Timed struct {
	At     time.Time
	Event  cluster.Event
	Reply  core.Reply  // nil: Event or Effect is what happens
	Effect core.Effect // nil: Event or Reply is what happens
	// Wake is the key with which controllers of a simulated world are woken; "": one of the others is what happens.
	Wake string
}

// Script is the events of a replay in order, all of them known; times never go down. It is read only.
type Script []Timed

// Log is the source of a replay: what happened, in order. It may still be growing, so there are three answers to "what
// comes next": an entry, nothing more, and nothing yet.
//
//	entries   e0 e1 e2 e3 | ?          closed: nothing comes after e3
//	time      9  9  10 12 | 14         horizon: nothing more comes before 14
//
// One writer appends; any number of players on other goroutines read by index. An entry that was read never changes. A
// player never does anything that an entry still to be appended could have changed, so a replay of a closed log makes
// the same steps as the player that followed it while it grew.
type Log struct {
	mu      sync.RWMutex
	entries Script // those from index first on
	first   int    // how many were dropped, or are on the shelf
	shelf   *Shelf // nil: nothing is on it
	horizon time.Time
	closed  bool
	changed chan struct{} // closed at the next change; nil: no goroutine waits for it
}

// NewLog is an empty log that is going to grow.
func NewLog() *Log { return &Log{} }

// Log is a closed log of the events of a script.
func (s Script) Log() *Log { return &Log{entries: s[:len(s):len(s)], closed: true} }

// Append adds an entry. Times of a log never go down: one that lies before the horizon is put at the horizon.
func (l *Log) Append(t Timed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		panic("an entry is appended to a log that is closed")
	}
	if t.At.Before(l.horizon) {
		t.At = l.horizon
	}
	l.horizon = t.At
	l.entries = append(l.entries, t)
	l.tell()
}

// Reach promises that nothing more will be appended before a moment, so that players may go on to it.
func (l *Log) Reach(at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at.After(l.horizon) {
		l.horizon = at
		l.tell()
	}
}

// Close promises that nothing more will be appended.
func (l *Log) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.tell()
}

// tell wakes all goroutines that wait for a change.
func (l *Log) tell() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// Changed is closed when the log has grown, its horizon has moved, or it was closed, after the call.
func (l *Log) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return l.changed
}

// Len is how many entries there are by now.
func (l *Log) Len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.shelf != nil && l.shelf.After != nil {
		return l.shelf.Len
	}
	return l.first + len(l.entries)
}

// Drop forgets the entries before an index, which are not read any more, and returns them.
func (l *Log) Drop(before int) Script {
	l.mu.Lock()
	defer l.mu.Unlock()
	if before <= l.first {
		return nil
	}
	dropped, kept := l.entries[:before-l.first], l.entries[before-l.first:]
	l.entries, l.first = slices.Clone(kept), before
	return dropped
}

// Gather puts all that there is by now at the moment of the first entry, so that a player knows it before it decides
// anything. No player may have begun to read.
func (l *Log) Gather() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = slices.Clone(l.entries)
	for i := range l.entries {
		l.entries[i].At = l.entries[0].At
	}
}

// Reached is the moment before which nothing more is appended.
func (l *Log) Reached() time.Time {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.horizon
}

// Closed reports whether Len is final.
func (l *Log) Closed() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.closed
}

// From is the entries from an index on that there are by now. They are read only.
func (l *Log) From(index int) Script {
	entries, _ := l.Since(index)
	return entries
}

// Before is the entries before an index that are still kept. They are read only.
func (l *Log) Before(index int) Script {
	l.take(0)
	l.take(index - 1)
	l.mu.RLock()
	defer l.mu.RUnlock()
	n := min(max(index-l.first, 0), len(l.entries))
	return l.entries[:n:n]
}

// Since returns the entries from an index on that there are by now, and whether they are all. They are read only.
func (l *Log) Since(index int) (entries Script, all bool) {
	l.take(index)
	l.take(math.MaxInt)
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.entries[max(index-l.first, 0):len(l.entries):len(l.entries)], l.closed
}

// Outlook is what a log knows about what comes at an index.
type Outlook struct {
	Entry   *Timed    // nil: none by now; read only
	Open    bool      // there is none by now, and one may still come
	Horizon time.Time // none comes before
}

// Outlook returns what is known by now about the entry at an index.
func (l *Log) Outlook(index int) Outlook {
	l.take(index)
	l.mu.RLock()
	defer l.mu.RUnlock()
	if index -= l.first; index >= 0 && index < len(l.entries) {
		return Outlook{Entry: &l.entries[index], Horizon: l.horizon}
	}
	return Outlook{Open: !l.closed, Horizon: l.horizon}
}

// ObjectID is what distinguishes objects for an API server.
type ObjectID struct {
	Kind cluster.Kind
	Key  string // namespace/name, or the name of an object without a namespace
}

// IDOf is that of an object.
func IDOf(o cluster.Object) ObjectID {
	kind, _ := cluster.KindOf(o)
	return ObjectID{kind, cluster.Key(o)}
}

// Objects are those of a script in the order in which they come, each once.
func (s Script) Objects() []ObjectID {
	var all []ObjectID
	seen := map[ObjectID]bool{}
	for _, t := range s {
		if t.Event.Object == nil {
			continue
		}
		if id := IDOf(t.Event.Object); !seen[id] {
			seen[id] = true
			all = append(all, id)
		}
	}
	return all
}
