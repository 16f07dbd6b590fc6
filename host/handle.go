package host

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

// handle is what the plugins of one profile get from their framework.
type handle struct {
	of        *instance
	profile   string
	filters   []filterSeat         // of the profile, in order
	extenders []framework.Extender // of the profile
	plugins   []*plugin            // of the instance and this profile, in the order they were made
	guests    []*guest             // likewise
}

// filterSeat is a plugin of the profile's Filter.
type filterSeat struct {
	name  string
	guest *guest // nil: a plugin that is not hosted
}

var _ fwk.Handle = (*handle)(nil)

func (h *handle) add(g *guest, p *plugin) {
	h.plugins, h.guests = append(h.plugins, p), append(h.guests, g)
}

// lacks notes a call that is not answered here.
func (h *handle) lacks(what string) {
	h.of.notes.add(h.of.guestName(), "", "it called "+what+" of its Handle, which a hosted plugin does not have")
}

// ProfileName is the schedulerName of the profile.
func (h *handle) ProfileName() string { return h.profile }

// SnapshotSharedLister is the snapshot of the cycle.
func (h *handle) SnapshotSharedLister() fwk.SharedLister { return h.of.lister }

// MutableSnapshotSharedLister is the same, which cannot be changed.
func (h *handle) MutableSnapshotSharedLister() fwk.MutableSnapshotSharedLister { return h.of.lister }

// ClientSet is a client of the API server in memory.
func (h *handle) ClientSet() kubernetes.Interface { return h.of.client }

// KubeConfig leads to the API server in memory.
func (h *handle) KubeConfig() *rest.Config { return h.of.config }

// SharedInformerFactory has informers that show the cluster as of the start of a call.
func (h *handle) SharedInformerFactory() informers.SharedInformerFactory { return h.of.factory }

// SharedDRAManager is kube-scheduler's own, over the informers.
func (h *handle) SharedDRAManager() fwk.SharedDRAManager { return h.of.dra }

// SharedCSIManager is kube-scheduler's own, over the informers.
func (h *handle) SharedCSIManager() fwk.CSIManager { return h.of.csi }

// PodGroupManager counts the pods of groups as the scheduler does.
func (h *handle) PodGroupManager() fwk.PodGroupManager { return h.of.groups }

// APIDispatcher is nil, as without SchedulerAsyncAPICalls: plugins use the client.
func (h *handle) APIDispatcher() fwk.APIDispatcher { return nil }

// APICacher is nil, like APIDispatcher.
func (h *handle) APICacher() fwk.APICacher { return nil }

// Parallelizer works through the pieces in their order.
func (h *handle) Parallelizer() fwk.Parallelizer { return inOrder{} }

// EventRecorder records events about pods.
func (h *handle) EventRecorder() events.EventRecorderLogger { return recorderOf{h} }

// Activate moves pods to activeQ once the step is over.
func (h *handle) Activate(_ klog.Logger, pods map[string]*corev1.Pod) { h.of.activate(pods) }

// inOrder is a Parallelizer of one worker, which takes the pieces in their order.
type inOrder struct{}

// Until stops when ctx is done.
func (inOrder) Until(ctx context.Context, pieces int, do workqueue.DoWorkPieceFunc, _ string) {
	for i := range pieces {
		if ctx.Err() != nil {
			return
		}
		do(i)
	}
}

// recorderOf records events.
type recorderOf struct{ h *handle }

// Eventf keeps an event that is about a pod.
func (r recorderOf) Eventf(regarding, _ runtime.Object, kind, reason, _, note string, args ...any) {
	object, is := regarding.(metav1.Object)
	if _, pod := regarding.(*corev1.Pod); !is || !pod {
		return
	}
	key := object.GetNamespace() + "/" + object.GetName()
	pod := heard(r.h.of, "pod", func() *cluster.Pod {
		p, _ := r.h.of.groups.around.State().Pod(key)
		return p
	})
	if pod == nil {
		return
	}
	r.h.of.act(framework.RecordEvent{Pod: pod, Type: kind, Reason: reason, Note: fmt.Sprintf(note, args...)})
}

// WithLogger is the same.
func (r recorderOf) WithLogger(klog.Logger) events.EventRecorderLogger { return r }

// AddPodInPreBind is not answered: the scheduler knows the pods at PreBind itself.
func (h *handle) AddPodInPreBind(types.UID, context.CancelCauseFunc) { h.lacks("AddPodInPreBind") }

// RemovePodInPreBind is not answered.
func (h *handle) RemovePodInPreBind(types.UID) { h.lacks("RemovePodInPreBind") }

// GetPodInPreBind is nil: a victim at PreBind is deleted, and the scheduler ends its PreBind in place of that.
func (h *handle) GetPodInPreBind(types.UID) fwk.PodInPreBind { return nil }

// IterateOverWaitingPods calls f with the pods that wait at Permit, in order of arrival.
func (h *handle) IterateOverWaitingPods(f func(fwk.WaitingPod)) {
	for _, w := range h.of.waitingPods() {
		f(w)
	}
}

// GetWaitingPod is a pod that waits at Permit; nil: it does not.
func (h *handle) GetWaitingPod(uid types.UID) fwk.WaitingPod {
	for _, w := range h.of.waitingPods() {
		if w.pod.UID == uid {
			return w
		}
	}
	return nil
}

// RejectWaitingPod ends a pod's wait at Permit, for no plugin.
func (h *handle) RejectWaitingPod(uid types.UID) bool {
	if w := h.GetWaitingPod(uid); w != nil {
		return w.Reject("", "removed")
	}
	return false
}

// waitingPods are the pods that wait, each the same as when it was handed out first in the call.
func (i *instance) waitingPods() []*waitingPod {
	now := heard(i, "waiting", func() []framework.Waiting { return i.groups.around.Waiting() })
	list := make([]*waitingPod, 0, len(now))
	if i.waiting == nil {
		i.waiting = map[string]*waitingPod{}
	}
	for _, w := range now {
		known := i.waiting[w.Pod.UID()]
		if known == nil {
			known = &waitingPod{of: i, key: w.Pod.Key, pod: identified(w.Pod.API), pending: slices.Clone(w.Plugins)}
			i.waiting[w.Pod.UID()] = known
		}
		list = append(list, known)
	}
	return list
}

// waitingPod is a pod that waits at Permit.
type waitingPod struct {
	of      *instance
	key     string
	pod     *corev1.Pod
	pending []string
	over    bool
}

// GetPod is the pod, on its node.
func (w *waitingPod) GetPod() *corev1.Pod { return w.pod }

// GetPendingPlugins lists the plugins that hold it back.
func (w *waitingPod) GetPendingPlugins() []string { return slices.Clone(w.pending) }

// Allow takes the hold of a plugin off.
func (w *waitingPod) Allow(plugin string) {
	if !slices.Contains(w.pending, plugin) || w.over {
		return
	}
	w.pending = slices.DeleteFunc(w.pending, func(p string) bool { return p == plugin })
	w.over = len(w.pending) == 0
	w.of.act(framework.AllowWaiting{Pod: w.key, Plugin: plugin})
}

// Reject ends the wait against the pod.
func (w *waitingPod) Reject(plugin, message string) bool {
	if w.over {
		return false
	}
	w.over = true
	w.of.act(framework.RejectWaiting{Pod: w.key, Plugin: plugin, Reason: message})
	return true
}

// Preempt takes the pod's place: the scheduler does that to a victim that waits.
func (w *waitingPod) Preempt(string, string) bool {
	if w.over {
		return false
	}
	w.over = true
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	w.of.delete(w.key)
	return true
}

// SignPod is not answered: nil, as of a pod that some plugin does not sign.
func (h *handle) SignPod(context.Context, *corev1.Pod) fwk.PodSignature {
	h.lacks("SignPod")
	return nil
}
