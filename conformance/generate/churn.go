package generate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// churn draws what happens to the cluster while pods wait. Pending pods keep
// their own objects; a change of one carries a copy.
func (w *world) churn(pending []*corev1.Pod) []Change {
	waiting := slices.Clone(pending)
	var changes []Change
	for range 4 {
		if w.has(NodeChurn) {
			changes = append(changes, w.changeNodes()...)
		}
		if w.has(PodChurn) {
			changes = append(changes, w.changePods(waiting)...)
		}
		if w.has(OtherChurn) {
			changes = append(changes, w.changeOthers()...)
		}
	}
	return changes
}

// changeNodes adds, changes or deletes one node; a deleted node's pods go first.
func (w *world) changeNodes() []Change {
	if len(w.nodes) == 0 || w.percent(20) {
		node := w.node()
		w.nodes = append(w.nodes, node)
		return []Change{{After: node}}
	}
	at := w.below(len(w.nodes))
	node := w.nodes[at]
	if w.percent(15) {
		return w.deleteNode(at)
	}
	changed := node.DeepCopy()
	switch w.below(5) {
	case 0:
		changed.Spec.Taints = w.taints()
	case 1:
		changed.Spec.Unschedulable = !node.Spec.Unschedulable
	case 2:
		grown := changed.Status.Allocatable[corev1.ResourceCPU]
		grown.Add(resource.MustParse(pick(&w.dice, []string{"4", "500m"})))
		changed.Status.Allocatable[corev1.ResourceCPU] = grown
		changed.Status.Capacity[corev1.ResourceCPU] = grown
	case 3:
		if changed.Labels == nil {
			changed.Labels = map[string]string{}
		}
		w.labelNode(changed)
	default:
		changed.Annotations = map[string]string{"note": "seen"}
	}
	changed = stored(changed)
	w.nodes[at] = changed
	return []Change{{Before: node, After: changed}}
}

func (w *world) deleteNode(at int) []Change {
	node := w.nodes[at]
	var changes []Change
	w.running = slices.DeleteFunc(w.running, func(pod *corev1.Pod) bool {
		if pod.Spec.NodeName == node.Name {
			changes = append(changes, Change{Before: pod})
		}
		return pod.Spec.NodeName == node.Name
	})
	w.nodes = slices.Delete(slices.Clone(w.nodes), at, at+1)
	return append(changes, Change{Before: node})
}

// changePods lets a running pod come, go or change, or a pending one change.
func (w *world) changePods(waiting []*corev1.Pod) []Change {
	if len(waiting) > 0 && w.percent(40) {
		return w.changePending(waiting)
	}
	if len(w.nodes) > 0 && (len(w.running) == 0 || w.percent(25)) {
		pod := w.pod(w.name("run"))
		pod.Spec.NodeName = pick(&w.dice, w.nodes).Name
		w.start(pod)
		pod = finish(pod)
		w.running = append(w.running, pod)
		return []Change{{After: pod}}
	}
	if len(w.running) == 0 {
		return nil
	}
	at := w.below(len(w.running))
	pod := w.running[at]
	if w.percent(60) {
		w.running = slices.Delete(slices.Clone(w.running), at, at+1)
		return []Change{{Before: pod}}
	}
	changed := pod.DeepCopy()
	if w.percent(70) {
		w.relabel(changed)
	} else {
		w.shrink(changed)
	}
	changed = stored(changed)
	w.running[at] = changed
	return []Change{{Before: pod, After: changed}}
}

// changePending touches what may change in a pending pod.
func (w *world) changePending(waiting []*corev1.Pod) []Change {
	at := w.below(len(waiting))
	pod := waiting[at]
	changed := pod.DeepCopy()
	switch {
	case len(pod.Spec.SchedulingGates) > 0:
		changed.Spec.SchedulingGates = pod.Spec.SchedulingGates[1:]
		if len(changed.Spec.SchedulingGates) == 0 {
			changed.Spec.SchedulingGates = nil
		}
	case w.percent(50):
		w.relabel(changed)
	default:
		changed.Spec.Tolerations = append(changed.Spec.Tolerations, corev1.Toleration{
			Key: pick(&w.dice, taintKeys[:2]), Operator: corev1.TolerationOpExists,
		})
	}
	changed = stored(changed)
	waiting[at] = changed
	return []Change{{Before: pod, After: changed}}
}

func (w *world) relabel(pod *corev1.Pod) {
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels["app"] = pick(&w.dice, apps)
}

// shrink resizes the first container, if it has requests, to almost nothing.
func (w *world) shrink(pod *corev1.Pod) {
	if requests := pod.Spec.Containers[0].Resources.Requests; requests[corev1.ResourceCPU] != (resource.Quantity{}) {
		requests[corev1.ResourceCPU] = resource.MustParse("50m")
	}
}
