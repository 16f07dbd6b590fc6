package session

import (
	"slices"

	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Names is what there is to be found.
type Names struct {
	Pods   []string // namespace/name, sorted
	Nodes  []string // sorted
	Groups []string // podgroup/namespace/name, sorted
}

// Names lists the pods and nodes of the cluster at the cursor.
func (k *At) Names() Names {
	state := k.state()
	var n Names
	state.EachPod(func(p *cluster.Pod) bool {
		n.Pods = append(n.Pods, p.Key)
		return true
	})
	n.Nodes = slices.Sorted(slices.Values(state.Snapshot().Names))
	state.EachPodGroup(func(g *schedulingv1beta1.PodGroup) bool {
		n.Groups = append(n.Groups, trace.GroupKey(cluster.Key(g)))
		return true
	})
	return n
}

// PlainNode is the node that one more node would most likely be like: the first without taints that takes pods, else
// the first; "" when there is none.
func (k *At) PlainNode() string {
	names := slices.Sorted(slices.Values(k.state().Snapshot().Names))
	for _, name := range names {
		n, _ := k.state().Snapshot().Node(name)
		if len(n.API.Spec.Taints) == 0 && !n.API.Spec.Unschedulable {
			return name
		}
	}
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// History is what happened to a pod up to the cursor: every move between queues with its cause, every cycle with its
// outcome.
func (k *At) History(pod string) []Event {
	var events []Event
	k.notes(func(n noted) {
		if text, about := toldOf(pod, n.fact); about {
			events = append(events, Event{Step: n.step, Cycle: n.cycle, At: n.at, Text: text})
		}
	})
	return events
}

// toldOf is a fact as the history of a pod has it; false when it is about another.
func toldOf(pod string, fact trace.Fact) (text phrase.Phrase, about bool) {
	switch f := fact.(type) {
	case trace.Moved:
		return f.Way(), f.Entity.Key() == pod
	case trace.Recorded:
		return f.Told(), f.Pod == pod
	case trace.Nominated:
		return f.Where(), f.Pod == pod
	case trace.Expired:
		return f.Phrase(), f.Pod == pod
	case trace.KubeletRefused:
		return f.Phrase(), f.Pod == pod
	}
	return phrase.Phrase{}, false
}

// Reported is what kube-scheduler reported when a cycle last tried a pod up to the cursor, as its Event has it; false
// where the last one found a node, or there was none. It runs no step again, which Explain does.
func (k *At) Reported(pod string) (note string, is bool) {
	step := 0
	for _, m := range slices.Backward(k.timeline()) {
		if m.Pod == pod || slices.Contains(m.Members, pod) {
			step = m.Step
			break
		}
	}
	k.notes(func(n noted) {
		if f, told := n.fact.(trace.Recorded); told && n.step == step && f.Pod == pod && f.Reason == failedScheduling {
			note, is = f.Note, true
		}
	})
	return note, is
}

// failedScheduling is the reason of the Event of a pod that no node was found for.
const failedScheduling = "FailedScheduling"
