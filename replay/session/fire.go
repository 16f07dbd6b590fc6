package session

import (
	"slices"

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
func EventLabels() []string {
	var labels []string
	for _, e := range wakingEvents {
		labels = append(labels, e.Label())
	}
	return labels
}

// Waiting are the unschedulable pods that an event by that label may wake, in the order in which they were parked:
// those of which a plugin that rejected them is registered for it. Pods of a pod group are left out.
func (s *Session) Waiting(label string) []string {
	i := slices.IndexFunc(wakingEvents, func(e cluster.ClusterEvent) bool { return e.Label() == label })
	if i < 0 {
		return nil
	}
	k := s.here()
	var pods []string
	for item := range k.player.Scheduler().Queue().Unschedulable() {
		if item.Group != nil {
			continue
		}
		waits := func(w Waker) bool {
			return slices.ContainsFunc(w.Events, func(e cluster.ClusterEvent) bool { return e.Matches(wakingEvents[i]) })
		}
		if slices.ContainsFunc(k.place(item.Pod.Key).Wakers, waits) {
			pods = append(pods, item.Pod.Key)
		}
	}
	return pods
}

// Fire has an event happen for some pods, whatever the hints of plugins say of it: each is tried at once.
func Fire(pods []string) Edit {
	edits := make([]Edit, len(pods))
	for i, pod := range pods {
		edits[i] = Wake(pod)
	}
	return Together("fire", edits...)
}
