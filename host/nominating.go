package host

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

// NominatedPodsForNode lists the pods that a node is kept for, with what plugins changed of that in this step.
func (h *handle) NominatedPodsForNode(node string) []fwk.PodInfo {
	pods := heard(h.of, "nominated", func() []*cluster.Pod {
		pods := slices.Clone(h.of.groups.around.Nominated(node))
		for _, act := range h.of.undone() {
			n, is := act.(framework.NominatePod)
			if !is {
				continue
			}
			pods = slices.DeleteFunc(pods, func(p *cluster.Pod) bool { return p.UID() == n.UID })
			if n.Node == node {
				pods = append(pods, h.of.podsOf([]string{n.Pod})...)
			}
		}
		return pods
	})
	list := make([]fwk.PodInfo, 0, len(pods))
	for _, p := range pods {
		list = append(list, podInfo(identified(p.API)))
	}
	return list
}

// undone is what plugins did in this step that the scheduler carries out when the step is over. It is called while the
// scheduler is heard.
func (i *instance) undone() []framework.Act {
	r, is := i.source.(recorder)
	if !is {
		return nil
	}
	return slices.Concat(r.home.acts, i.acts)
}

// AddNominatedPod keeps a node for a pod.
func (h *handle) AddNominatedPod(_ klog.Logger, pod fwk.PodInfo, info *fwk.NominatingInfo) {
	node := pod.GetPod().Status.NominatedNodeName
	if info.Mode() == fwk.ModeOverride {
		node = info.NominatedNodeName
	}
	h.nominate(pod.GetPod(), node)
}

// DeleteNominatedPodIfExists keeps no node for a pod any more.
func (h *handle) DeleteNominatedPodIfExists(pod *corev1.Pod) { h.nominate(pod, "") }

// UpdateNominatedPod takes over what an update of a pod has. Where neither version names a node, the nomination stays.
func (h *handle) UpdateNominatedPod(_ klog.Logger, old *corev1.Pod, updated fwk.PodInfo) {
	pod := updated.GetPod()
	if old.UID == pod.UID && old.Status.NominatedNodeName == "" && pod.Status.NominatedNodeName == "" {
		return
	}
	if old.UID != pod.UID {
		h.nominate(old, "")
	}
	h.nominate(pod, pod.Status.NominatedNodeName)
}

// nominate keeps a node for a pod when the step is over. That of the pod of the cycle itself is lost: the result of the
// cycle takes its place, as in kube-scheduler.
func (h *handle) nominate(pod *corev1.Pod, node string) {
	key, uid := cluster.Key(pod), cluster.UID(pod)
	if own := h.of.pod; own != nil && own.UID() == uid {
		return
	}
	h.of.act(framework.NominatePod{Pod: key, UID: uid, Node: node})
}
