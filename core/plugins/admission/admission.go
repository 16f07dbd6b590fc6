// Package admission decides which pods kube-scheduler wakes for an event where it has no queueing hints (1.31 and
// earlier): it checks whether the pod would fit the node that came or changed, and whether the pod has an affinity term
// that selects the pod that came. It has no part in a cycle and does not depend on a profile.
package admission

import (
	"slices"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/nodeports"
	"github.com/schedstep/schedstep/core/plugins/noderesources"
	"github.com/schedstep/schedstep/core/plugins/podtopologyspread"
	"github.com/schedstep/schedstep/core/queue"
)

// Checks are the wake-up checks for nodes and pods that come (1.31 and earlier). They leave most pods asleep.
type Checks struct {
	// OnlyAffinityTermsWake concerns, when a pod was added or changed, only the pods whose affinity terms select it,
	// and not those whose topology spread constraints do (1.30 and earlier, internal/queue/scheduling_queue.go,
	// getUnschedulablePodsWithMatchingAffinityTerm).
	OnlyAffinityTermsWake bool
	// NodeEventConcernsAll concerns every pod when a node was added or changed (1.19 and earlier, eventhandlers.go,
	// addNodeToCache).
	NodeEventConcernsAll bool
}

var _ framework.EventScope = Checks{}

// Concerned selects the pods that an event may help: for a node, the pods that fit the node as it is now; for a placed
// pod that came or changed, the pods that its labels may help; for any other event, all pods. A StorageClass that comes
// and does not wait for its first consumer wakes no pod: the result heard is false.
func (h Checks) Concerned(
	e cluster.ClusterEvent, change *cluster.Change, known *cluster.State,
) (only func(*queue.Item) bool, heard bool) {
	if change == nil || change.Action == cluster.Delete {
		return nil, true
	}
	switch change.Kind {
	case cluster.KindNode:
		if h.NodeEventConcernsAll {
			return nil, true
		}
		node, is := known.Node(change.NewNode.Name)
		return func(i *queue.Item) bool { return is && fits(i.Pod, node, known.Objects()) }, true
	case cluster.KindPod:
		if e.Resource == cluster.AssignedPod && (h.OnlyAffinityTermsWake || e.Action != cluster.UpdatePodScaleDown) {
			return h.near(change.NewPod, known), true
		}
	case cluster.KindStorageClass:
		class := change.New.(*storagev1.StorageClass)
		mode := class.VolumeBindingMode
		return nil, change.Action != cluster.Add || mode != nil && *mode == storagev1.VolumeBindingWaitForFirstConsumer
	}
	return nil, true
}

// fits reports whether the pod could go to the node as it is, without preemption. Of the node's taints only those with
// effect NoSchedule count.
func fits(pod *cluster.Pod, node *cluster.Node, objects *cluster.Objects) bool {
	if !noderesources.Fits(pod, node, objects) || !nodeports.Fits(pod, node) {
		return false
	}
	if matches, err := pod.NodeSelection.Match(node.API); err != nil || !matches {
		return false
	}
	return !slices.ContainsFunc(node.Taints, func(t corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule &&
			!corev1helpers.TolerationsTolerateTaint(logr.Discard(), pod.API.Spec.Tolerations, &t, false)
	})
}

// near selects those that require a pod like this one near, and those of its namespace that spreading rejected.
func (h Checks) near(placed *cluster.Pod, known *cluster.State) func(*queue.Item) bool {
	namespace := known.NamespaceLabels(placed.Namespace())
	return func(i *queue.Item) bool {
		if !h.OnlyAffinityTermsWake && i.Pod.Namespace() == placed.Namespace() &&
			slices.Contains(i.Rejectors, podtopologyspread.Name) {
			return true
		}
		return slices.ContainsFunc(i.Pod.RequiredAffinity, func(t cluster.AffinityTerm) bool {
			return t.Matches(placed.Labels, namespace)
		})
	}
}
