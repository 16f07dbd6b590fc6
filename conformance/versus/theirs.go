package versus

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// theirs is kube-scheduler 1.37.1. A cycle is its own ScheduleOne from NextEntity to the end of the binding cycle, with
// an API server that costs nothing. The failure handler is replaced by its bookkeeping without the patch of the pod's
// status, and evictions are only remembered. Its caches and its queue are filled directly, outside the measured time.
type theirs struct {
	ctx       context.Context
	cancel    context.CancelFunc
	scheduler *scheduler.Scheduler
	server    *server
	executor  *preemption.Executor
	pods      cache.Indexer
	cycles    int

	tried     []*corev1.Pod     // in this wave
	nominated map[string]string // by pod: its node
	mu        sync.Mutex
	evicted   []*corev1.Pod
	victims   int
}

func newTheirs(p *prepared, percentage, parallelism int32) (*theirs, error) {
	configuration, err := latest.Default()
	if err != nil {
		return nil, fmt.Errorf("kube-scheduler's default configuration: %w", err)
	}
	t := &theirs{server: newServer(), nominated: map[string]string{}}
	t.ctx, t.cancel = context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	factory := informers.NewSharedInformerFactory(t.server, 0)
	recorders := func(string) events.EventRecorderLogger { return noEvents{} }
	t.scheduler, err = scheduler.New(t.ctx, t.server, factory, nil, recorders,
		scheduler.WithProfiles(configuration.Profiles...),
		scheduler.WithPercentageOfNodesToScore(&percentage),
		scheduler.WithParallelism(parallelism),
	)
	if err != nil {
		t.close()
		return nil, fmt.Errorf("building kube-scheduler: %w", err)
	}
	t.scheduler.FailureHandler = t.fail
	if err := t.findExecutor(); err != nil {
		t.close()
		return nil, err
	}
	t.pods = factory.Core().V1().Pods().Informer().GetIndexer()
	return t, t.fill(p, factory)
}

// findExecutor lays hands on what evicts pods.
func (t *theirs) findExecutor() error {
	for _, plugin := range t.scheduler.Profiles[corev1.DefaultSchedulerName].EnqueueExtensions() {
		if p, ok := plugin.(*defaultpreemption.DefaultPreemption); ok {
			t.executor = p.Executor
			t.executor.PreemptPod = t.evict
			return nil
		}
	}
	return fmt.Errorf("kube-scheduler's default profile has no DefaultPreemption")
}

// fill gives the scheduler its cluster.
func (t *theirs) fill(p *prepared, factory informers.SharedInformerFactory) error {
	logger := klog.FromContext(t.ctx)
	nodes := factory.Core().V1().Nodes().Informer().GetIndexer()
	services := factory.Core().V1().Services().Informer().GetIndexer()
	for _, n := range p.nodes {
		t.scheduler.Cache.AddNode(logger, n)
		if err := nodes.Add(n); err != nil {
			return err
		}
	}
	for _, s := range p.services {
		if err := services.Add(s); err != nil {
			return err
		}
	}
	for _, resting := range p.resting {
		if err := t.pods.Add(resting); err != nil {
			return err
		}
		if err := t.scheduler.Cache.AddPod(logger, resting); err != nil {
			return err
		}
	}
	return nil
}

func (t *theirs) arrive(pods []*corev1.Pod) error {
	for _, p := range pods {
		if err := t.pods.Add(p); err != nil {
			return err
		}
		t.scheduler.SchedulingQueue.Add(t.ctx, p)
	}
	t.tried = pods
	return nil
}

func (t *theirs) run(cycles int) {
	for range cycles {
		t.scheduler.ScheduleOne(t.ctx)
	}
	t.cycles += cycles
	t.server.wait(t.cycles)
}

// fail does what kube-scheduler's handler does, except talk to the API server.
func (t *theirs) fail(
	_ context.Context, f framework.Framework, info *framework.QueuedPodInfo, status *fwk.Status,
	nomination *fwk.NominatingInfo, _ time.Time,
) {
	defer t.server.end(info.Pod.Namespace+"/"+info.Pod.Name, "")
	logger := klog.FromContext(t.ctx)
	info = info.DeepCopy()
	message := status.Message()
	info.ClearRejectorPlugins()
	var fit *framework.FitError
	if errors.As(status.AsError(), &fit) {
		info.UnschedulablePlugins, info.PendingPlugins = fit.Diagnosis.UnschedulablePlugins, fit.Diagnosis.PendingPlugins
	}
	known, err := f.SharedInformerFactory().Core().V1().Pods().Lister().Pods(info.Pod.Namespace).Get(info.Pod.Name)
	if err != nil {
		panic(fmt.Sprintf("pod %s was scheduled and is not known: %v", info.Pod.Name, err))
	}
	if info.PodInfo, err = framework.NewPodInfo(known.DeepCopy()); err != nil {
		panic(fmt.Sprintf("pod %s: %v", info.Pod.Name, err))
	}
	queue := t.scheduler.SchedulingQueue
	if err := queue.AddUnschedulablePodIfNotPresent(logger, info, queue.SchedulingCycle()); err != nil {
		panic(fmt.Sprintf("pod %s: %v", info.Pod.Name, err))
	}
	queue.AddNominatedPod(logger, info.PodInfo, nomination)
	f.EventRecorder().WithLogger(logger).Eventf(
		info.Pod, nil, corev1.EventTypeWarning, "FailedScheduling", "Scheduling", "%s", message,
	)
	if nomination != nil && nomination.NominatedNodeName != "" {
		t.nominated[info.Pod.Namespace+"/"+info.Pod.Name] = nomination.NominatedNodeName
	}
}

func (t *theirs) evict(
	_ context.Context, _ preemption.Candidate, _ preemption.ExecutorPreemptor, victim *corev1.Pod, _ string,
) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.evicted = append(t.evicted, victim)
	return false, nil
}

// settle carries out the effects of the cycles: pods are seen on their nodes, victims are gone, and a pod that was
// nominated is ready for another cycle.
func (t *theirs) settle() error {
	again := map[string]*corev1.Pod{}
	for _, p := range t.tried {
		for t.executor.IsPodRunningPreemption(p.UID) {
			runtime.Gosched()
		}
		key := p.Namespace + "/" + p.Name
		if node, bound := t.server.bound[key]; bound {
			if err := t.onNode(p, node); err != nil {
				return err
			}
			continue
		}
		if node := t.nominated[key]; node != "" {
			nominated := p.DeepCopy()
			nominated.Status.NominatedNodeName = node
			if err := t.seen(nominated); err != nil {
				return err
			}
			t.scheduler.SchedulingQueue.Update(t.ctx, p, nominated)
			again[key] = nominated
		}
	}
	if err := t.removeVictims(); err != nil {
		return err
	}
	t.scheduler.SchedulingQueue.Activate(klog.FromContext(t.ctx), again)
	return nil
}

func (t *theirs) onNode(p *corev1.Pod, node string) error {
	there := p.DeepCopy()
	there.Spec.NodeName = node
	if err := t.seen(there); err != nil {
		return err
	}
	return t.scheduler.Cache.AddPod(klog.FromContext(t.ctx), there)
}

func (t *theirs) removeVictims() error {
	logger := klog.FromContext(t.ctx)
	for _, v := range t.evicted {
		if err := t.pods.Delete(v); err != nil {
			return err
		}
		if err := t.scheduler.Cache.RemovePod(logger, v); err != nil {
			return err
		}
		t.scheduler.SchedulingQueue.MoveAllToActiveOrBackoffQueue(logger, framework.EventAssignedPodDelete, v, nil, nil)
	}
	t.victims += len(t.evicted)
	t.evicted = nil
	return nil
}

// seen is a pod as the API server shows it now.
func (t *theirs) seen(p *corev1.Pod) error {
	p.ResourceVersion += "1"
	return t.pods.Update(p)
}

func (t *theirs) outcome() outcome {
	return outcome{placed: t.server.bound, victims: t.victims}
}

func (t *theirs) close() {
	t.cancel()
	if t.scheduler != nil {
		t.scheduler.SchedulingQueue.Close()
	}
}
