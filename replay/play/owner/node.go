package owner

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// NodeLike is a new node of the same kind as another one, with other amounts of some resources: what belongs to the
// machine of that one, and what is on it only for a time, it has not. Its UID is left to the caller.
func NodeLike(old *corev1.Node, name string, size corev1.ResourceList) *corev1.Node {
	n := old.DeepCopy()
	n.Name, n.UID, n.ResourceVersion = name, "", ""
	n.OwnerReferences, n.DeletionTimestamp = nil, nil
	if n.Labels == nil {
		n.Labels = map[string]string{}
	}
	n.Labels[corev1.LabelHostname] = name
	n.Spec.ProviderID, n.Spec.Unschedulable = "", false
	n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == corev1.TaintNodeUnschedulable || OfTaint(t.Key) != User
	})
	n.Status.Images, n.Status.VolumesInUse, n.Status.VolumesAttached = nil, nil, nil
	for i := range n.Status.Conditions {
		c := &n.Status.Conditions[i]
		if c.Status = corev1.ConditionFalse; c.Type == corev1.NodeReady {
			c.Status = corev1.ConditionTrue
		}
	}
	for _, list := range []*corev1.ResourceList{&n.Status.Allocatable, &n.Status.Capacity} {
		if *list == nil && len(size) > 0 {
			*list = corev1.ResourceList{}
		}
		for name, amount := range size {
			(*list)[name] = amount
		}
	}
	return n
}
