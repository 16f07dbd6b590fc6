// Package groups puts kube-scheduler 1.37.1 with its feature gates for pod groups beside schedstep's: one group, one
// cycle, the same cluster. It compares the outcome of each member, the condition of the group, and the victims.
package groups

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

// Cluster is a group that waits, and everything around it. Pods with a node are there; the others are the group's.
type Cluster struct {
	Nodes  []*corev1.Node
	Groups []*schedulingv1beta1.PodGroup // the first is the one that waits
	Pods   []*corev1.Pod

	classes []*resourcev1.DeviceClass
	slices  []*resourcev1.ResourceSlice
	Claims  []*resourcev1.ResourceClaim
}

// Outcome is what one cycle came to.
type Outcome struct {
	Bound     map[string]string // node by pod
	Failed    map[string]string // message by pod
	Nominated map[string]string // node by pod
	Evicted   []string          // sorted
	Condition string            // of the group: "True Scheduled: ..."
	Claims    map[string]string // devicesOf by claim, when all is over
}

// patience is how long the binding cycles and evictions, which run by themselves, may take.
const patience = 10 * time.Second

// Gates sets kube-scheduler's feature gates, for the whole process.
func Gates(text string) error { return utilfeature.DefaultMutableFeatureGate.Set(text) }

type theirs struct {
	mu      sync.Mutex
	changed chan struct{}
	outcome Outcome
}

func (t *theirs) note(f func(o *Outcome)) {
	t.mu.Lock()
	f(&t.outcome)
	t.mu.Unlock()
	t.changed <- struct{}{}
}

// Theirs runs one cycle of kube-scheduler and waits until every member has its end and every victim is recorded;
// victims is how many there will be.
func Theirs(c Cluster, victims int) (Outcome, error) {
	configuration, err := latest.Default()
	if err != nil {
		return Outcome{}, err
	}
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	defer cancel()
	t := &theirs{
		changed: make(chan struct{}, 1000),
		outcome: Outcome{Bound: map[string]string{}, Failed: map[string]string{}, Nominated: map[string]string{}},
	}
	client := fake.NewClientset(objectsOf(c)...)
	client.PrependReactor("create", "pods", t.bind)
	client.PrependReactor("patch", "podgroups", t.condition)
	factory := informers.NewSharedInformerFactory(client, 0)
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	defer broadcaster.Shutdown()
	inTurn := &turn{}
	options := []scheduler.Option{scheduler.WithParallelism(1)}
	if len(c.Claims) > 0 {
		options = append(options, inTurn.inTurn(&configuration.Profiles[0]))
	}
	s, err := scheduler.New(
		ctx, client, factory, nil, profile.NewRecorderFactory(broadcaster),
		append(options, scheduler.WithProfiles(configuration.Profiles...))...,
	)
	if err != nil {
		return Outcome{}, fmt.Errorf("building kube-scheduler: %w", err)
	}
	defer s.SchedulingQueue.Close()
	t.listen(s)
	if len(c.Claims) > 0 {
		known := s.Profiles[corev1.DefaultSchedulerName].SharedDRAManager()
		if err := devices(ctx, client, factory, known, c); err != nil {
			return Outcome{}, fmt.Errorf("reading claims: %w", err)
		}
	}
	waiting := t.fill(ctx, s, factory, c)
	s.ScheduleOne(ctx)
	if len(c.Claims) > 0 {
		inTurn.release(t, c.Pods)
	}
	o, err := t.await(waiting, victims)
	if err != nil {
		return o, err
	}
	o.Claims, err = claims(client, c)
	return o, err
}

func objectsOf(c Cluster) []runtime.Object {
	var objects []runtime.Object
	for _, g := range c.Groups {
		objects = append(objects, g.DeepCopy())
	}
	for _, p := range c.Pods {
		objects = append(objects, p.DeepCopy())
	}
	for _, o := range c.classes {
		objects = append(objects, o.DeepCopy())
	}
	for _, o := range c.slices {
		objects = append(objects, o.DeepCopy())
	}
	for _, o := range c.Claims {
		objects = append(objects, o.DeepCopy())
	}
	return objects
}

// listen records which pods a scheduler cannot place, and which it would evict, instead of evicting them.
func (t *theirs) listen(s *scheduler.Scheduler) {
	s.FailureHandler = func(
		_ context.Context, _ framework.Framework, info *framework.QueuedPodInfo, status *fwk.Status,
		nominating *fwk.NominatingInfo, _ time.Time,
	) {
		s.SchedulingQueue.Done(info.Pod.UID)
		t.note(func(o *Outcome) {
			o.Failed[info.Pod.Name] = status.Message()
			if nominating != nil && nominating.NominatedNodeName != "" {
				o.Nominated[info.Pod.Name] = nominating.NominatedNodeName
			}
		})
	}
	for _, plugin := range s.Profiles[corev1.DefaultSchedulerName].EnqueueExtensions() {
		if p, ok := plugin.(*defaultpreemption.DefaultPreemption); ok {
			p.Executor.PreemptPod = func(
				_ context.Context, _ preemption.Candidate, _ preemption.ExecutorPreemptor, victim *corev1.Pod, _ string,
			) (bool, error) {
				t.note(func(o *Outcome) { o.Evicted = append(o.Evicted, victim.Name) })
				return false, nil
			}
		}
	}
}

// await waits until so many pods have an end and so many victims are recorded, and the group has its condition.
func (t *theirs) await(waiting, victims int) (Outcome, error) {
	deadline := time.After(patience)
	for {
		t.mu.Lock()
		done := len(t.outcome.Bound)+len(t.outcome.Failed) >= waiting && len(t.outcome.Evicted) >= victims &&
			t.outcome.Condition != ""
		o := t.outcome
		t.mu.Unlock()
		if done {
			slices.Sort(o.Evicted)
			return o, nil
		}
		select {
		case <-t.changed:
		case <-deadline:
			return o, fmt.Errorf("after %s it is at %+v", patience, o)
		}
	}
}

// fill gives the scheduler its cluster, in the order of its lists, and returns how many pods wait.
func (t *theirs) fill(
	ctx context.Context, s *scheduler.Scheduler, factory informers.SharedInformerFactory, c Cluster,
) int {
	logger := klog.FromContext(ctx)
	for _, n := range c.Nodes {
		s.Cache.AddNode(logger, n.DeepCopy())
	}
	for _, g := range c.Groups {
		s.Cache.AddPodGroup(g)
		s.SchedulingQueue.AddPodGroup(logger, g)
	}
	pods := factory.Core().V1().Pods().Informer().GetIndexer()
	waiting := 0
	for _, p := range c.Pods {
		if err := pods.Add(p); err != nil {
			panic(err)
		}
		if p.Spec.NodeName != "" {
			if err := s.Cache.AddPod(logger, p); err != nil {
				panic(err)
			}
			continue
		}
		waiting++
		s.Cache.AddPodGroupMember(p)
		s.SchedulingQueue.Add(ctx, p)
		s.SchedulingQueue.MoveAllToActiveOrBackoffQueue(logger, framework.EventUnscheduledPodAdd, nil, p, nil)
	}
	return waiting
}

// bind is the API server's answer to a binding.
func (t *theirs) bind(action clienttesting.Action) (bool, runtime.Object, error) {
	if action.GetSubresource() != "binding" {
		return false, nil, nil
	}
	b := action.(clienttesting.CreateAction).GetObject().(*corev1.Binding)
	t.note(func(o *Outcome) { o.Bound[b.Name] = b.Target.Name })
	return true, b, nil
}

// condition reads the group's condition from the patch of its status.
func (t *theirs) condition(action clienttesting.Action) (bool, runtime.Object, error) {
	var patch schedulingv1beta1.PodGroup
	if err := json.Unmarshal(action.(clienttesting.PatchAction).GetPatch(), &patch); err != nil {
		return true, nil, err
	}
	for _, c := range patch.Status.Conditions {
		t.note(func(o *Outcome) {
			o.Condition = strings.TrimSpace(fmt.Sprintf("%s %s: %s", c.Status, c.Reason, c.Message))
		})
	}
	return true, &patch, nil
}
