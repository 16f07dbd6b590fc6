package play

import (
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/source"
)

// Recorded is a world that follows history: the log has what really happened, and the scheduler's effects are compared
// with it. Where the two differ, history wins, so that every cycle is tried against what the real scheduler saw. What a
// growing log does not hold yet is compared when it does.
type Recorded struct {
	history *history
	// pod uid -> the node we chose, while history has not placed the pod; replaced, never written
	open map[string]string
}

// history is where every pod went and which of them left, as far as the log goes by now. All copies of a world share
// it.
type history struct {
	log   *source.Log
	mu    sync.Mutex
	read  int               // entries that were looked at
	whole bool              // there are no others
	nodes map[string]string // pod uid -> the first node it was on
	gone  map[string]bool   // pod uid -> it was deleted, or left
}

// NewRecorded follows a log.
func NewRecorded(log *source.Log) *Recorded {
	return &Recorded{history: &history{log: log, nodes: map[string]string{}, gone: map[string]bool{}}}
}

// of is the log's history of a pod by now; whole is false when the log may still add to it.
func (h *history) of(uid string) (node string, leaves, whole bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.whole {
		var entries source.Script
		entries, h.whole = h.log.Since(h.read)
		h.read += len(entries)
		for _, t := range entries {
			h.learn(t.Event)
		}
	}
	return h.nodes[uid], h.gone[uid], h.whole
}

// forget drops the history of pods that left in entries that are not read any more.
func (h *history) forget(taken source.Script) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range taken {
		if p, is := t.Event.Object.(*corev1.Pod); is && t.Event.Action == cluster.Delete {
			delete(h.nodes, cluster.UID(p))
			delete(h.gone, cluster.UID(p))
		}
	}
}

func (h *history) learn(e cluster.Event) {
	p, ok := e.Object.(*corev1.Pod)
	if !ok {
		return
	}
	uid := cluster.UID(p)
	if h.nodes[uid] == "" && p.Spec.NodeName != "" {
		h.nodes[uid] = p.Spec.NodeName
	}
	if e.Action == cluster.Delete || p.DeletionTimestamp != nil {
		h.gone[uid] = true
	}
}

// Name is "recorded".
func (w *Recorded) Name() string { return "recorded" }

// Fork is an independent copy.
func (w *Recorded) Fork() World {
	c := *w
	return &c
}

// Adapt changes nothing: history is the log.
func (w *Recorded) Adapt(event cluster.Event, _ *cluster.State) cluster.Event { return event }

// See adds nothing to history. It notes where a pod went of which that was not known when the scheduler placed it.
func (w *Recorded) See(e cluster.Event, _ *cluster.State, _ time.Time) Outcome {
	p, ok := e.Object.(*corev1.Pod)
	if !ok || len(w.open) == 0 {
		return Outcome{}
	}
	ours, asked := w.open[cluster.UID(p)]
	if !asked || e.Action != cluster.Delete && p.Spec.NodeName == "" {
		return Outcome{}
	}
	w.open = maps.Clone(w.open)
	delete(w.open, cluster.UID(p))
	if p.Spec.NodeName == ours {
		return Outcome{}
	}
	return Outcome{Facts: []trace.Fact{trace.Diverged{Pod: cluster.Key(p), Ours: ours, Theirs: p.Spec.NodeName}}}
}

// Do compares. A pod that history put elsewhere goes there at once; one that history never placed, or has not placed
// yet, stays where the scheduler put it, until the log places it otherwise. A pod that was to be evicted leaves when it
// leaves in history, and stays when it does not; one that history never placed leaves at once.
func (w *Recorded) Do(effect core.Effect, known *cluster.State, now time.Time) Outcome {
	switch e := effect.(type) {
	case core.Bind:
		return w.bind(e, known, now)
	case core.Evict:
		return w.evict(e, known, now)
	}
	return Outcome{}
}

func (w *Recorded) bind(b core.Bind, known *cluster.State, now time.Time) Outcome {
	theirs, _, whole := w.history.of(b.Pod.UID())
	switch {
	case theirs == b.Node:
		return Outcome{}
	case theirs == "" && !whole:
		w.open = maps.Clone(w.open)
		if w.open == nil {
			w.open = map[string]string{}
		}
		w.open[b.Pod.UID()] = b.Node
		return Outcome{later: true}
	}
	o := Outcome{Facts: []trace.Fact{trace.Diverged{Pod: b.Pod.Key, Ours: b.Node, Theirs: theirs}}}
	if p, live := known.Pod(b.Pod.Key); live && theirs != "" {
		api := *p.API
		api.Spec.NodeName = theirs
		o.Events = []source.Timed{{At: now, Event: cluster.Event{Action: cluster.Update, Object: &api}}}
	}
	return o
}

// evict ends the preemptor's wait in any case but one: history brings no event about a victim because of us.
func (w *Recorded) evict(e core.Evict, known *cluster.State, now time.Time) Outcome {
	node, leaves, whole := w.history.of(e.Pod.UID())
	done := Outcome{replies: []core.Reply{core.EvictionDone{Evict: e}}}
	switch p, live := known.Pod(e.Pod.Key); {
	case leaves:
	case node != "" && whole:
		done.Facts = []trace.Fact{trace.Stayed{Pod: e.Pod.Key, For: e.For.Key}}
	case node == "" && live && whole:
		return Outcome{Events: []source.Timed{{At: now, Event: cluster.Event{Action: cluster.Delete, Object: p.API}}}}
	}
	return done
}
