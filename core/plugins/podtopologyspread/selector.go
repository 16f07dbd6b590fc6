package podtopologyspread

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/schedstep/schedstep/core/cluster"
)

// defaultSelector selects the pods that belong together with the pod: by the selectors of all Services that select it,
// and of the ReplicationController, ReplicaSet or StatefulSet that controls it (helper.DefaultSelector, 1.37). It is
// empty for a pod that belongs to none.
func defaultSelector(pod *cluster.Pod, objects *cluster.Objects) labels.Selector {
	merged := objects.ServiceLabels(pod.Namespace(), pod.API.Labels)
	owner := metav1.GetControllerOfNoCopy(pod.API)
	if owner == nil {
		return merged.AsSelector()
	}
	version, err := schema.ParseGroupVersion(owner.APIVersion)
	if err != nil {
		return merged.AsSelector()
	}
	key := pod.Namespace() + "/" + owner.Name
	switch version.WithKind(owner.Kind) {
	case corev1.SchemeGroupVersion.WithKind("ReplicationController"):
		if c, ok := objects.ReplicationControllers.Find(key); ok {
			merged = labels.Merge(merged, c.Spec.Selector)
		}
	case appsv1.SchemeGroupVersion.WithKind("ReplicaSet"):
		if c, ok := objects.ReplicaSets.Find(key); ok {
			return narrowed(merged.AsSelector(), c.Spec.Selector)
		}
	case appsv1.SchemeGroupVersion.WithKind("StatefulSet"):
		if c, ok := objects.StatefulSets.Find(key); ok {
			return narrowed(merged.AsSelector(), c.Spec.Selector)
		}
	}
	return merged.AsSelector()
}

// narrowed adds a controller's selector; one that cannot be parsed or selects nothing adds nothing.
func narrowed(selector labels.Selector, by *metav1.LabelSelector) labels.Selector {
	other, err := metav1.LabelSelectorAsSelector(by)
	if err != nil {
		return selector
	}
	if requirements, selectable := other.Requirements(); selectable {
		return selector.Add(requirements...)
	}
	return selector
}
