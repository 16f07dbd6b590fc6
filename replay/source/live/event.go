package live

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core"
)

// seriesTime is how long after an event the same one again counts as one of a series (client-go's events, 0.37).
const seriesTime = 6 * time.Minute

// mostSeries bounds how many events are remembered; what is older than seriesTime goes first, then all.
const mostSeries = 4096

// reporter makes the events that show people what the scheduler did, as kube-scheduler does. One goroutine uses it at a
// time.
type reporter struct {
	controller string // the schedulerName
	instance   string // which of those that have it
	written    map[series]*told
	made       int64 // distinguishes events of one moment
}

// series is what events have in common that are one event many times.
type series struct{ uid, kind, reason, note string }

type told struct {
	name  string
	count int32
	last  time.Time
}

// actions are what kube-scheduler was doing when it had something to report.
var actions = map[string]string{"Scheduled": "Binding", "Preempted": "Preempting"}

// report is the request for an event: for a new one or, when it was written not long ago, for one more in its series.
func (r *reporter) report(e core.Report, gains *corev1.Pod, now time.Time) Request {
	about := series{e.Pod.UID(), e.Type, e.Reason, e.Note}
	resource := eventsv1.SchemeGroupVersion.WithResource("events")
	if before := r.written[about]; before != nil && now.Sub(before.last) < seriesTime {
		before.count++
		before.last = now
		return Request{
			Verb: "patch", Resource: resource, Namespace: e.Pod.Namespace(), Name: before.name,
			Body: jsonOf(map[string]any{"series": eventsv1.EventSeries{
				Count: before.count, LastObservedTime: metav1.NewMicroTime(now),
			}}),
		}
	}
	r.made++
	name := fmt.Sprintf("%s.%x", e.Pod.Name(), now.UnixNano()+r.made)
	r.remember(about, &told{name: name, count: 1, last: now})
	return Request{
		Verb: "create", Resource: resource, Namespace: e.Pod.Namespace(), Body: jsonOf(r.event(e, gains, name, now)),
	}
}

func (r *reporter) event(e core.Report, gains *corev1.Pod, name string, now time.Time) *eventsv1.Event {
	action := actions[e.Reason]
	if action == "" {
		action = "Scheduling"
	}
	event := &eventsv1.Event{
		TypeMeta:   metav1.TypeMeta{APIVersion: eventsv1.SchemeGroupVersion.String(), Kind: "Event"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.Pod.Namespace()}, EventTime: metav1.NewMicroTime(now),
		ReportingController: r.controller, ReportingInstance: r.instance, Action: action, Reason: e.Reason, Type: e.Type,
		Note: e.Note, Regarding: referenceTo(e.Pod.API),
	}
	if gains != nil {
		related := referenceTo(gains)
		event.Related = &related
	}
	return event
}

func referenceTo(p *corev1.Pod) corev1.ObjectReference {
	return corev1.ObjectReference{
		APIVersion: "v1", Kind: "Pod", Namespace: p.Namespace, Name: p.Name, UID: p.UID,
		ResourceVersion: p.ResourceVersion,
	}
}

func (r *reporter) remember(about series, t *told) {
	if len(r.written) >= mostSeries {
		for key, old := range r.written { // which go is decided by their age alone
			if t.last.Sub(old.last) >= seriesTime {
				delete(r.written, key)
			}
		}
		if len(r.written) >= mostSeries {
			clear(r.written)
		}
	}
	r.written[about] = t
}
