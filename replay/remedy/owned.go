package remedy

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// ofControllers are the labels that controllers write on their pods; no template has them.
var ofControllers = []string{
	appsv1.DefaultDeploymentUniqueLabelKey, appsv1.ControllerRevisionHashLabelKey, appsv1.StatefulSetPodNameLabel,
	appsv1.PodIndexLabel, batchv1.JobNameLabel, batchv1.ControllerUidLabel, batchv1.JobCompletionIndexAnnotation,
	"job-name", "controller-uid",
}

// isKept says whether the controller of a pod keeps a label on it: it writes the label, or selects its pods by it.
// The API server refuses a template without a label of the selector, and a controller replaces a pod that lost one.
func isKept(state *cluster.State, p *cluster.Pod, key string) bool {
	owner := metav1.GetControllerOf(p.API)
	if owner == nil {
		return false
	}
	if slices.Contains(ofControllers, key) {
		return true
	}
	name, known := p.Namespace()+"/"+owner.Name, state.Objects()
	var selector *metav1.LabelSelector
	switch owner.Kind {
	case string(cluster.KindStatefulSet):
		if set, is := known.StatefulSets.Find(name); is {
			selector = set.Spec.Selector
		}
	case string(cluster.KindReplicaSet):
		if set, is := known.ReplicaSets.Find(name); is {
			selector = set.Spec.Selector
		}
	}
	if selector == nil {
		return false
	}
	_, matched := selector.MatchLabels[key]
	return matched || slices.ContainsFunc(selector.MatchExpressions, func(r metav1.LabelSelectorRequirement) bool {
		return r.Key == key && r.Operator != metav1.LabelSelectorOpNotIn && r.Operator != metav1.LabelSelectorOpDoesNotExist
	})
}

// isPinned says whether the DaemonSet controller wrote the required node affinity of a pod, which no template has.
func isPinned(p *cluster.Pod) bool {
	owner := metav1.GetControllerOf(p.API)
	return owner != nil && owner.Kind == "DaemonSet"
}
