package oracle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// registeredHint is one row of what EventsToRegister returned.
type registeredHint struct {
	plugin                   string
	fwk.ClusterEventWithHint // without a hint it queues always
}

func registeredHints(ctx context.Context, f framework.Framework) ([]registeredHint, error) {
	var rows []registeredHint
	for _, plugin := range f.EnqueueExtensions() {
		events, err := eventsOfPlugin(ctx, plugin.EventsToRegister)
		if err != nil {
			return nil, fmt.Errorf("events of %s: %w", plugin.Name(), err)
		}
		for _, event := range events {
			concrete := []fwk.ClusterEvent{event.Event}
			if event.Event.Resource == "Pod" {
				concrete = unrollPodEvent(event.Event)
			}
			for _, one := range concrete {
				event.Event = one
				rows = append(rows, registeredHint{plugin.Name(), event})
			}
		}
	}
	return rows, nil
}

// Hinting reports whether the release uses queueing hints. Before 1.32 it does not by default: every registered event
// moves a pod, and Events lists none.
func (o *Oracle) Hinting() bool { return hinting }

// Events lists the events of a change that concerns a pending pod. Call it after Put or Remove of the change.
func (o *Oracle) Events(pod *corev1.Pod, change Change) []Event {
	var list []Event
	for _, event := range eventsOf(pod, change) {
		list = append(list, Event{
			Resource: string(event.Resource), Label: label(event), Hints: o.eventHints(pod, event, change),
		})
	}
	return list
}

// Hints is the hints of every event of a change, sorted by event, then plugin.
func (o *Oracle) Hints(pod *corev1.Pod, change Change) []Hint {
	var hints []Hint
	for _, event := range o.Events(pod, change) {
		hints = append(hints, event.Hints...)
	}
	return hints
}

func (o *Oracle) eventHints(pod *corev1.Pod, event fwk.ClusterEvent, change Change) []Hint {
	byPlugin := map[string]*Hint{}
	for _, row := range o.hints[pod.Spec.SchedulerName] {
		if !matches(row.Event, event) {
			continue
		}
		hint := byPlugin[row.plugin]
		if hint == nil {
			hint = &Hint{Plugin: row.plugin, Event: label(event)}
			byPlugin[row.plugin] = hint
		}
		if row.QueueingHintFn == nil {
			hint.Queue = true
			continue
		}
		answer, err := row.QueueingHintFn(o.logger, pod, object(change.Before), object(change.After))
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

// eventsOf lists the cluster events kube-scheduler's handlers derive from a change
// that concerns a pending pod.
func eventsOf(pod *corev1.Pod, change Change) []fwk.ClusterEvent {
	some := change.After
	if some == nil {
		some = change.Before
	}
	switch some.(type) {
	case *corev1.Node:
		if change.Before != nil && change.After != nil {
			return nodeChanges(change.After.(*corev1.Node), change.Before.(*corev1.Node))
		}
		return plain("Node", change)
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
		return []fwk.ClusterEvent{unscheduledPodAdd}
	case after != nil && after.Spec.NodeName != "":
		return []fwk.ClusterEvent{assignedPodAdd}
	case after == nil && (before.Spec.NodeName != "" || nominationsWake && before.Status.NominatedNodeName != ""):
		return []fwk.ClusterEvent{assignedPodDelete}
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
	switch object := object.(type) {
	case *unstructured.Unstructured:
		plural, _ := meta.UnsafeGuessKindToResource(object.GroupVersionKind())
		return fwk.EventResource(plural.Resource + "." + plural.Version + "." + plural.Group), true
	case *corev1.PersistentVolume:
		return "PersistentVolume", true
	case *corev1.PersistentVolumeClaim:
		return "PersistentVolumeClaim", true
	case *storagev1.StorageClass:
		return "storage.k8s.io/StorageClass", true
	case *storagev1.CSINode:
		return "storage.k8s.io/CSINode", true
	case *storagev1.CSIDriver:
		return "storage.k8s.io/CSIDriver", true
	case *storagev1.CSIStorageCapacity:
		return "storage.k8s.io/CSIStorageCapacity", true
	case *storagev1.VolumeAttachment:
		return "storage.k8s.io/VolumeAttachment", true
	}
	return resourceOfRelease(object)
}
