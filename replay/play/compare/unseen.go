package compare

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source"
)

// unseenWithin is for how long after it came an object may be unknown to their scheduler. Each kind has a watch of its
// own, and nothing keeps one from being behind the others: a pod may be tried before its ReplicaSet is seen.
const unseenWithin = 10 * time.Second

// Limits are what an input cannot show of the past, and what other traces show of it.
type Limits struct {
	Emptier phrase.Text             // why nodes look emptier than they were; "": they do not
	Lacks   func(cluster.Kind) bool // whether it could not hold objects of a kind; nil: it could
	Began   []time.Time             // when a scheduler of theirs began to decide after it was started
}

// Know sets what the log cannot show. Set it before the first entry.
func (h *Hindsight) Know(l Limits) {
	l.Began = slices.SortedFunc(slices.Values(l.Began), time.Time.Compare)
	h.limits = l
}

// arrives notes that an object came that is no pod and no node, or that a node changes.
func (h *Hindsight) arrives(t source.Timed) {
	h.arrivals = slices.DeleteFunc(h.arrivals, func(a source.Timed) bool { return t.At.Sub(a.At) > unseenWithin })
	if t.Event.Action == cluster.Add && mayBeUnseen(t.Event.Object) {
		h.arrivals = append(h.arrivals, t)
	}
	h.replaced = slices.DeleteFunc(h.replaced, func(a source.Timed) bool { return t.At.Sub(a.At) > unseenWithin })
	if node, is := t.Event.Object.(*corev1.Node); is && t.Event.Action == cluster.Update {
		if old, there := h.now.State().Node(node.Name); there && old.API != nil {
			h.replaced = append(h.replaced, source.Timed{
				At: t.At, Event: cluster.Event{Action: cluster.Update, Object: old.API},
			})
		}
	}
}

// arrived notes an object that is there when the log begins. It came when it was created, as the object itself says:
// the log of a database begins where it was compacted, in the middle of a cluster's life.
func (h *Hindsight) arrived(t source.Timed) {
	created := t.Event.Object.GetCreationTimestamp().Time
	if !mayBeUnseen(t.Event.Object) || created.IsZero() || created.After(t.At) || t.At.Sub(created) > unseenWithin {
		return
	}
	t.At = created
	at, _ := slices.BinarySearchFunc(h.arrivals, t, func(a, b source.Timed) int {
		return cmp.Or(a.At.Compare(b.At), -1) // behind those of the same moment
	})
	h.arrivals = slices.Insert(h.arrivals, at, t)
}

// mayBeUnseen reports whether an object is one that kube-scheduler may not have seen when it tries a pod.
func mayBeUnseen(o cluster.Object) bool {
	kind, read := cluster.KindOf(o)
	return read && kind != cluster.KindPod && kind != cluster.KindNode && kind != cluster.KindEvent
}

// unseen tries the pod without the objects that came shortly before, the last one first: their scheduler may not have
// seen them yet.
func (h *Hindsight) unseen(q *question) {
	without := h.now.Fork()
	var names []string
	for _, a := range slices.Backward(h.arrivals) {
		kind, _ := cluster.KindOf(a.Event.Object)
		if _, there := without.State().Find(kind, cluster.Key(a.Event.Object)); !there {
			continue
		}
		without.Apply(cluster.Event{Action: cluster.Delete, Object: a.Event.Object})
		names = append(names, string(kind)+" "+cluster.Key(a.Event.Object))
		q.explain(h.ask(without, q.Decision).judge(q.Decision), phrase.Textf(
			"it was decided before %s was seen, which came within the last %s", phrase.Names(names), unseenWithin,
		))
		if q.explained {
			return
		}
	}
	h.behind(q)
}

// behind tries the pod on nodes as they were shortly before, the last change taken back first: the watch of nodes may
// be behind that of pods.
func (h *Hindsight) behind(q *question) {
	h.takeBack(q, h.now.Fork(), func(changes phrase.Text) phrase.Text {
		return phrase.Textf(
			"it was decided before their scheduler had seen %s within the last %s", changes, unseenWithin,
		)
	})
}

// behindInOrder does what behind does where the binds are those that were decided before it, whenever they arrived: a
// scheduler knows its own decisions at once, however far behind its watch of nodes is. All binds that may have been
// decided before it have arrived when its question ends.
func (h *Hindsight) behindInOrder(q *question) {
	h.takeBack(q, q.ordered, func(changes phrase.Text) phrase.Text {
		return phrase.Textf(
			"it was decided with the binds that their scheduler decided earlier, and before it had seen %s within the last %s",
			changes, unseenWithin,
		)
	})
}

// takeBack takes changes of nodes back in a state, which becomes that of the oldest one, and explains the question by
// the first nodes on which both decide the same.
func (h *Hindsight) takeBack(q *question, state *core.Scheduler, why func(changes phrase.Text) phrase.Text) {
	for i, a := range slices.Backward(q.replaced) {
		if _, there := state.State().Node(a.Event.Object.GetName()); there {
			state.Apply(a.Event)
		}
		back := len(q.replaced) - i
		if !asks(back) && i > 0 {
			continue
		}
		q.explain(h.ask(state, q.Decision).judge(q.Decision), why(phrase.Count(back, "change of a node", "changes of nodes")))
		if q.explained {
			return
		}
	}
}

// doubt explains a difference by what the input cannot show of what the decision read.
func (h *Hindsight) doubt(q *question, a answer) {
	pod, there := h.now.State().Pod(q.Pod)
	var why phrase.Text
	switch {
	case h.limits.Emptier != "" && !a.rejectsWhateverIsHidden(q.Decision):
		why = phrase.Textf("nodes are emptier here than they were: %s", h.limits.Emptier)
	case there && h.lacksDevices(pod.API):
		why = "it reads devices, and the input does not have them"
	default:
		why = a.guess(q.Decision)
	}
	if why != "" {
		q.explained, q.Verdict, q.Why = true, Explained, why
	}
}

// rejectsWhateverIsHidden reports whether their host is rejected here, and would be with more pods than the input
// shows: more pods can only lift what pods are counted for, an affinity to them or a spread over domains.
func (a answer) rejectsWhateverIsHidden(d Decision) bool {
	if d.What != Host || a.try == nil || a.try.Matrix == nil {
		return false
	}
	m := a.try.Matrix
	node := slices.Index(m.Nodes, d.Theirs)
	return node >= 0 && slices.ContainsFunc(m.OnNode(node), func(f trace.Failure) bool {
		plugin := m.Plugins[f.Plugin]
		return plugin != "InterPodAffinity" && plugin != "PodTopologySpread"
	})
}

// lacksDevices reports whether a pod requests devices that the input could not hold.
func (h *Hindsight) lacksDevices(pod *corev1.Pod) bool {
	return len(pod.Spec.ResourceClaims) > 0 && h.limits.Lacks != nil &&
		(h.limits.Lacks(cluster.KindResourceClaim) || h.limits.Lacks(cluster.KindResourceSlice))
}

// guess is the guess that an answer rests on: about the pod, or about the nodes that are held beside each other; ""
// for none.
func (a answer) guess(d Decision) phrase.Text {
	if a.try == nil || a.try.Matrix == nil || a.try.Matrix.Guesses == nil {
		return ""
	}
	m := a.try.Matrix
	var all []trace.Guessed
	if m.Guesses.Pod.Why != "" {
		all = append(all, m.Guesses.Pod)
	}
	if d.What == Host {
		for _, name := range []string{d.Theirs, d.Ours.String()} {
			if node := slices.Index(m.Nodes, name); node >= 0 {
				some, _ := m.RestsOn(node, -1)
				all = append(all, some...)
			}
		}
	} else {
		some, _ := m.RestsOn(-1, -1)
		all = append(all, some...)
	}
	if len(all) == 0 {
		return ""
	}
	return phrase.Textf("it rests on a guess about %s %s: %s", all[0].Kind, all[0].Key, all[0].Why.Text())
}
