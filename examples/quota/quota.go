// Package quota is a scheduler plugin that holds the pods of each namespace to the CPU that a Quota, a custom resource,
// gives it. A pod over the quota may take the place of a less important one of its own namespace. It is written for
// kube-scheduler's framework and for nothing else.
package quota

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// Name is what the plugin is called.
const Name = "TeamQuota"

// Quotas are the resources that the plugin reads: one of the name "cpu" in a namespace.
var Quotas = schema.GroupVersionResource{Group: "quota.example.com", Version: "v1", Resource: "quotas"}

// Quota is the plugin.
type Quota struct {
	handle fwk.Handle
	client dynamic.Interface
}

var (
	_ fwk.PreFilterPlugin     = (*Quota)(nil)
	_ fwk.PreFilterExtensions = (*Quota)(nil)
	_ fwk.FilterPlugin        = (*Quota)(nil)
	_ fwk.PostFilterPlugin    = (*Quota)(nil)
	_ fwk.EnqueueExtensions   = (*Quota)(nil)
)

// New makes the plugin.
func New(_ context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
	client, err := dynamic.NewForConfig(h.KubeConfig())
	if err != nil {
		return nil, err
	}
	return &Quota{handle: h, client: client}, nil
}

// Name is TeamQuota.
func (q *Quota) Name() string { return Name }

// EventsToRegister waits for a pod of the namespace to go, and for a larger Quota.
func (q *Quota) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.AssignedPod, ActionType: fwk.Delete}, QueueingHintFn: sameNamespace},
		{
			Event:          fwk.ClusterEvent{Resource: "quotas.v1.quota.example.com", ActionType: fwk.Add | fwk.Update},
			QueueingHintFn: sameNamespace,
		},
	}, nil
}

func sameNamespace(_ klog.Logger, pod *corev1.Pod, old, new any) (fwk.QueueingHint, error) {
	for _, side := range []any{old, new} {
		if o, is := side.(metav1.Object); is && o.GetNamespace() == pod.Namespace {
			return fwk.Queue, nil
		}
	}
	return fwk.QueueSkip, nil
}

const key fwk.StateKey = Name

// used is what the namespace of a pod uses, in thousandths of a CPU.
type used struct {
	wants, uses, most int64
}

// Clone is a copy.
func (u *used) Clone() fwk.StateData {
	c := *u
	return &c
}

func (u *used) over() bool { return u.uses+u.wants > u.most }

// PreFilter counts what the namespace uses. It lets a pod pass that is over the quota, for Filter to reject it on every
// node: preemption runs Filter again.
func (q *Quota) PreFilter(
	ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo,
) (*fwk.PreFilterResult, *fwk.Status) {
	most, err := q.of(ctx, pod.Namespace)
	if apierrors.IsNotFound(err) {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	u := &used{wants: cpu(pod), most: most}
	for _, node := range nodes {
		for _, p := range node.GetPods() {
			if p.GetPod().Namespace == pod.Namespace {
				u.uses += cpu(p.GetPod())
			}
		}
	}
	if u.wants > u.most {
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
			fmt.Sprintf("pod requests %dm of a quota of %dm", u.wants, u.most))
	}
	state.Write(key, u)
	return nil, nil
}

// of is the CPU of the Quota of a namespace, in thousandths.
func (q *Quota) of(ctx context.Context, namespace string) (int64, error) {
	object, err := q.client.Resource(Quotas).Namespace(namespace).Get(ctx, "cpu", metav1.GetOptions{})
	if err != nil {
		return 0, err
	}
	text, _, err := unstructured.NestedString(object.Object, "spec", "cpu")
	if err != nil {
		return 0, err
	}
	amount, err := resource.ParseQuantity(text)
	if err != nil {
		return 0, fmt.Errorf("quota %s/cpu: spec.cpu %q: %w", namespace, text, err)
	}
	return amount.MilliValue(), nil
}

// cpu is what a pod requests, in thousandths of a CPU.
func cpu(pod *corev1.Pod) int64 {
	var sum int64
	for _, c := range pod.Spec.Containers {
		sum += c.Resources.Requests.Cpu().MilliValue()
	}
	return sum
}

// PreFilterExtensions is the plugin itself.
func (q *Quota) PreFilterExtensions() fwk.PreFilterExtensions { return q }

// AddPod counts a pod that is put on a node.
func (q *Quota) AddPod(
	_ context.Context, state fwk.CycleState, pod *corev1.Pod, added fwk.PodInfo, _ fwk.NodeInfo,
) *fwk.Status {
	return q.change(state, pod, added, 1)
}

// RemovePod no longer counts a pod that is taken off its node.
func (q *Quota) RemovePod(
	_ context.Context, state fwk.CycleState, pod *corev1.Pod, removed fwk.PodInfo, _ fwk.NodeInfo,
) *fwk.Status {
	return q.change(state, pod, removed, -1)
}

func (q *Quota) change(state fwk.CycleState, pod *corev1.Pod, other fwk.PodInfo, sign int64) *fwk.Status {
	u, status := read(state)
	if status == nil && u != nil && other.GetPod().Namespace == pod.Namespace {
		u.uses += sign * cpu(other.GetPod())
	}
	return status
}

func read(state fwk.CycleState) (*used, *fwk.Status) {
	data, err := state.Read(key)
	if errors.Is(err, fwk.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	return data.(*used), nil
}

// Filter rejects every node when the namespace would be over its quota.
func (q *Quota) Filter(_ context.Context, state fwk.CycleState, pod *corev1.Pod, _ fwk.NodeInfo) *fwk.Status {
	u, status := read(state)
	if status != nil || u == nil || !u.over() {
		return status
	}
	return fwk.NewStatus(fwk.Unschedulable, fmt.Sprintf("namespace %s uses %dm of its quota of %dm", pod.Namespace,
		u.uses, u.most))
}

// PostFilter evicts the least important pod of the namespace, where that makes room in the quota and on a node.
func (q *Quota) PostFilter(
	ctx context.Context, state fwk.CycleState, pod *corev1.Pod, _ fwk.NodeToStatusReader,
) (*fwk.PostFilterResult, *fwk.Status) {
	u, status := read(state)
	if status != nil || u == nil || !u.over() {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	nodes, err := q.handle.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	var victim *corev1.Pod
	var node fwk.NodeInfo
	for _, n := range nodes {
		for _, p := range n.GetPods() {
			if candidate := p.GetPod(); candidate.Namespace == pod.Namespace && priority(candidate) < priority(pod) &&
				u.uses-cpu(candidate)+u.wants <= u.most && (victim == nil || priority(candidate) < priority(victim)) {
				victim, node = candidate, n
			}
		}
	}
	if victim == nil {
		return nil, fwk.NewStatus(fwk.Unschedulable, "no less important pod of the namespace makes room in its quota")
	}
	without, with := node.Snapshot(), state.Clone()
	if err := without.RemovePod(klog.FromContext(ctx), victim); err != nil {
		return nil, fwk.AsStatus(err)
	}
	if w, _ := read(with); w != nil {
		w.uses -= cpu(victim)
	}
	if status := q.handle.RunFilterPluginsWithNominatedPods(ctx, with, pod, without); !status.IsSuccess() {
		return nil, fwk.NewStatus(fwk.Unschedulable, "pod "+victim.Name+" is less important, and its node would not fit")
	}
	if err := q.evict(ctx, victim); err != nil {
		return nil, fwk.AsStatus(err)
	}
	return &fwk.PostFilterResult{NominatingInfo: &fwk.NominatingInfo{
		NominatedNodeName: node.Node().Name, NominatingMode: fwk.ModeOverride,
	}}, nil
}

// evict deletes a pod.
func (q *Quota) evict(ctx context.Context, victim *corev1.Pod) error {
	err := q.handle.ClientSet().CoreV1().Pods(victim.Namespace).Delete(ctx, victim.Name, metav1.DeleteOptions{})
	if err != nil {
		return fmt.Errorf("evicting %s/%s: %w", victim.Namespace, victim.Name, err)
	}
	return nil
}

func priority(p *corev1.Pod) int32 {
	if p.Spec.Priority == nil {
		return 0
	}
	return *p.Spec.Priority
}
