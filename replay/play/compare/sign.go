package compare

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source"
)

// decision is what the cluster's scheduler decided, as an event shows it; false when it shows none.
func (h *Hindsight) decision(t source.Timed) (Decision, bool) {
	if t.Event.Action == cluster.Delete {
		return Decision{}, false
	}
	switch o := t.Event.Object.(type) {
	case *corev1.Pod:
		return h.byPod(o, t.At)
	case *eventsv1.Event:
		return h.byEvent(o, t)
	}
	return Decision{}, false
}

// decides is the pod with that key and UID, if it waits for a decision of a scheduler that is compared.
func (h *Hindsight) decides(key, uid string) (*cluster.Pod, bool) {
	known, there := h.now.State().Pod(key)
	if !there || known.NodeName != "" || known.UID() != uid {
		return nil, false
	}
	_, ours := h.now.Profile(known.API.Spec.SchedulerName)
	return known, ours
}

// byPod is what a new version of a pod shows: its node, or why it has none.
func (h *Hindsight) byPod(p *corev1.Pod, at time.Time) (Decision, bool) {
	d := Decision{Pod: cluster.Key(p), At: at}
	known, decides := h.decides(d.Pod, cluster.UID(p))
	if !decides {
		return d, false
	}
	if p.Spec.NodeName != "" {
		d.What, d.Theirs = Host, p.Spec.NodeName
		return d, true
	}
	before, after := unschedulable(known.API), unschedulable(p)
	d.What, d.Theirs = Message, after
	return d, after != "" && after != before
}

// byEvent is the decision in an event of a scheduler. A changed event shows only that the pod was tried once more: its
// text stays that of the first time (client-go's events, 0.37).
func (h *Hindsight) byEvent(e *eventsv1.Event, t source.Timed) (Decision, bool) {
	d := Decision{Pod: e.Regarding.Namespace + "/" + e.Regarding.Name, At: t.At, What: Event, Theirs: e.Note}
	known, decides := h.decides(d.Pod, string(e.Regarding.UID))
	if !decides || e.Reason != "FailedScheduling" || e.Regarding.Kind != "Pod" ||
		e.ReportingController != known.API.Spec.SchedulerName {
		return d, false
	}
	if t.Event.Action == cluster.Update {
		d.What, d.Theirs = Retry, unschedulable(known.API)
		if e.Series != nil {
			d.observed = e.Series.LastObservedTime.Time
		}
	}
	return d, true
}

// unschedulable is the text of a pod's condition that no node was found; "" when it has none.
func unschedulable(p *corev1.Pod) string {
	c := scheduledCondition(p)
	if c == nil || c.Status != corev1.ConditionFalse || c.Reason != corev1.PodReasonUnschedulable {
		return ""
	}
	return c.Message
}

// scheduledCondition is the condition about a pod's scheduling; nil when it has none.
func scheduledCondition(p *corev1.Pod) *corev1.PodCondition {
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == corev1.PodScheduled {
			return c
		}
	}
	return nil
}
