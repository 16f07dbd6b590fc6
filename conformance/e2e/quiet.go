package e2e

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/conformance/e2e/controlplane"
)

// How long kube-scheduler may take to come to an end with its work, and the time between two polls.
const (
	settleTime = 10 * time.Minute
	askTime    = 15 * time.Millisecond
)

// watcher knows when a running kube-scheduler has nothing left to do: its queues are empty or parked, every pod is in
// one of them or bound, and it has seen every change. Its own counters of handled events show that it has seen them,
// because nothing else orders one informer's news with another's.
type watcher struct {
	api       *API
	scheduler *controlplane.Scheduler
	marked    map[string]float64 // its metrics before the last change
	handled   map[string]float64 // events of each label that it must have handled since it started
	placed    map[string]bool    // uid of every pod that ever had a node while it ran
	gone      map[string]bool    // those of them that are there no longer
	last      string             // the counters when all looked quiet last time
}

func newWatcher(a *API, s *controlplane.Scheduler, placed map[string]bool) *watcher {
	return &watcher{
		api: a, scheduler: s, handled: map[string]float64{}, placed: maps.Clone(placed), gone: map[string]bool{},
	}
}

// mark remembers what the scheduler has seen, before something is changed.
func (w *watcher) mark(ctx context.Context) (err error) {
	w.marked, err = w.scheduler.Metrics(ctx)
	return err
}

// expect notes that one more event of each label than at the last mark has to be handled before all is quiet again.
func (w *watcher) expect(labels []string) {
	clear(w.handled)
	for _, label := range labels {
		if w.handled[label] == 0 {
			w.handled[label] = handled(w.marked, label)
		}
		w.handled[label]++
	}
}

// settle waits until all is quiet twice in a row.
func (w *watcher) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	w.last = ""
	for {
		busy, err := w.busy(ctx)
		if err == nil && busy == "" {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("kube-scheduler does not come to an end in %v: %s (%w)", settleTime, busy, context.Cause(ctx))
		case <-time.After(askTime):
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// busy is what there is still to do; "" when there is nothing.
func (w *watcher) busy(ctx context.Context) (string, error) {
	m, err := w.scheduler.Metrics(ctx)
	if err != nil {
		return "", err
	}
	for _, queue := range []string{"active", "backoff"} {
		if n := m[`scheduler_pending_pods{queue="`+queue+`"}`]; n > 0 {
			return w.not(fmt.Sprintf("%v pods in queue %s", n, queue))
		}
	}
	for label, want := range w.handled {
		if got := handled(m, label); got < want {
			return w.not(fmt.Sprintf("it has handled %v events %s of %v", got, label, want))
		}
	}
	if told, done := m["scheduler_preemption_victims_count"], sum(
		m, "scheduler_preemption_goroutines_execution_total",
	); told != done {
		return w.not(fmt.Sprintf("%v preemptions of %v are carried out", done, told))
	}
	if n, err := w.api.bindVolumes(ctx); err != nil || n > 0 {
		return "volumes are being bound", err
	}
	pods, err := w.api.Pods(ctx)
	if err != nil {
		return "", err
	}
	if n, err := w.api.endPods(ctx, pods); err != nil || n > 0 {
		return "pods are going", err
	}
	if busy := w.unknown(m, pods); busy != "" {
		return w.not(busy)
	}
	now := fmt.Sprint(
		sum(m, "scheduler_schedule_attempts_total"), sum(m, "scheduler_event_handling_duration_seconds_count"),
	)
	if now != w.last {
		w.last = now
		return "it has just become quiet", nil
	}
	return "", nil
}

func (w *watcher) not(quiet string) (string, error) {
	w.last = ""
	return quiet, nil
}

// unknown names a pod that the scheduler has not seen or not decided.
func (w *watcher) unknown(m map[string]float64, pods map[string]*corev1.Pod) string {
	there, waiting := map[string]bool{}, 0.0
	for key, p := range pods {
		uid := string(p.UID)
		there[uid] = true
		if p.Spec.NodeName != "" {
			w.placed[uid] = true
			continue
		}
		if p.Spec.SchedulerName != corev1.DefaultSchedulerName {
			continue
		}
		waiting++
		if c := scheduled(p); c == nil || c.Status != corev1.ConditionFalse {
			return "pod " + key + " is not decided"
		}
	}
	for uid := range w.placed {
		if !there[uid] {
			w.gone[uid] = true
		}
	}
	parked := sum(m, "scheduler_pending_pods")
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"waiting pods", parked, waiting},
		{"pods on nodes", handled(m, "AssignedPodAdd"), float64(len(w.placed))},
		{"pods gone from nodes", handled(m, "AssignedPodDelete"), float64(len(w.gone))},
	} {
		if c.got != c.want {
			return fmt.Sprintf("it knows of %v %s of %v", c.got, c.what, c.want)
		}
	}
	return ""
}

func handled(m map[string]float64, label string) float64 {
	return m[`scheduler_event_handling_duration_seconds_count{event="`+label+`"}`]
}

// sum adds up a metric over its labels.
func sum(m map[string]float64, name string) float64 {
	total := 0.0
	for series, value := range m {
		if rest, ok := strings.CutPrefix(series, name); ok && (rest == "" || rest[0] == '{') {
			total += value
		}
	}
	return total
}
