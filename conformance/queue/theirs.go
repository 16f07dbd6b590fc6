// Package queue drives kube-scheduler's own PriorityQueue one call at a time, on a clock that moves only when the
// caller sets it, so that core/queue can be held to it after every call. It schedules nothing.
package queue

import (
	"context"
	"time"
	_ "unsafe" // for go:linkname

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	listersv1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	clocktesting "k8s.io/utils/clock/testing"
)

// The two periodic jobs of the queue, which it runs in goroutines of its own. Called from here they run at the
// moments the test chooses. The empty flush.s lets the compiler accept functions without a body.

//go:linkname flushBackoff k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushBackoffQCompleted
func flushBackoff(*upstream.PriorityQueue, klog.Logger)

//go:linkname flushLeftover k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushUnschedulableEntitiesLeftover
func flushLeftover(*upstream.PriorityQueue, klog.Logger)

// Theirs is kube-scheduler's queue.
type Theirs struct {
	*upstream.PriorityQueue
	clock   *clocktesting.FakeClock
	start   time.Time
	pods    cache.Indexer
	flights map[types.UID]*framework.QueuedPodInfo
}

// NewTheirs makes a queue of one profile, with the sort order of the default profile.
func NewTheirs(
	ctx context.Context, start time.Time, profile string, hints upstream.QueueingHintMap,
	gates map[string]fwk.PreEnqueuePlugin,
) *Theirs {
	t := &Theirs{
		clock: clocktesting.NewFakeClock(start), start: start,
		pods: cache.NewIndexer(
			cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc},
		),
		flights: map[types.UID]*framework.QueuedPodInfo{},
	}
	t.PriorityQueue = upstream.NewTestQueue(ctx, (&queuesort.PrioritySort{}).Less,
		upstream.WithClock(t.clock), upstream.WithPodLister(listersv1.NewPodLister(t.pods)),
		upstream.WithQueueingHintMapPerProfile(upstream.QueueingHintMapPerProfile{profile: hints}),
		upstream.WithPreEnqueuePluginMap(map[string]map[string]fwk.PreEnqueuePlugin{profile: gates}))
	return t
}

// See makes the lister return the pod; Forget takes it out again.
func (t *Theirs) See(pod *corev1.Pod) error { return t.pods.Update(pod) }

// Forget undoes See.
func (t *Theirs) Forget(pod *corev1.Pod) error { return t.pods.Delete(pod) }

// Take pops an entity and remembers it for Return; the queue must not be empty, else it blocks.
func (t *Theirs) Take() (*framework.QueuedPodInfo, error) {
	entity, err := t.Pop(klog.Background())
	if err != nil {
		return nil, err
	}
	info := entity.(*framework.QueuedPodInfo)
	t.flights[info.Pod.UID] = info
	return info, nil
}

// Return gives a popped pod back as the scheduler's failure handler does (handleSchedulingFailure).
func (t *Theirs) Return(uid types.UID, rejectors, pending []string) error {
	info := t.flights[uid].DeepCopy()
	delete(t.flights, uid)
	info.ClearRejectorPlugins()
	info.UnschedulablePlugins, info.PendingPlugins = sets.New(rejectors...), sets.New(pending...)
	found, exists, err := t.pods.GetByKey(info.Pod.Namespace + "/" + info.Pod.Name)
	if err != nil {
		return err
	}
	if !exists || found.(*corev1.Pod).UID != uid {
		t.Done(uid)
		return nil
	}
	if info.PodInfo, err = framework.NewPodInfo(found.(*corev1.Pod).DeepCopy()); err != nil {
		return err
	}
	return t.AddUnschedulablePodIfNotPresent(klog.Background(), info, t.SchedulingCycle())
}

// Advance lets time pass: backoffQ is flushed at whole seconds and the leftovers every 30 s from the start, in this
// order where both fall together.
func (t *Theirs) Advance(to time.Time) {
	for {
		now := t.clock.Now()
		second := now.Truncate(time.Second).Add(time.Second)
		sweep := t.start.Add(now.Sub(t.start).Truncate(30*time.Second) + 30*time.Second)
		next := second
		if sweep.Before(second) {
			next = sweep
		}
		if next.After(to) {
			t.clock.SetTime(to)
			return
		}
		t.clock.SetTime(next)
		if next.Equal(second) {
			flushBackoff(t.PriorityQueue, klog.Background())
		}
		if next.Equal(sweep) {
			flushLeftover(t.PriorityQueue, klog.Background())
		}
	}
}
