package oracle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Hint is what one plugin makes of one event for a pod it rejected.
type Hint struct {
	Plugin string
	// Event is kube-scheduler's label of the event, such as "NodeAdd".
	Event string
	// Queue says that the pod is worth another attempt.
	Queue bool
	// Error is the text of a failed hint, which counts as Queue.
	Error string
}

// Change is an object before and after; Before is nil for an addition, After
// for a deletion.
type Change struct {
	Before, After runtime.Object
}

// registeredHint is one row of what EventsToRegister returned.
type registeredHint struct {
	plugin string
	event  fwk.ClusterEvent
	hint   fwk.QueueingHintFn // nil queues always
}

func registeredHints(ctx context.Context, f framework.Framework) ([]registeredHint, error) {
	var rows []registeredHint
	for _, plugin := range f.EnqueueExtensions() {
		events, err := plugin.EventsToRegister(ctx)
		if err != nil {
			return nil, fmt.Errorf("events of %s: %w", plugin.Name(), err)
		}
		for _, event := range events {
			concrete := []fwk.ClusterEvent{event.Event}
			if event.Event.Resource == fwk.Pod {
				concrete = unrollPodEvent(event.Event)
			}
			for _, one := range concrete {
				rows = append(rows, registeredHint{plugin: plugin.Name(), event: one, hint: event.QueueingHintFn})
			}
		}
	}
	return rows, nil
}

// Hints asks every plugin of the pod's profile that registered for the change,
// as if it alone had rejected pod. Plugins that did not register are absent:
// the event does not move their pods. Call it after Put or Remove of the
// change. Hints are sorted by event, then plugin.
func (o *Oracle) Hints(pod *corev1.Pod, change Change) []Hint {
	var hints []Hint
	for _, event := range Events(pod, change) {
		hints = append(hints, o.EventHints(pod, event, change)...)
	}
	return hints
}

// EventHints is Hints for an event named by the caller.
func (o *Oracle) EventHints(pod *corev1.Pod, event fwk.ClusterEvent, change Change) []Hint {
	byPlugin := map[string]*Hint{}
	for _, row := range o.hints[pod.Spec.SchedulerName] {
		if !framework.MatchClusterEvents(row.event, event) {
			continue
		}
		hint := byPlugin[row.plugin]
		if hint == nil {
			hint = &Hint{Plugin: row.plugin, Event: event.Label()}
			byPlugin[row.plugin] = hint
		}
		if row.hint == nil {
			hint.Queue = true
			continue
		}
		answer, err := row.hint(o.logger, pod, object(change.Before), object(change.After))
		if err != nil {
			hint.Error = err.Error()
		}
		hint.Queue = hint.Queue || err != nil || answer == fwk.Queue
	}
	var hints []Hint
	for _, hint := range byPlugin {
		hints = append(hints, *hint)
	}
	slices.SortFunc(hints, func(a, b Hint) int { return strings.Compare(a.Plugin, b.Plugin) })
	return hints
}

// object keeps a missing object an untyped nil, which hints test for.
func object(o runtime.Object) any {
	if o == nil {
		return nil
	}
	return o
}

// Events lists the cluster events kube-scheduler's handlers derive from a change
// that concerns a pending pod.
func Events(pod *corev1.Pod, change Change) []fwk.ClusterEvent {
	some := change.After
	if some == nil {
		some = change.Before
	}
	switch some.(type) {
	case *corev1.Node:
		if change.Before != nil && change.After != nil {
			return framework.NodeSchedulingPropertiesChange(change.After.(*corev1.Node), change.Before.(*corev1.Node))
		}
		return plain(fwk.Node, change)
	case *corev1.Pod:
		return podEvents(pod, change)
	}
	if resource, ok := resourceOf(some); ok {
		return plain(resource, change)
	}
	return nil
}

func podEvents(pod *corev1.Pod, change Change) []fwk.ClusterEvent {
	before, _ := change.Before.(*corev1.Pod)
	after, _ := change.After.(*corev1.Pod)
	switch {
	case before != nil && after != nil && (before.Spec.NodeName != "" || after.Spec.NodeName == ""):
		target := before.Spec.NodeName == "" && before.UID == pod.UID
		if before.Spec.NodeName == "" && !target {
			return nil // another pending pod: no one waits for it
		}
		return podChanges(after, before, target)
	case before == nil && after.Spec.NodeName == "" && Groups():
		return []fwk.ClusterEvent{framework.EventUnscheduledPodAdd}
	case after != nil && after.Spec.NodeName != "":
		return []fwk.ClusterEvent{framework.EventAssignedPodAdd}
	case after == nil && (before.Spec.NodeName != "" || before.Status.NominatedNodeName != ""):
		return []fwk.ClusterEvent{framework.EventAssignedPodDelete}
	}
	return nil
}

func plain(resource fwk.EventResource, change Change) []fwk.ClusterEvent {
	action := fwk.Update
	switch {
	case change.Before == nil:
		action = fwk.Add
	case change.After == nil:
		action = fwk.Delete
	}
	return []fwk.ClusterEvent{{Resource: resource, ActionType: action}}
}

func resourceOf(object runtime.Object) (fwk.EventResource, bool) {
	switch object.(type) {
	case *corev1.PersistentVolume:
		return fwk.PersistentVolume, true
	case *corev1.PersistentVolumeClaim:
		return fwk.PersistentVolumeClaim, true
	case *storagev1.StorageClass:
		return fwk.StorageClass, true
	case *storagev1.CSINode:
		return fwk.CSINode, true
	case *storagev1.CSIDriver:
		return fwk.CSIDriver, true
	case *storagev1.CSIStorageCapacity:
		return fwk.CSIStorageCapacity, true
	case *storagev1.VolumeAttachment:
		return fwk.VolumeAttachment, true
	case *resourcev1.ResourceClaim:
		return fwk.ResourceClaim, true
	case *resourcev1.ResourceSlice:
		return fwk.ResourceSlice, true
	case *resourcev1.DeviceClass:
		return fwk.DeviceClass, true
	}
	if isPodGroup(object) {
		return fwk.PodGroup, true
	}
	return "", false
}
