package session

import (
	"iter"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
)

// wakingEvents are the changes that most often wake a pod.
var wakingEvents = []cluster.ClusterEvent{
	{Resource: cluster.NodeResource, Action: cluster.Added},
	{Resource: cluster.NodeResource, Action: cluster.Deleted},
	{Resource: cluster.NodeResource, Action: cluster.UpdateNodeAllocatable},
	{Resource: cluster.NodeResource, Action: cluster.UpdateNodeLabel},
	{Resource: cluster.NodeResource, Action: cluster.UpdateNodeTaint},
	{Resource: cluster.NodeResource, Action: cluster.UpdateNodeCondition},
	{Resource: cluster.AssignedPod, Action: cluster.Added},
	{Resource: cluster.AssignedPod, Action: cluster.Deleted},
}

// EventLabels are the labels of the changes that most often wake a pod.
func EventLabels() []string { return labelsOf(wakingEvents) }

func labelsOf(events []cluster.ClusterEvent) []string {
	labels := make([]string, len(events))
	for i, e := range events {
		labels[i] = e.Label()
	}
	return labels
}

// Wakers are the labels of all events that can be fired at the cursor: those that most often wake a pod, and each other
// one that a plugin which rejected an unschedulable pod is registered for.
func (k *At) Wakers() []string { return labelsOf(k.wakingHere()) }

func (k *At) wakingHere() []cluster.ClusterEvent {
	seen := map[cluster.ClusterEvent]bool{}
	for _, events := range k.parked() {
		for _, e := range events {
			seen[e] = true
		}
	}
	var more []cluster.ClusterEvent
	for e := range seen {
		for _, single := range e.Each() {
			if !slices.Contains(wakingEvents, single) {
				more = append(more, single)
			}
		}
	}
	slices.SortFunc(more, func(a, b cluster.ClusterEvent) int { return strings.Compare(a.Label(), b.Label()) })
	return slices.Concat(wakingEvents, slices.Compact(more))
}

// parked ranges over the unschedulable pods, in the order in which they were parked, with the events that the plugins
// which rejected them are registered for. Pods of a pod group are left out.
func (k *At) parked() iter.Seq2[string, []cluster.ClusterEvent] {
	return func(yield func(string, []cluster.ClusterEvent) bool) {
		scheduler := k.player.Scheduler()
		for item := range scheduler.Queue().Unschedulable() {
			if item.Group != nil {
				continue
			}
			var events []cluster.ClusterEvent
			for _, w := range k.session.wakersOf(scheduler, item.Pod.API.Spec.SchedulerName) {
				if slices.Contains(item.Rejectors, w.Plugin) || slices.Contains(item.Pending, w.Plugin) {
					events = append(events, w.Events...)
				}
			}
			if !yield(item.Pod.Key, events) {
				return
			}
		}
	}
}

// Waiting are the unschedulable pods that an event by that label may wake, in the order in which they were parked:
// those of which a plugin that rejected them is registered for it. Pods of a pod group are left out.
func (k *At) Waiting(label string) []string {
	known := k.wakingHere()
	i := slices.Index(labelsOf(known), label)
	if i < 0 {
		return nil
	}
	var pods []string
	for pod, events := range k.parked() {
		if slices.ContainsFunc(events, func(e cluster.ClusterEvent) bool { return e.Matches(known[i]) }) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// Fire has an event happen for some pods, without regard to the hints of plugins: each pod is tried at once.
func Fire(pods []string) Edit {
	edits := make([]Edit, len(pods))
	for i, pod := range pods {
		edits[i] = Wake(pod)
	}
	return Together("fire", edits...)
}
