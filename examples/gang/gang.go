// Package gang is a scheduler plugin for pods that are of use only together: each waits at Permit until the whole gang
// has nodes. It is written for kube-scheduler's framework and for nothing else.
package gang

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// What the plugin is called, and the labels of pods that it reads.
const (
	Name      = "Gang"
	GangLabel = "gang.example.com/name"
	SizeLabel = "gang.example.com/size"
)

// args are the plugin's, from pluginConfig.
type args struct {
	TimeoutSeconds int64 `json:"timeoutSeconds"` // how long a pod waits for the others; 30 by default
}

// Gang is the plugin.
type Gang struct {
	handle  fwk.Handle
	pods    listers.PodLister
	timeout time.Duration

	mu    sync.Mutex
	whole map[string]bool // by namespace and gang: all of its pods were there when it was looked at last
}

var (
	_ fwk.PreFilterPlugin   = (*Gang)(nil)
	_ fwk.PostFilterPlugin  = (*Gang)(nil)
	_ fwk.ReservePlugin     = (*Gang)(nil)
	_ fwk.PermitPlugin      = (*Gang)(nil)
	_ fwk.EnqueueExtensions = (*Gang)(nil)
)

// New makes the plugin.
func New(_ context.Context, raw runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
	a := args{TimeoutSeconds: 30}
	if given, is := raw.(*runtime.Unknown); is {
		if err := json.Unmarshal(given.Raw, &a); err != nil {
			return nil, fmt.Errorf("args of %s: %w", Name, err)
		}
	}
	if a.TimeoutSeconds < 1 {
		return nil, fmt.Errorf("args of %s: timeoutSeconds is %d, and must be 1 or more", Name, a.TimeoutSeconds)
	}
	return &Gang{
		handle: h, pods: h.SharedInformerFactory().Core().V1().Pods().Lister(),
		timeout: time.Duration(a.TimeoutSeconds) * time.Second, whole: map[string]bool{},
	}, nil
}

// Name is Gang.
func (g *Gang) Name() string { return Name }

// EventsToRegister waits for another pod of the gang to come to a node or to leave one, and for room on nodes.
func (g *Gang) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.AssignedPod, ActionType: fwk.Add}, QueueingHintFn: sibling},
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeAllocatable}},
	}, nil
}

// sibling wakes a pod for another one of its gang.
func sibling(_ klog.Logger, pod *corev1.Pod, _, new any) (fwk.QueueingHint, error) {
	other, is := new.(*corev1.Pod)
	if is && other.Namespace == pod.Namespace && other.Labels[GangLabel] == pod.Labels[GangLabel] {
		return fwk.Queue, nil
	}
	return fwk.QueueSkip, nil
}

// PreFilter rejects a pod whose gang has not been created as a whole. The first pod of a gang that has become whole has
// the others tried again: kube-scheduler wakes no pod when another one is created.
func (g *Gang) PreFilter(
	ctx context.Context, _ fwk.CycleState, pod *corev1.Pod, _ []fwk.NodeInfo,
) (*fwk.PreFilterResult, *fwk.Status) {
	gang, size := of(pod)
	if gang == "" {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	members := g.members(pod)
	g.mu.Lock()
	defer g.mu.Unlock()
	key := pod.Namespace + "/" + gang
	before := g.whole[key]
	g.whole[key] = len(members) >= size
	if have := len(members); have < size {
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
			fmt.Sprintf("gang %s has %d of %d pods", gang, have, size))
	}
	if !before {
		others := map[string]*corev1.Pod{}
		for _, p := range members {
			if p.UID != pod.UID && p.Spec.NodeName == "" {
				others[p.Namespace+"/"+p.Name] = p
			}
		}
		g.handle.Activate(klog.FromContext(ctx), others)
	}
	return nil, nil
}

// PreFilterExtensions is nil: pods on nodes are nothing to it.
func (g *Gang) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// PostFilter gives up the gang when one of its pods fits nowhere.
func (g *Gang) PostFilter(
	_ context.Context, _ fwk.CycleState, pod *corev1.Pod, _ fwk.NodeToStatusReader,
) (*fwk.PostFilterResult, *fwk.Status) {
	gang, _ := of(pod)
	if gang == "" {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	rejected := 0
	g.handle.IterateOverWaitingPods(func(w fwk.WaitingPod) {
		if sameGang(pod, w.GetPod()) && w.Reject(Name, fmt.Sprintf("pod %s of gang %s fits nowhere", pod.Name, gang)) {
			rejected++
		}
	})
	return nil, fwk.NewStatus(fwk.Unschedulable, fmt.Sprintf("gang %s gave up %d waiting pods", gang, rejected))
}

// Reserve takes nothing.
func (g *Gang) Reserve(context.Context, fwk.CycleState, *corev1.Pod, string) *fwk.Status { return nil }

// Unreserve gives up the gang when one of its pods is not bound after all: the wait was too long, or it was rejected.
func (g *Gang) Unreserve(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, _ string) {
	gang, _ := of(pod)
	if gang == "" {
		return
	}
	g.handle.IterateOverWaitingPods(func(w fwk.WaitingPod) {
		if sameGang(pod, w.GetPod()) && w.GetPod().UID != pod.UID {
			w.Reject(Name, fmt.Sprintf("pod %s of gang %s is not bound", pod.Name, gang))
		}
	})
}

// Permit lets the gang go with the last of its pods.
func (g *Gang) Permit(
	_ context.Context, _ fwk.CycleState, pod *corev1.Pod, _ string,
) (*fwk.Status, time.Duration) {
	gang, size := of(pod)
	if gang == "" {
		return nil, 0
	}
	placed := 1
	for _, p := range g.members(pod) {
		if p.Spec.NodeName != "" && p.UID != pod.UID {
			placed++
		}
	}
	var waiting []fwk.WaitingPod
	g.handle.IterateOverWaitingPods(func(w fwk.WaitingPod) {
		if sameGang(pod, w.GetPod()) && w.GetPod().UID != pod.UID {
			waiting = append(waiting, w)
		}
	})
	if placed+len(waiting) < size {
		return fwk.NewStatus(fwk.Wait, fmt.Sprintf("gang %s has %d of %d nodes", gang, placed+len(waiting), size)), g.timeout
	}
	for _, w := range waiting {
		w.Allow(Name)
	}
	return nil, 0
}

// members lists the pods of the pod's gang, itself included.
func (g *Gang) members(pod *corev1.Pod) []*corev1.Pod {
	all, err := g.pods.Pods(pod.Namespace).List(labels.SelectorFromSet(labels.Set{GangLabel: pod.Labels[GangLabel]}))
	if err != nil {
		return nil
	}
	return all
}

// of is the gang of a pod and how many pods it has; "": it is in none.
func of(pod *corev1.Pod) (gang string, size int) {
	size, err := strconv.Atoi(pod.Labels[SizeLabel])
	if err != nil || size < 2 {
		return "", 0
	}
	return pod.Labels[GangLabel], size
}

func sameGang(a, b *corev1.Pod) bool {
	return a.Namespace == b.Namespace && a.Labels[GangLabel] == b.Labels[GangLabel]
}
