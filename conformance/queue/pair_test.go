package queue_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"pgregory.net/rapid"

	theirs "github.com/schedstep/schedstep/conformance/queue"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
)

// pair is both queues in the same cluster at the same time.
type pair struct {
	*rapid.T
	theirs *theirs.Theirs
	ours   *queue.Queue
	known  *cluster.State
	now    time.Time

	flying  []*queue.Item
	version int
}

func newPair(ctx context.Context, t *rapid.T) *pair {
	phase := time.Duration(rapid.IntRange(0, 1999).Draw(t, "phase")) * time.Millisecond
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).Add(phase)
	return &pair{
		T: t, known: cluster.NewState(), now: start,
		theirs: theirs.NewTheirs(ctx, start, profile, theirHints(), theirGates()),
		ours:   queue.New(ourRules(), start),
	}
}

func (p *pair) at() queue.Moment { return queue.Moment{Now: p.now, Known: p.known} }

func podNames() []string { return []string{"a", "b", "c", "d", "e", "f"} }

// existing draws a pod of the cluster; it may draw one that does not exist.
func (p *pair) existing() (*cluster.Pod, bool) {
	return p.known.Pod("ns/" + rapid.SampledFrom(podNames()).Draw(p.T, "pod"))
}

func (p *pair) set() {
	name := rapid.SampledFrom(podNames()).Draw(p.T, "pod")
	old, exists := p.known.Pod("ns/" + name)
	p.version++
	api := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, ResourceVersion: fmt.Sprint(p.version)}}
	api.Spec.SchedulerName = profile
	if exists {
		api.UID, api.Spec.Priority = old.API.UID, old.API.Spec.Priority
	} else {
		priority := rapid.Int32Range(0, 2).Draw(p.T, "priority")
		api.UID, api.Spec.Priority = types.UID(fmt.Sprintf("%s-%d", name, p.version)), &priority
	}
	switch rapid.IntRange(0, 8).Draw(p.T, "shape") {
	case 0:
		api.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "g"}}
	case 1:
		api.Annotations = map[string]string{"held": "yes"}
	case 2:
		api.Labels = map[string]string{"v": fmt.Sprint(p.version % 3)}
	case 3:
		api.Status.NominatedNodeName = rapid.SampledFrom([]string{"n", "m"}).Draw(p.T, "nominated")
	case 4:
		api.Spec.Tolerations = []corev1.Toleration{{Key: "t"}}
	case 5:
		// The queue gets only pods that were ours when they came. Of one that a gate holds back theirs panics.
		if item, _, queued := p.ours.Find("ns/" + name); exists && queued && item.Gate == "" {
			api.Spec.SchedulerName = "another"
		}
	}
	if err := p.theirs.See(api); err != nil {
		p.Fatal(err)
	}
	c := p.known.Apply(cluster.Event{Action: cluster.Update, Object: api})[0]
	if exists {
		p.theirs.Update(context.Background(), old.API, api)
		p.ours.Update(c.OldPod, c.NewPod, &c, p.at())
		return
	}
	p.theirs.Add(context.Background(), api)
	p.ours.Add(c.NewPod, p.at())
}

func (p *pair) remove(pod *cluster.Pod) {
	if err := p.theirs.Forget(pod.API); err != nil {
		p.Fatal(err)
	}
	p.known.Apply(cluster.Event{Action: cluster.Delete, Object: pod.API})
	p.theirs.Delete(klog.Background(), pod.API)
	p.ours.Delete(pod, "deleted", p.at())
}

func (p *pair) pop() {
	item, _, ok := p.ours.Pop(p.now)
	if !ok {
		return // theirs would block
	}
	info, err := p.theirs.Take()
	if err != nil || info.Pod.UID != item.Pod.API.UID {
		p.Fatalf("we popped %s and they %v, %v", item.Pod.UID(), info, err)
	}
	p.flying = append(p.flying, item)
}

// land draws one that was popped.
func (p *pair) land() *queue.Item {
	if len(p.flying) == 0 {
		return nil
	}
	n := rapid.IntRange(0, len(p.flying)-1).Draw(p.T, "flight")
	item := p.flying[n]
	p.flying = slices.Delete(p.flying, n, n+1)
	return item
}

func (p *pair) park(item *queue.Item) {
	var because queue.Rejection
	for _, plugin := range rejectors() {
		switch rapid.IntRange(0, 11).Draw(p.T, plugin) {
		case 10:
			because.Plugins = append(because.Plugins, plugin)
		case 11:
			because.Pending = append(because.Pending, plugin)
		}
	}
	// An error is their refusal to queue what is queued already, which ours must share; compare sees it.
	_ = p.theirs.Return(item.Pod.API.UID, because.Plugins, because.Pending)
	p.ours.Park(item, because, p.at())
}

// bind ends a flight before the pod is bound, and then the binding succeeds or fails.
func (p *pair) bind(item *queue.Item) {
	p.theirs.Done(item.Pod.API.UID)
	p.ours.Done(item.Pod.UID())
	if rapid.Bool().Draw(p.T, "binding fails") {
		p.park(item)
		return
	}
	if pod, ok := p.known.Pod(item.Key()); ok && pod.UID() == item.Pod.UID() {
		p.remove(pod)
	}
}

func (p *pair) wake() {
	type event struct {
		resource string
		theirs   fwk.ActionType
		ours     cluster.ActionType
	}
	e := rapid.SampledFrom([]event{
		{"Node", fwk.Add, cluster.Added},
		{"Node", fwk.Delete, cluster.Deleted},
		{"Node", fwk.UpdateNodeTaint, cluster.UpdateNodeTaint},
		{"Node", fwk.UpdateNodeAllocatable, cluster.UpdateNodeAllocatable},
		{"Node", fwk.UpdateNodeCondition, cluster.UpdateNodeCondition},
		{"AssignedPod", fwk.Add, cluster.Added},
		{"AssignedPod", fwk.Delete, cluster.Deleted},
		{"AssignedPod", fwk.UpdatePodLabel, cluster.UpdatePodLabel},
		{"storage.k8s.io/VolumeAttachment", fwk.Delete, cluster.Deleted},
		{"resource.k8s.io/ResourceSlice", fwk.Add, cluster.Added},
		{"storage.k8s.io/CSINode", fwk.Update, cluster.Updated},
		{"*", fwk.All, cluster.AnyAction},
	}).Draw(p.T, "event")
	var object interface{}
	var change *cluster.Change
	if name := rapid.SampledFrom([]string{"big", "small", ""}).Draw(p.T, "object"); name != "" && e.resource != "*" {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
		object, change = node, &cluster.Change{
			Kind: cluster.KindNode, Action: cluster.Update, NewNode: cluster.NewNode(node), New: node,
		}
	}
	most := rapid.Int32Range(0, 2).Draw(p.T, "highest priority")
	p.theirs.MoveAllToActiveOrBackoffQueue(klog.Background(),
		fwk.ClusterEvent{Resource: fwk.EventResource(e.resource), ActionType: e.theirs}, nil, object,
		func(pod *corev1.Pod) bool { return *pod.Spec.Priority <= most })
	p.ours.Wake(queue.Ask{
		Event: cluster.ClusterEvent{Resource: cluster.Resource(e.resource), Action: e.ours}, Change: change,
		Only: func(i *queue.Item) bool { return i.Pod.Priority <= most },
	}, p.at())
}

func (p *pair) nominate(pod *cluster.Pod) {
	node := rapid.SampledFrom([]string{"", "n", "m"}).Draw(p.T, "node")
	info, err := framework.NewPodInfo(pod.API)
	if err != nil {
		p.Fatal(err)
	}
	p.theirs.AddNominatedPod(
		klog.Background(), info, &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: node},
	)
	p.ours.Nominate(pod, node, p.known)
}

func (p *pair) activate(pod *cluster.Pod) {
	p.theirs.Activate(klog.Background(), map[string]*corev1.Pod{pod.Key: pod.API})
	p.ours.Activate([]*cluster.Pod{pod}, p.at())
}

func (p *pair) wait(d time.Duration) {
	from := p.now
	p.now = p.now.Add(d)
	p.theirs.Advance(p.now)
	p.ours.Advance(from, p.at())
}

// compare fails unless both queues hold the same pods in the same places with the same history, and keep the same
// nodes for the same pods in the same order.
func (p *pair) compare() {
	if diff := cmp.Diff(p.theirPortrait(), p.ourPortrait()); diff != "" {
		p.Fatalf("at %s (-theirs +ours):\n%s", p.now, diff)
	}
	if err := p.ours.Check(); err != nil {
		p.Fatal(err)
	}
}

func (p *pair) theirPortrait() []string {
	list := func(name string, pods []*corev1.Pod) string {
		var s []string
		for _, pod := range pods {
			s = append(s, string(pod.UID)+" v"+pod.ResourceVersion)
		}
		slices.Sort(s)
		return name + ": " + strings.Join(s, ", ")
	}
	portrait := []string{
		list("active", p.theirs.PodsInActiveQ()), list("backoff", p.theirs.PodsInBackoffQ()),
		list("parked", p.theirs.UnschedulablePods()), list("in flight", p.theirs.InFlightPods()),
	}
	for _, name := range podNames() {
		i, ok := p.theirs.GetPod(name, "ns", nil)
		if !ok {
			continue
		}
		first := time.Time{}
		if i.InitialAttemptTimestamp != nil {
			first = *i.InitialAttemptTimestamp
		}
		portrait = append(portrait, history(name, i.Timestamp, first, i.FlushTimestamp, i.Attempts,
			i.UnschedulableCount, i.ConsecutiveErrorsCount,
			sets.List(i.UnschedulablePlugins), sets.List(i.PendingPlugins), i.GatingPlugin))
	}
	for _, node := range []string{"n", "m"} {
		s := "nominated on " + node + ":"
		for _, i := range p.theirs.NominatedPodsForNode(node) {
			s += " " + string(i.GetPod().UID)
		}
		portrait = append(portrait, s)
	}
	return portrait
}

func (p *pair) ourPortrait() []string {
	list := func(name string, views ...func(func(*queue.Item) bool)) string {
		var s []string
		for _, view := range views {
			for i := range view {
				s = append(s, i.Pod.UID()+" v"+i.Pod.API.ResourceVersion)
			}
		}
		slices.Sort(s)
		return name + ": " + strings.Join(s, ", ")
	}
	portrait := []string{
		list("active", p.ours.Active()), list("backoff", p.ours.Backoff()),
		list("parked", p.ours.Unschedulable(), p.ours.Gated()), list("in flight", p.ours.InFlight()),
	}
	for _, name := range podNames() {
		if i, in, ok := p.ours.Find("ns/" + name); ok && in != queue.InFlight {
			portrait = append(portrait, history(
				name, i.Since, i.FirstAttempt, i.Flushed, i.Attempts, i.UnschedulableCount, i.ErrorCount, i.Rejectors,
				i.Pending, i.Gate,
			))
		}
	}
	for _, node := range []string{"n", "m"} {
		s := "nominated on " + node + ":"
		for _, pod := range p.ours.Nominated(node) {
			s += " " + pod.UID()
		}
		portrait = append(portrait, s)
	}
	return portrait
}

func history(
	name string, since, first, flushed time.Time, attempts, rejections, failures int, rejectors, pending []string,
	gate string,
) string {
	return fmt.Sprintf("%s since %s first %s flushed %s attempts %d rejections %d errors %d by %v pending %v gate %q",
		name, since, first, flushed, attempts, rejections, failures, rejectors, pending, gate)
}
