package e2e

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Outcome is what a scheduler has come to, as far as users see it. Pods go by namespace/name.
type Outcome struct {
	Hosts    map[string]string // the node of every pod; "" while it has none
	Messages map[string]string // of the condition PodScheduled=False, for pods that have it
	Notes    map[string]string // of the first event FailedScheduling since the scheduler started
	Victims  map[string]string // pods evicted since the scheduler started, with the note of the event Preempted
}

// victimsOf are the pods that were evicted for the pod with a uid, sorted. The notes name their preemptors by it.
func (o *Outcome) victimsOf(uid string) []string {
	var victims []string
	for victim, note := range o.Victims {
		if strings.HasPrefix(note, "Preempted by pod "+uid+" ") {
			victims = append(victims, victim)
		}
	}
	slices.Sort(victims)
	return victims
}

func newOutcome() Outcome {
	return Outcome{
		Hosts: map[string]string{}, Messages: map[string]string{}, Notes: map[string]string{},
		Victims: map[string]string{},
	}
}

// pod takes in the spec and status of a pod.
func (o *Outcome) pod(key string, p *corev1.Pod) {
	o.Hosts[key] = p.Spec.NodeName
	if p.Spec.NodeName != "" {
		return
	}
	if c := scheduled(p); c != nil && c.Status == corev1.ConditionFalse {
		o.Messages[key] = c.Message
	}
}

func scheduled(p *corev1.Pod) *corev1.PodCondition {
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == corev1.PodScheduled {
			return c
		}
	}
	return nil
}

// Outcome reads what kube-scheduler wrote: pods and events. The caller has had the events of earlier
// schedulers deleted.
func (a *API) Outcome(ctx context.Context) (Outcome, error) {
	o := newOutcome()
	pods, err := a.Pods(ctx)
	if err != nil {
		return o, err
	}
	for key, p := range pods {
		o.pod(key, p)
	}
	list, err := a.typed.EventsV1().Events("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return o, err
	}
	slices.SortFunc(list.Items, func(x, y eventsv1.Event) int { return x.EventTime.Compare(y.EventTime.Time) })
	for i := range list.Items {
		e := &list.Items[i]
		key := e.Regarding.Namespace + "/" + e.Regarding.Name
		switch e.Reason {
		case "FailedScheduling":
			if _, later := o.Notes[key]; !later {
				o.Notes[key] = e.Note
			}
		case "Preempted":
			o.Victims[key] = e.Note
		}
	}
	return o, nil
}

// forgetEvents deletes all events, so that those of the next scheduler stand alone.
func (a *API) forgetEvents(ctx context.Context) error {
	namespaces, err := a.typed.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range namespaces.Items {
		name := namespaces.Items[i].Name
		if strings.HasPrefix(name, "kube-") {
			continue
		}
		if err := a.typed.EventsV1().Events(name).DeleteCollection(
			ctx, metav1.DeleteOptions{}, metav1.ListOptions{},
		); err != nil {
			return err
		}
	}
	return nil
}
