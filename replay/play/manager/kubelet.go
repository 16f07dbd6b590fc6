package manager

import (
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play"
)

// attend is what the kubelet of a node does for its pod later: one that runs gets Ready, one that is deleted stops.
func (m *Manager) attend(action cluster.Action, p *corev1.Pod, by *play.Client) {
	if action == cluster.Delete || p.Spec.NodeName == "" || !m.Attends(p.Spec.NodeName) {
		return
	}
	at := string(p.UID) + "/" + cluster.Key(p)
	switch {
	case p.DeletionTimestamp != nil:
		m.enqueue(by, idOf(wakeStopped, at), m.stopOf(p))
	case p.Status.Phase == corev1.PodRunning && isStarting(p):
		m.enqueue(by, idOf(wakeReady, at), m.readyOf(p))
	}
}

// isStarting reports whether a pod has begun to run here and is not Ready yet. What keeps a pod of the input from being
// Ready has a reason, and stays.
func isStarting(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionFalse && c.Reason == ""
	})
}

// kubelet is what does something, in facts.
const kubelet = "kubelet"

// stopOf is how long a pod takes to stop, at most its grace period.
func (m *Manager) stopOf(p *corev1.Pod) time.Duration {
	stop := time.Duration(m.timing.Times) * m.timing.Stop
	if g := p.DeletionGracePeriodSeconds; g != nil {
		stop = min(stop, time.Duration(*g)*time.Second)
	}
	return stop
}

// readyOf is how long a pod takes to get Ready: as its siblings did, where the input shows it.
func (m *Manager) readyOf(p *corev1.Pod) time.Duration {
	ready := m.timing.Ready
	if took, is := m.took.get(ownerOf(p)); is {
		if d, typed := took.(time.Duration); typed {
			ready = d
		}
	}
	return time.Duration(m.timing.Times) * ready
}

// podAt is the pod that a key of the kubelet names; nil when it is gone or another one has its name.
func podAt(rest string, by *play.Client) *corev1.Pod {
	uid, key, _ := strings.Cut(rest, "/")
	p, live := by.State().Pod(key)
	if !live || string(p.API.UID) != uid {
		return nil
	}
	return p.API
}

func (m *Manager) getReady(rest string, by *play.Client) {
	p := podAt(rest, by)
	if p == nil || p.DeletionTimestamp != nil || !m.Attends(p.Spec.NodeName) {
		return
	}
	by.Note(kubelet, "finds Ready", "Pod "+cluster.Key(p))
	by.UpdatePod(cluster.Key(p), func(p *corev1.Pod) { setReady(p, corev1.ConditionTrue, "", by.Now()) })
}

// setReady sets the condition Ready of a pod.
func setReady(p *corev1.Pod, to corev1.ConditionStatus, reason string, now time.Time) {
	kept := slices.DeleteFunc(slices.Clone(p.Status.Conditions), func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady
	})
	p.Status.Conditions = append(kept, corev1.PodCondition{
		Type: corev1.PodReady, Status: to, Reason: reason, LastTransitionTime: metav1.Time{Time: now},
	})
}

func (m *Manager) getStopped(rest string, by *play.Client) {
	p := podAt(rest, by)
	if p == nil || p.DeletionTimestamp == nil || !m.Attends(p.Spec.NodeName) || isHeld(p) {
		return
	}
	by.Note(kubelet, "has stopped", "Pod "+cluster.Key(p))
	by.Write(cluster.Delete, p)
}

// isHeld reports whether a finalizer keeps a pod that has stopped. That of Jobs does not: their controller takes it off
// when it has counted the pod, which is when the deletion begins, and of pods whose Job is gone too.
func isHeld(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Finalizers, func(f string) bool { return f != batchv1.JobTrackingFinalizer })
}

// Attends reports whether the kubelet of a node is alive.
func (m *Manager) Attends(node string) bool { return !m.silent.has(node) }
