package session

import (
	"slices"
	"sync"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session/cause"
	"github.com/schedstep/schedstep/replay/session/lint"
	"github.com/schedstep/schedstep/replay/session/room"
	"github.com/schedstep/schedstep/replay/session/trend"
)

// late is what an At beside a frame needs to answer what is worked out when a panel draws it, once. All of it is data
// that does not change any more; the zero value belongs to no frame.
type late struct {
	of      *cluster.State // at the position; nil: of no frame
	version string
	holders []cause.Holder
	about   *trace.Cycle    // that the frame is about; nil: none
	found   *cluster.State  // as that cycle found it; nil: it is not kept
	before  *core.Scheduler // before that cycle; nil: it is not kept
	forgets time.Duration   // after which assumed pods are forgotten
	opened  *opened
	first   int // the step of the first cycle; 0: it lies ahead
	marks   []Mark
	series  trend.Series
	noted   []noted
	now     trend.Here

	tiles     once[[]Tile]
	usage     once[[]Usage]
	trend     once[trend.Trend]
	cache     once[Cache]
	beginning once[Beginning]
	pending   once[[]*cluster.Pod]
	lint      once[[]lint.Finding]
	lock      sync.Mutex
	supposed  map[*trace.Try]*Supposed
}

// once is a value that is worked out when it is first needed.
type once[T any] struct {
	sync.Once
	value T
}

func (o *once[T]) get(work func() T) T {
	o.Do(func() { o.value = work() })
	return o.value
}

// prepare takes what the answers will need; before is the player before the cycle of the frame.
func (l *late) prepare(k *At, f *Frame, before *play.Player) {
	l.of, l.version, l.holders, l.marks = k.state(), f.Version, k.session.about.Holders, f.Timeline
	l.forgets = k.player.Scheduler().Profiles()[0].Behaviour.AssumedPodExpiry
	l.opened, l.first = k.opening()
	if l.about = f.About(); l.about != nil && before != nil {
		l.found = before.Scheduler().State().Fork()
		l.before = before.ForPod(l.about.Latest().Entity.Key()).Fork()
	}
	l.series = k.line.trendUntil(k.steps)
	n, _ := slices.BinarySearchFunc(k.line.notes, k.steps+1, func(n noted, step int) int { return n.step - step })
	l.noted = k.line.notes[:n:n]
	l.now = trend.Here{Step: k.steps, Cycle: f.Number, Now: f.Now, Waiting: k.player.Waiting(), State: l.of}
}

// isBeside reports whether an At is beside a frame.
func (k *At) isBeside() bool { return k != nil && k.late.of != nil }

// Tiles are the nodes of the cluster, in the snapshot's order.
func (k *At) Tiles() []Tile {
	if !k.isBeside() {
		return nil
	}
	return k.late.tiles.get(func() []Tile { return tilesOf(k.late.of) })
}

// Usage is how much is requested of every node, in the snapshot's order.
func (k *At) Usage() []Usage {
	if !k.isBeside() {
		return nil
	}
	return k.late.usage.get(func() []Usage { return usageOf(k.late.of) })
}

// Trend is how the figures of the run went until the position.
func (k *At) Trend() trend.Trend {
	if !k.isBeside() {
		return trend.Trend{}
	}
	return k.late.trend.get(func() trend.Trend {
		began := k.late.now.Now
		if first, some := k.late.series.First(); some {
			began = first.Time
		}
		return k.late.series.Of(k.late.now, began, waitsIn(k.late.noted))
	})
}

// Cache is what the cache of kube-scheduler holds.
func (k *At) Cache() Cache {
	if !k.isBeside() {
		return Cache{}
	}
	return k.late.cache.get(func() Cache {
		return cacheOf(k.late.of, k.late.version, k.late.forgets, k.facts, k.trying)
	})
}

// Beginning is how kube-scheduler started.
func (k *At) Beginning() Beginning {
	if !k.isBeside() {
		return Beginning{}
	}
	return k.late.beginning.get(func() Beginning {
		return beginningOf(k.late.version, k.late.opened, k.late.first, k.late.marks)
	})
}

// Stranded is what is left on a node and is of use to no pod without a node.
func (k *At) Stranded(node string) []room.Stranded {
	if !k.isBeside() {
		return nil
	}
	n, there := k.late.of.Snapshot().Node(node)
	if !there {
		return nil
	}
	return room.StrandedOn(n, k.late.pending.get(func() []*cluster.Pod { return room.Pending(k.late.of) }))
}

// Room is what a node had when the cycle began that the frame is about; nil: it was not there.
func (k *At) Room(node string) []Room {
	if !k.isBeside() || k.late.found == nil {
		return nil
	}
	n, there := k.late.found.Snapshot().Node(node)
	if !there {
		return nil
	}
	return roomOf(n)
}

// Supposed are the scores of the one node that was feasible to a try of the frame's cycle, which kube-scheduler does
// not work out; nil where it did, and where there is no such node. Where extenders were called it is nil too: they
// would be called again.
func (k *At) Supposed(t *trace.Try) *Supposed {
	if !k.isBeside() || t == nil || k.late.before == nil || t.Selected == nil || t.Selected.Scored || len(t.Extended) > 0 {
		return nil
	}
	l := &k.late
	l.lock.Lock()
	defer l.lock.Unlock()
	s, asked := l.supposed[t]
	if !asked {
		if l.supposed == nil {
			l.supposed = map[*trace.Try]*Supposed{}
		}
		s = supposed(l.before, t, "")
		l.supposed[t] = s
	}
	return s
}

// causes are what is behind the reasons of a pod, of which t is the try and q the queue.
func (k *At) causes(key string, t *trace.Try, q trace.QueueName) []cause.Cause {
	if !k.isBeside() {
		return nil
	}
	pod, there := k.late.of.Pod(key)
	if !there {
		return nil
	}
	return cause.Of(cause.Given{State: k.late.of, Pod: pod, Try: t, Queue: q, Holders: k.late.holders})
}

// findings are what the rules find about the pod of the frame's cycle: they read every pod.
func (k *At) findings() []lint.Finding {
	if !k.isBeside() || k.late.about == nil {
		return nil
	}
	return k.late.lint.get(func() []lint.Finding { return lint.About(k.late.of, k.late.about.Entity.Key()) })
}
