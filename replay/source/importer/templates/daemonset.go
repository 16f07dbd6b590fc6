package templates

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// onEveryNode makes one pod for each node that the DaemonSet controller would choose and that has none yet. A pod is
// called after its node, and its required node affinity names the node and nothing else.
func (m *maker) onEveryNode(w *workload, there []*corev1.Pod) []*corev1.Pod {
	has := map[string]bool{}
	for _, pod := range there {
		has[NodeOf(pod)] = true
	}
	nodes := slices.Clone(m.nodes)
	slices.SortStableFunc(nodes, func(a, b *corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	var pods []*corev1.Pod
	revision := map[string]string{appsv1.ControllerRevisionHashLabelKey: hashOf(w.template)}
	for _, node := range nodes {
		pod := w.pod(fmt.Sprintf("%s-%s", w.name, node.Name), w.owner(), revision)
		tolerateOnDaemons(&pod.Spec)
		if has[node.Name] || !m.isFree(pod) || !runsOn(pod, node) {
			continue
		}
		pinTo(pod, node.Name)
		pods = append(pods, pod)
	}
	return pods
}

// Daemon completes a pod that was made of a DaemonSet's template, for a node; false: the controller makes none there.
func Daemon(pod *corev1.Pod, node *corev1.Node) bool {
	tolerateOnDaemons(&pod.Spec)
	if !runsOn(pod, node) {
		return false
	}
	pinTo(pod, node.Name)
	return true
}

// tolerateOnDaemons adds the tolerations that the DaemonSet controller writes (1.37).
func tolerateOnDaemons(spec *corev1.PodSpec) {
	add := func(key string, effect corev1.TaintEffect) {
		spec.Tolerations = append(
			spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: effect},
		)
	}
	add(corev1.TaintNodeNotReady, corev1.TaintEffectNoExecute)
	add(corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute)
	add(corev1.TaintNodeDiskPressure, corev1.TaintEffectNoSchedule)
	add(corev1.TaintNodeMemoryPressure, corev1.TaintEffectNoSchedule)
	add(corev1.TaintNodePIDPressure, corev1.TaintEffectNoSchedule)
	add(corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule)
	if spec.HostNetwork {
		add(corev1.TaintNodeNetworkUnavailable, corev1.TaintEffectNoSchedule)
	}
}

// runsOn reports whether the DaemonSet controller makes a pod for a node: its name, its labels and its taints decide,
// and not what is free on it.
func runsOn(pod *corev1.Pod, node *corev1.Node) bool {
	if pod.Spec.NodeName != "" && pod.Spec.NodeName != node.Name {
		return false
	}
	if matches, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); err != nil || !matches {
		return false
	}
	repels := func(t *corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	}
	_, untolerated := corev1helpers.FindMatchingUntoleratedTaint(
		logr.Discard(), node.Spec.Taints, pod.Spec.Tolerations, repels, false,
	)
	return !untolerated
}

// pinTo replaces the required node affinity of a pod by one for the node of that name. What is preferred stays.
func pinTo(pod *corev1.Pod, node string) {
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &corev1.Affinity{}
	}
	if pod.Spec.Affinity.NodeAffinity == nil {
		pod.Spec.Affinity.NodeAffinity = &corev1.NodeAffinity{}
	}
	pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{
			Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node},
		}}}},
	}
}

// NodeOf is the node that a pod of a DaemonSet runs on or is meant for.
func NodeOf(pod *corev1.Pod) string {
	if pod.Spec.NodeName != "" || pod.Spec.Affinity == nil || pod.Spec.Affinity.NodeAffinity == nil {
		return pod.Spec.NodeName
	}
	required := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if required == nil {
		return ""
	}
	for i := range required.NodeSelectorTerms {
		for _, field := range required.NodeSelectorTerms[i].MatchFields {
			if field.Key == metav1.ObjectNameField && len(field.Values) == 1 {
				return field.Values[0]
			}
		}
	}
	return ""
}
