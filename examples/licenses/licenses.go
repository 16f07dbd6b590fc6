// Package licenses is a scheduler plugin for pods that need a license of their node. A node has as many as its
// annotation gives; the plugin keeps a ledger of which pod holds which number, and writes the number to the pod before
// it is bound. It is written for kube-scheduler's framework and for nothing else.
package licenses

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// What the plugin is called, and what it reads and writes.
const (
	Name       = "Licenses"
	WantLabel  = "licenses.example.com/want"   // of a pod: "true"
	Annotation = "licenses.example.com/count"  // of a node: how many it has
	Number     = "licenses.example.com/number" // of a pod: the one that it holds
)

// Licenses is the plugin.
type Licenses struct {
	handle fwk.Handle

	mu     sync.Mutex
	ledger map[string]map[int]types.UID // by node and number: the pod that holds it
}

var (
	_ fwk.FilterPlugin      = (*Licenses)(nil)
	_ fwk.ReservePlugin     = (*Licenses)(nil)
	_ fwk.PreBindPlugin     = (*Licenses)(nil)
	_ fwk.EnqueueExtensions = (*Licenses)(nil)
)

// New makes the plugin, which learns from the pods on nodes what is held.
func New(_ context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
	l := &Licenses{handle: h, ledger: map[string]map[int]types.UID{}}
	_, err := h.SharedInformerFactory().Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { l.see(o) },
		UpdateFunc: func(_, o any) { l.see(o) },
		DeleteFunc: func(o any) {
			if gone, is := o.(cache.DeletedFinalStateUnknown); is {
				o = gone.Obj
			}
			if pod, is := o.(*corev1.Pod); is {
				l.release(pod.Spec.NodeName, pod.UID)
			}
		},
	})
	return l, err
}

// see notes the number of a pod on a node.
func (l *Licenses) see(o any) {
	pod, is := o.(*corev1.Pod)
	if !is || pod.Spec.NodeName == "" {
		return
	}
	if n, err := strconv.Atoi(pod.Annotations[Number]); err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.take(pod.Spec.NodeName, n, pod.UID)
	}
}

func (l *Licenses) take(node string, number int, pod types.UID) {
	if l.ledger[node] == nil {
		l.ledger[node] = map[int]types.UID{}
	}
	l.ledger[node][number] = pod
}

func (l *Licenses) release(node string, pod types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for number, holder := range l.ledger[node] {
		if holder == pod {
			delete(l.ledger[node], number)
		}
	}
}

// Name is Licenses.
func (l *Licenses) Name() string { return Name }

// EventsToRegister waits for a pod to give its license back, and for a node to have more.
func (l *Licenses) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.AssignedPod, ActionType: fwk.Delete}, QueueingHintFn: held},
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeAnnotation}},
	}, nil
}

// held wakes a pod when one with a license is gone.
func held(_ klog.Logger, _ *corev1.Pod, old, _ any) (fwk.QueueingHint, error) {
	if pod, is := old.(*corev1.Pod); is && wants(pod) {
		return fwk.Queue, nil
	}
	return fwk.QueueSkip, nil
}

func wants(pod *corev1.Pod) bool { return pod.Labels[WantLabel] == "true" }

// free is the lowest number that is not held on a node; 0: none.
func (l *Licenses) free(node *corev1.Node) int {
	count, _ := strconv.Atoi(node.Annotations[Annotation])
	for n := 1; n <= count; n++ {
		if _, taken := l.ledger[node.Name][n]; !taken {
			return n
		}
	}
	return 0
}

// Filter rejects a node without a free license.
func (l *Licenses) Filter(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, node fwk.NodeInfo) *fwk.Status {
	if !wants(pod) {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free(node.Node()) == 0 {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
			fmt.Sprintf("all %d licenses of the node are held", len(l.ledger[node.Node().Name])))
	}
	return nil
}

// FilterEvidence is what Filter compared when it rejected the node, for programs that show it. kube-scheduler does not
// call it.
func (l *Licenses) FilterEvidence(_ context.Context, _ fwk.CycleState, _ *corev1.Pod, node fwk.NodeInfo) []Compared {
	l.mu.Lock()
	defer l.mu.Unlock()
	count, _ := strconv.Atoi(node.Node().Annotations[Annotation])
	held := len(l.ledger[node.Node().Name])
	return []Compared{{What: "licenses", Want: 1, Have: max(0, count-held), Used: held, Capacity: count}}
}

// Compared is one comparison: what a pod wants against what there is.
type Compared = struct {
	What                       string
	Want, Have, Used, Capacity any
	By                         []string
}

// Reserve takes a license in the ledger.
func (l *Licenses) Reserve(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, name string) *fwk.Status {
	if !wants(pod) {
		return nil
	}
	info, err := l.handle.SnapshotSharedLister().NodeInfos().Get(name)
	if err != nil {
		return fwk.AsStatus(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	number := l.free(info.Node())
	if number == 0 {
		return fwk.NewStatus(fwk.Unschedulable, "the last license was taken meanwhile")
	}
	l.take(name, number, pod.UID)
	return nil
}

// Unreserve gives it back.
func (l *Licenses) Unreserve(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, node string) {
	l.release(node, pod.UID)
}

// PreBindPreFlight has PreBind run for pods with a license.
func (l *Licenses) PreBindPreFlight(
	_ context.Context, _ fwk.CycleState, pod *corev1.Pod, _ string,
) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	if !wants(pod) {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	return nil, nil
}

// PreBind writes the number to the pod.
func (l *Licenses) PreBind(ctx context.Context, _ fwk.CycleState, pod *corev1.Pod, node string) *fwk.Status {
	l.mu.Lock()
	number := 0
	for n, holder := range l.ledger[node] {
		if holder == pod.UID {
			number = n
		}
	}
	l.mu.Unlock()
	if number == 0 {
		return fwk.NewStatus(fwk.Error, "the ledger has no license for the pod")
	}
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, Number, strconv.Itoa(number))
	_, err := l.handle.ClientSet().CoreV1().Pods(pod.Namespace).Patch(
		ctx, pod.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return fwk.AsStatus(err)
	}
	return nil
}
