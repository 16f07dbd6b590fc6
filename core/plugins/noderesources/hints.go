package noderesources

import (
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
)

// Hints wait for room: on any node after a pod left or shrank, on a node that came or grew, through a DeviceClass that
// comes to stand for a requested resource, and in the pod itself when it requests less.
func (f *Fit) Hints() []queue.Hint {
	hints := []queue.Hint{
		{Event: cluster.ClusterEvent{Resource: cluster.AssignedPod, Action: cluster.Deleted}, Helps: hadNode},
		{
			Event: cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.Added | cluster.UpdateNodeAllocatable},
			Helps: hasRoomNow,
		},
	}
	if !f.ways.NoDeviceClassHint {
		hints = append(hints, queue.Hint{
			Event: cluster.ClusterEvent{Resource: cluster.DeviceClassResource, Action: cluster.Added | cluster.Updated},
			Helps: classServes,
		})
	}
	if f.ways.NoScaleDownHint {
		return hints
	}
	return append(
		hints,
		queue.Hint{
			Event: cluster.ClusterEvent{Resource: cluster.AssignedPod, Action: cluster.UpdatePodScaleDown},
			Helps: gaveBack,
		},
		queue.Hint{Event: cluster.ClusterEvent{Resource: cluster.TargetPod, Action: cluster.UpdatePodScaleDown}},
	)
}

// hadNode reports whether the deleted pod was on a node or promised one. What it requested is not looked at.
func hadNode(_ *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	return change.OldPod.NodeName != "" || change.OldPod.Nominated != "", nil
}

// hasRoomNow reports whether the pod fits the node without its pods and, when the node was there before, whether any of
// what the pod requests grew. Ignored resources are not ignored here.
func hasRoomNow(pod *cluster.Pod, change *cluster.Change, known *cluster.State) (bool, error) {
	c := newCheck(pod, known.Objects())
	if !c.Filter(change.NewNode).OK() {
		return false, nil
	}
	return change.OldNode == nil || c.grew(&change.OldNode.Allocatable, &change.NewNode.Allocatable), nil
}

// grew reports whether there is more of anything the pod needs.
func (c *check) grew(old, now *cluster.Resources) bool {
	if now.Pods > old.Pods ||
		c.milliCPU > 0 && now.MilliCPU > old.MilliCPU ||
		c.memory > 0 && now.Memory > old.Memory ||
		c.ephemeralStorage > 0 && now.EphemeralStorage > old.EphemeralStorage {
		return true
	}
	for i := range c.scalars {
		d := &c.scalars[i]
		have := now.Scalar(d.name)
		if have > old.Scalar(d.name) || d.devices && have <= 0 {
			return true
		}
	}
	return false
}

// classServes reports whether the class comes to stand for a resource that the pod requests: under its own name when it
// is new, and under the name in its spec when that is new.
func classServes(pod *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	class, ok := change.New.(*resourcev1.DeviceClass)
	if !ok {
		return true, nil
	}
	name := extendedName(class)
	requests := resourcehelper.PodRequests(pod.API, resourcehelper.PodResourcesOptions{})
	if old, had := change.Old.(*resourcev1.DeviceClass); had {
		if extendedName(old) == name {
			return false, nil
		}
	} else if _, requested := requests[corev1.ResourceName(resourcev1.ResourceDeviceClassPrefix+class.Name)]; requested {
		return true, nil
	}
	if class.Spec.ExtendedResourceName == nil {
		return false, nil
	}
	_, requested := requests[corev1.ResourceName(name)]
	return requested, nil
}

func extendedName(class *resourcev1.DeviceClass) string {
	if class.Spec.ExtendedResourceName == nil {
		return ""
	}
	return *class.Spec.ExtendedResourceName
}

// gaveBack reports whether a pod on a node requests less of anything that the pod requests.
func gaveBack(pod *cluster.Pod, change *cluster.Change, _ *cluster.State) (bool, error) {
	if change.NewPod.NodeName == "" {
		return false, nil
	}
	old, now, wanted := &change.OldPod.Requests, &change.NewPod.Requests, &pod.Requests
	if wanted.MilliCPU > 0 && old.MilliCPU > now.MilliCPU ||
		wanted.Memory > 0 && old.Memory > now.Memory ||
		wanted.EphemeralStorage > 0 && old.EphemeralStorage > now.EphemeralStorage {
		return true, nil
	}
	for _, s := range wanted.Scalars {
		if s.Value > 0 && old.Scalar(s.Name) > now.Scalar(s.Name) {
			return true, nil
		}
	}
	return false, nil
}
