package groups_test

import (
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/schedstep/schedstep/conformance/groups"
	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

// places is where pods wait, by name.
type places map[string]string

// cordonTheirs rejects a pod, and a group of two, for a cordoned node in kube-scheduler's queue, and then uncordons it.
func cordonTheirs(t *testing.T, pods []*corev1.Pod, group *schedulingv1beta1.PodGroup) (before, after places) {
	t.Helper()
	metrics.Register()
	logger := klog.New(logr.Discard().GetSink())
	hints := upstream.QueueingHintMap{
		{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeTaint}: {{
			PluginName: "NodeUnschedulable",
			QueueingHintFn: func(klog.Logger, *corev1.Pod, any, any) (fwk.QueueingHint, error) {
				return fwk.Queue, nil
			},
		}},
	}
	q := upstream.NewTestQueue(t.Context(), (&queuesort.PrioritySort{}).Less,
		upstream.WithClock(clocktesting.NewFakeClock(groups.Epoch)),
		upstream.WithQueueingHintMapPerProfile(upstream.QueueingHintMapPerProfile{corev1.DefaultSchedulerName: hints}))
	q.AddPodGroup(logger, group)
	for _, p := range pods {
		q.Add(t.Context(), p)
	}
	for range 2 {
		entity, err := q.Pop(logger)
		if err != nil {
			t.Fatal(err)
		}
		entity.ForEachPodInfo(func(info *framework.QueuedPodInfo) bool {
			info.UnschedulablePlugins = sets.New("NodeUnschedulable")
			if err := q.AddUnschedulablePodIfNotPresent(logger, info, q.SchedulingCycle()); err != nil {
				t.Error(err)
			}
			return true
		})
		if g, is := entity.(*framework.QueuedPodGroupInfo); is {
			err := q.AddAttemptedPodGroupIfNeeded(logger, g, q.SchedulingCycle(), fwk.NewStatus(fwk.Unschedulable))
			if err != nil {
				t.Error(err)
			}
		}
	}
	look := func() places {
		at := places{}
		for name, list := range map[string][]*corev1.Pod{
			"activeQ": q.PodsInActiveQ(), "backoffQ": q.PodsInBackoffQ(), "unschedulable": q.UnschedulablePods(),
		} {
			for _, p := range list {
				at[p.Name] = name
			}
		}
		return at
	}
	before = look()
	node := build.Node("n1")
	uncordoned := fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.UpdateNodeTaint}
	q.MoveAllToActiveOrBackoffQueue(logger, uncordoned, node, node, nil)
	return before, look()
}

// cordonOurs does the same in schedstep.
func cordonOurs(t *testing.T, pods []*corev1.Pod, group *schedulingv1beta1.PodGroup) (before, after places) {
	t.Helper()
	g, err := config.ParseGates(gates)
	if err != nil {
		t.Fatal(err)
	}
	made := config.DefaultWith(config.Options{Gates: g})
	s := core.New(core.Options{
		Profiles: made.Profiles, InitialBackoff: made.InitialBackoff, MaxBackoff: made.MaxBackoff, Groups: made.Groups,
		Start: groups.Epoch, Detail: trace.Summary,
	})
	node := build.Node("n1")
	node.Spec.Unschedulable = true
	s.Apply(cluster.Event{Object: node})
	s.Apply(cluster.Event{Object: group})
	for _, p := range pods {
		s.Apply(cluster.Event{Object: p})
	}
	for range 2 {
		if _, _, ok := s.Schedule(); !ok {
			t.Fatal("nothing is ready")
		}
	}
	look := func() places {
		at := places{}
		for _, p := range pods {
			_, where, _ := s.Queue().Find(cluster.Key(p))
			at[p.Name] = string(where)
		}
		return at
	}
	before = look()
	node = node.DeepCopy()
	node.Spec.Unschedulable = false
	s.Apply(cluster.Event{Action: cluster.Update, Object: node})
	return before, look()
}

// TestUncordoningANodeMovesASinglePodAndNoGroup: a pod that was rejected waits for an event; a group never does. It is
// in backoffQ at once, which no event takes it out of.
func TestUncordoningANodeMovesASinglePodAndNoGroup(t *testing.T) {
	if err := groups.Gates(gates); err != nil {
		t.Fatal(err)
	}
	train := "train"
	group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: train, UID: "train"}}
	group.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: 2}
	var pods []*corev1.Pod
	for k, name := range []string{"t0", "t1", "single"} {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns", Name: name, UID: types.UID(name),
			CreationTimestamp: metav1.NewTime(groups.Epoch.Add(time.Duration(k) * time.Second)),
		}}
		p.Spec.SchedulerName = corev1.DefaultSchedulerName
		if name != "single" {
			p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &train}
		}
		pods = append(pods, p)
	}
	theirsBefore, theirsAfter := cordonTheirs(t, pods, group)
	oursBefore, oursAfter := cordonOurs(t, pods, group)
	for _, name := range []string{"t0", "t1", "single"} {
		theirs := []string{theirsBefore[name], theirsAfter[name]}
		ours := []string{oursBefore[name], oursAfter[name]}
		if !slices.Equal(theirs, ours) {
			t.Errorf("%s: kube-scheduler %v, schedstep %v", name, theirs, ours)
		}
	}
	want := []string{"backoffQ", "backoffQ", "unschedulable", "backoffQ"}
	got := []string{theirsBefore["t0"], theirsAfter["t0"], theirsBefore["single"], theirsAfter["single"]}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
