package plan

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/owner"
)

// NewNode is what a new node has otherwise than the one that it is made like.
type NewNode struct {
	Release string              // of its kubelet, such as 1.37.1
	Labels  map[string]string   // a value "" takes the label off
	Size    corev1.ResourceList // what it has of resources
	Like    *corev1.Node        // it is made like this one; nil: like the one that it replaces
}

// nodeLike is a node of the same kind as another one: what belongs to the machine, and what is on it only for a time,
// it has not.
func nodeLike(old *corev1.Node, name string, of NewNode) *corev1.Node {
	n := old.DeepCopy()
	n.Name, n.UID, n.ResourceVersion = name, types.UID("new-"+name), ""
	n.OwnerReferences, n.DeletionTimestamp = nil, nil
	n.Labels = maps.Clone(old.Labels)
	if n.Labels == nil {
		n.Labels = map[string]string{}
	}
	n.Labels[corev1.LabelHostname] = name
	for _, key := range slices.Sorted(maps.Keys(of.Labels)) {
		if n.Labels[key] = of.Labels[key]; of.Labels[key] == "" {
			delete(n.Labels, key)
		}
	}
	n.Spec.ProviderID, n.Spec.Unschedulable = "", false
	n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool {
		return isCordon(&t) || owner.OfTaint(t.Key) != owner.User
	})
	n.Status.Images, n.Status.VolumesInUse, n.Status.VolumesAttached = nil, nil, nil
	for i := range n.Status.Conditions {
		c := &n.Status.Conditions[i]
		if c.Status = corev1.ConditionFalse; c.Type == corev1.NodeReady {
			c.Status = corev1.ConditionTrue
		}
	}
	if of.Release != "" {
		n.Status.NodeInfo.KubeletVersion = "v" + strings.TrimPrefix(of.Release, "v")
	}
	for name, amount := range of.Size {
		for _, list := range []*corev1.ResourceList{&n.Status.Allocatable, &n.Status.Capacity} {
			if *list == nil {
				*list = corev1.ResourceList{}
			}
			(*list)[name] = amount
		}
	}
	return n
}

func isCordon(t *corev1.Taint) bool { return t.Key == corev1.TaintNodeUnschedulable }

// join adds a node like another one to a run, with the drivers of that one.
func (r *run) join(old *corev1.Node, n *corev1.Node) {
	if drivers, is := r.state().Objects().CSINodes.Find(old.Name); is {
		own := &storagev1.CSINode{TypeMeta: drivers.TypeMeta, Spec: *drivers.Spec.DeepCopy()}
		own.Name, own.UID = n.Name, n.UID
		for i := range own.Spec.Drivers {
			own.Spec.Drivers[i].NodeID = n.Name
		}
		r.see(r.p.Deliver(cluster.Event{Action: cluster.Add, Object: own}))
	}
	r.see(r.p.Deliver(cluster.Event{Action: cluster.Add, Object: n}))
}
