package session

import (
	"cmp"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/source"
)

// Holder is a workload, or a pod of none, that holds what a pod lacks.
type Holder struct {
	Resource    string
	Nodes       []string // that lack nothing but this resource, sorted
	Owner       string   // KIND NAMESPACE/NAME
	Pods        int
	Amount      trace.Value
	First, Last time.Time // when the first and the last of its pods was bound; zero: the input does not say
}

// Predecessor is the pod that a pod came in the place of: one of the same name or of the same controller.
type Predecessor struct {
	Pod   string // namespace/name
	Node  string // where it was
	Until time.Time
	Came  []Arrival // pods that were bound to that node since, in order, and are still there
}

// Arrival is a pod that was bound to a node at a moment.
type Arrival struct {
	Pod string
	At  time.Time
}

// hold works out what holds the resource that a node lacks, where nothing else keeps the node closed. It is known of a
// past alone: elsewhere the moments are those of a simulation.
func (k *At) hold(e *Explanation) {
	if !k.session.about.Happened || e.Node != "" || e.Gone {
		return
	}
	short := map[string][]string{} // nodes, by what they lack
	for _, near := range e.Nearest {
		if len(near.Failures) != 1 || len(near.Failures[0].Verdict.Evidence) != 1 {
			continue
		}
		lacks := &near.Failures[0].Verdict.Evidence[0]
		if _, lacking := lacks.Short(); lacking && lacks.Topic == trace.OfResource {
			short[lacks.Name()] = append(short[lacks.Name()], near.Node)
		}
	}
	if len(short) == 0 {
		return
	}
	bound := k.boundHere()
	for _, name := range slices.Sorted(maps.Keys(short)) {
		e.Holders = append(e.Holders, k.holders(name, short[name], bound)...)
	}
	e.Predecessor = k.predecessor(e.Pod, bound)
}

// moments are when cycles of the replay bound pods.
type moments map[string]time.Time

// boundHere are those of the pods that the position has bound.
func (k *At) boundHere() moments {
	all := moments{}
	k.notes(func(n noted) {
		if f, is := n.fact.(trace.Recorded); is && f.Reason == scheduled {
			all[f.Pod] = n.at
		}
	})
	return all
}

// of is when a pod got its node: what it says itself, or, as long as the API server has not confirmed that, the cycle;
// zero when neither is known.
func (m moments) of(p *corev1.Pod) time.Time {
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == corev1.PodScheduled && c.Status == corev1.ConditionTrue {
			return c.LastTransitionTime.Time
		}
	}
	return m[cluster.Key(p)]
}

// scheduled is the reason of the Event of a pod that a node was found for.
const scheduled = "Scheduled"

// holders are those of a resource on nodes, the one that holds most first.
func (k *At) holders(resource string, nodes []string, bound moments) []Holder {
	slices.Sort(nodes)
	index := map[string]int{}
	var all []Holder
	for _, name := range nodes {
		node, _ := k.state().Snapshot().Node(name)
		for _, p := range node.Pods {
			amount := trace.Count(1)
			if resource != string(corev1.ResourcePods) {
				amount = amountOf(&p.Requests, resource)
			}
			if isNothing(amount) {
				continue
			}
			owner := ownerOf(p.API)
			i, known := placeOf(index, owner)
			if !known {
				all = append(all, Holder{Resource: resource, Nodes: nodes, Owner: owner, Amount: amount.With(0)})
			}
			all[i].add(amount, bound.of(p.API))
		}
	}
	slices.SortStableFunc(all, func(a, b Holder) int {
		x, _ := a.Amount.Number()
		y, _ := b.Amount.Number()
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(a.Owner, b.Owner))
	})
	return all
}

// add counts one more pod.
func (h *Holder) add(amount trace.Value, bound time.Time) {
	have, _ := h.Amount.Number()
	more, _ := amount.Number()
	h.Pods++
	h.Amount = h.Amount.With(have + more)
	if bound.IsZero() {
		return
	}
	if h.First.IsZero() || bound.Before(h.First) {
		h.First = bound
	}
	if bound.After(h.Last) {
		h.Last = bound
	}
}

// ownerOf is the controller of a pod, or the pod itself.
func ownerOf(p *corev1.Pod) string {
	if c := metav1.GetControllerOfNoCopy(p); c != nil {
		return c.Kind + " " + p.Namespace + "/" + c.Name
	}
	return "Pod " + cluster.Key(p)
}

// predecessor is the pod that the pod came in the place of: the last that went from its node before the pod came; nil
// when the log has none.
func (k *At) predecessor(key string, bound moments) *Predecessor {
	pod, there := k.state().Pod(key)
	if !there {
		return nil
	}
	log := k.player.Log().Before(k.player.Taken())
	came := slices.IndexFunc(log, func(t source.Timed) bool { return t.Event.Object.GetUID() == pod.API.UID })
	if came < 0 {
		return nil
	}
	maker := metav1.GetControllerOfNoCopy(pod.API)
	for _, entry := range slices.Backward(log[:came]) {
		was, is := entry.Event.Object.(*corev1.Pod)
		if !is || entry.Event.Action != cluster.Delete || was.Spec.NodeName == "" || was.Namespace != pod.API.Namespace {
			continue
		}
		of := metav1.GetControllerOfNoCopy(was)
		if was.Name == pod.API.Name || maker != nil && of != nil && of.UID == maker.UID {
			return &Predecessor{
				Pod: cluster.Key(was), Node: was.Spec.NodeName, Until: entry.At,
				Came: k.arrivals(was.Spec.NodeName, entry.At, bound),
			}
		}
	}
	return nil
}

// arrivals are the pods of a node that were bound to it since a moment. An API server writes moments in whole seconds.
func (k *At) arrivals(name string, since time.Time, bound moments) []Arrival {
	var all []Arrival
	node, there := k.state().Snapshot().Node(name)
	if !there {
		return nil
	}
	for _, p := range node.Pods {
		if at := bound.of(p.API); !at.IsZero() && !at.Before(since.Truncate(time.Second)) {
			all = append(all, Arrival{p.Key, at})
		}
	}
	slices.SortFunc(all, func(a, b Arrival) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Pod, b.Pod)) })
	return all
}
