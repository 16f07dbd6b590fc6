package host

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/replay/play/compare"
	"github.com/schedstep/schedstep/replay/source"
)

// crowd rejects pods while there are fewer pods than three, has the pods named wait-... wait at Permit, and reports at
// PostFilter how many wait.
type crowd struct{ handle fwk.Handle }

func (*crowd) Name() string { return "Crowd" }

func (c *crowd) Filter(_ context.Context, _ fwk.CycleState, _ *corev1.Pod, _ fwk.NodeInfo) *fwk.Status {
	pods, err := c.handle.SharedInformerFactory().Core().V1().Pods().Lister().List(labels.Everything())
	if err != nil || len(pods) < 3 {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, fmt.Sprintf("there are %d pods", len(pods)))
	}
	return nil
}

func (c *crowd) PostFilter(
	context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeToStatusReader,
) (*fwk.PostFilterResult, *fwk.Status) {
	waiting := 0
	c.handle.IterateOverWaitingPods(func(fwk.WaitingPod) { waiting++ })
	return nil, fwk.NewStatus(fwk.Unschedulable, fmt.Sprintf("%d pods wait", waiting))
}

func (*crowd) Permit(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, _ string) (*fwk.Status, time.Duration) {
	if strings.HasPrefix(pod.Name, "wait") {
		return fwk.NewStatus(fwk.Wait), 10 * time.Second
	}
	return nil, 0
}

// crowded is a history of a cluster with two nodes, a second apart, in which the pod has a message in the end.
func crowded(t *testing.T, message string, pods ...string) *compare.Report {
	t.Helper()
	plugin := Plugin("Crowd", func(_ context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
		h.SharedInformerFactory().Core().V1().Pods().Informer()
		return &crowd{h}, nil
	})
	c, err := config.LoadWith([]byte(`{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration,
  profiles: [{plugins: {multiPoint: {enabled: [{name: Crowd}]}}}]}`), "crowd", config.Options{
		Plugins: []config.Plugin{plugin},
	})
	if err != nil {
		t.Fatal(err)
	}
	h := compare.NewHindsight(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: oddStart,
	})
	at := oddStart
	see := func(action cluster.Action, o cluster.Object) {
		at = at.Add(time.Second)
		h.See(source.Timed{At: at, Event: cluster.Event{Action: action, Object: o}})
	}
	script := oddScript(4)
	see(cluster.Add, script[0].Event.Object)
	see(cluster.Add, script[1].Event.Object)
	pod := script[2].Event.Object.(*corev1.Pod)
	named := func(name string) *corev1.Pod {
		p := pod.DeepCopy()
		p.Name, p.UID = name, types.UID("uid-of-"+name)
		return p
	}
	for _, name := range pods {
		see(cluster.Add, named(name))
	}
	last := named(pods[0])
	last.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: message,
	}}
	see(cluster.Update, last)
	return h.Report()
}

// TestAShadowKnowsWhatOnlyPluginsOfOthersLookAt compares messages about a pod with what the plugin decides here.
func TestAShadowKnowsWhatOnlyPluginsOfOthersLookAt(t *testing.T) {
	none := "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
	for _, c := range []struct {
		what, message string
		pods          []string
		want          compare.Verdict
	}{
		{
			"the same", "0/2 nodes are available: 2 there are 2 pods. " + none + ", 0 pods wait",
			[]string{"a", "b"},
			compare.Agreed,
		},
		{
			"before another pod without a node came", "0/2 nodes are available: 2 there are 1 pods. " + none + ", 0 pods wait",
			[]string{"a", "b"},
			compare.Explained,
		},
		{
			"another number of pods that wait", "0/2 nodes are available: 2 there are 2 pods. " + none + ", 7 pods wait",
			[]string{"a", "b"},
			compare.Explained,
		},
		{"another reason", "0/2 nodes are available: 2 it rains. " + none, []string{"a", "b"}, compare.Different},
		{
			"a wait that was too long", "0/1 nodes are available: 1 rejected due to timeout after waiting 10s at plugin Crowd.",
			[]string{"wait", "b", "c"},
			compare.Agreed,
		},
		{
			"a wait that a plugin ended", "0/1 nodes are available: 1 the others went home.",
			[]string{"wait", "b", "c"},
			compare.Explained,
		},
		{"no wait", "0/2 nodes are available: 2 Insufficient cpu.", []string{"wait", "b", "c"}, compare.Different},
	} {
		report := crowded(t, c.message, c.pods...)
		got := map[compare.Verdict]int{
			compare.Agreed: report.Messages.Agreed, compare.Explained: report.Messages.Explained,
			compare.Different: report.Messages.Different,
		}
		if got[c.want] != 1 || report.Messages.Total() != 1 {
			t.Errorf("%s: %+v, want %s; %+v", c.what, report.Messages, c.want, report.Decisions)
		}
	}
}
