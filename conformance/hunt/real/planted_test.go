//go:build !before_1_37

package real_test

import (
	"context"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/schedstep/schedstep/conformance/hunt"
	"github.com/schedstep/schedstep/conformance/hunt/real"
)

// planted are faults in kube-scheduler, one for every invariant, that the hunter has to find in drawn histories.
var planted = []struct {
	breaks  hunt.Invariant
	fault   real.Fault
	further []scheduler.Option
}{
	{breaks: hunt.Woken, fault: func(s *scheduler.Scheduler) { s.SchedulingQueue = deaf{s.SchedulingQueue} }},
	{breaks: hunt.Kept, fault: func(s *scheduler.Scheduler) { s.SchedulingQueue = losing{s.SchedulingQueue} }},
	{breaks: hunt.Settled, fault: func(s *scheduler.Scheduler) { s.SchedulingQueue = restless{s.SchedulingQueue} }},
	{breaks: hunt.Released, fault: func(s *scheduler.Scheduler) {
		s.SchedulingQueue = &holding{SchedulingQueue: s.SchedulingQueue, kept: map[string][]fwk.PodInfo{}}
	}},
	{breaks: hunt.Due, fault: evictsTheFirst},
	{breaks: hunt.Cached, fault: func(s *scheduler.Scheduler) { s.Cache = remembering{s.Cache} }},
	{breaks: hunt.Bounded, further: []scheduler.Option{
		scheduler.WithPodInitialBackoffSeconds(60), scheduler.WithPodMaxBackoffSeconds(600),
	}},
	{breaks: hunt.Alive, fault: func(s *scheduler.Scheduler) { s.SchedulingQueue = frail{s.SchedulingQueue} }},
}

// TestPlantedFaultsAreFound plants one fault after the other and hunts for it, with no hint of where it is.
func TestPlantedFaultsAreFound(t *testing.T) {
	for _, p := range planted {
		t.Run(string(p.breaks), func(t *testing.T) {
			s := hunt.Search{Seeds: 150, New: real.New(p.fault, p.further...), Enough: p.breaks, Whole: true}
			total := s.Run(t)
			if !total.Broke(p.breaks) {
				t.Errorf("not found in %s", total)
			}
		})
	}
}

// deaf is a queue that no event reaches.
type deaf struct{ queue.SchedulingQueue }

func (deaf) MoveAllToActiveOrBackoffQueue(
	klog.Logger, fwk.ClusterEvent, interface{}, interface{}, queue.PreEnqueueCheck,
) {
}

// losing is a queue that takes no pod back whose name ends with 7.
type losing struct{ queue.SchedulingQueue }

func (q losing) AddUnschedulablePodIfNotPresent(logger klog.Logger, info *framework.QueuedPodInfo, cycle int64) error {
	if name := info.Pod.Name; name[len(name)-1] == '7' {
		q.Done(info.Pod.UID)
		return nil
	}
	return q.SchedulingQueue.AddUnschedulablePodIfNotPresent(logger, info, cycle)
}

// restless is a queue that has a pod tried again at once.
type restless struct{ queue.SchedulingQueue }

func (q restless) AddUnschedulablePodIfNotPresent(
	logger klog.Logger, info *framework.QueuedPodInfo, cycle int64,
) error {
	err := q.SchedulingQueue.AddUnschedulablePodIfNotPresent(logger, info, cycle)
	q.Activate(logger, map[string]*corev1.Pod{info.Pod.Name: info.Pod})
	return err
}

// holding is a queue that gives no nominated node back.
type holding struct {
	queue.SchedulingQueue
	mu   sync.Mutex
	kept map[string][]fwk.PodInfo
}

func (q *holding) AddNominatedPod(logger klog.Logger, info fwk.PodInfo, on *fwk.NominatingInfo) {
	q.SchedulingQueue.AddNominatedPod(logger, info, on)
	if on != nil && on.NominatedNodeName != "" {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.kept[on.NominatedNodeName] = append(q.kept[on.NominatedNodeName], info)
	}
}

func (q *holding) NominatedPodsForNode(node string) []fwk.PodInfo {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.kept[node]
}

// evictsTheFirst has another pod evicted than the victim: the most important one of its node.
func evictsTheFirst(s *scheduler.Scheduler) {
	for _, plugin := range s.Profiles[corev1.DefaultSchedulerName].EnqueueExtensions() {
		p, is := plugin.(*defaultpreemption.DefaultPreemption)
		if !is {
			continue
		}
		evict := p.Executor.PreemptPod
		p.Executor.PreemptPod = func(
			ctx context.Context, c preemption.Candidate, gains preemption.ExecutorPreemptor, victim *corev1.Pod, by string,
		) (bool, error) {
			for _, other := range s.Cache.Dump().Nodes[c.Name()].Pods {
				if priority := other.GetPod().Spec.Priority; priority != nil && *priority > *victim.Spec.Priority {
					victim = other.GetPod()
				}
			}
			return evict(ctx, c, gains, victim, by)
		}
	}
}

// remembering is a cache that forgets no pod.
type remembering struct{ cache.Cache }

func (remembering) RemovePod(klog.Logger, *corev1.Pod) error { return nil }

// frail is a queue that does not survive a pod whose name ends with 9.
type frail struct{ queue.SchedulingQueue }

func (q frail) Add(ctx context.Context, pod *corev1.Pod) {
	if pod.Name[len(pod.Name)-1] == '9' {
		panic("a pod that ends with 9")
	}
	q.SchedulingQueue.Add(ctx, pod)
}
