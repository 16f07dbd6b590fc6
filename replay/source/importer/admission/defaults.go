package admission

import (
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
)

// setDefaults fills the fields that verdicts read with the API's default values.
func setDefaults(object cluster.Object) {
	switch x := object.(type) {
	case *corev1.Pod:
		setPodDefaults(x)
	case *corev1.Node:
		roundUp(x.Status.Capacity)
		roundUp(x.Status.Allocatable)
		if x.Status.Allocatable == nil && x.Status.Capacity != nil {
			x.Status.Allocatable = x.Status.Capacity.DeepCopy()
		}
	case *corev1.Namespace:
		if x.Labels == nil {
			x.Labels = map[string]string{}
		}
		x.Labels[corev1.LabelMetadataName] = x.Name
	case *corev1.LimitRange:
		for i := range x.Spec.Limits {
			setLimitDefaults(&x.Spec.Limits[i])
		}
	case *nodev1.RuntimeClass:
		if x.Overhead != nil {
			roundUp(x.Overhead.PodFixed)
		}
	case *corev1.ReplicationController:
		if len(x.Spec.Selector) == 0 && x.Spec.Template != nil {
			x.Spec.Selector = x.Spec.Template.Labels
		}
	case *schedulingv1.PriorityClass:
		if x.PreemptionPolicy == nil {
			x.PreemptionPolicy = ptr.To(corev1.PreemptLowerPriority)
		}
	default:
		setVolumeDefaults(object)
		setDeviceDefaults(object)
	}
}

// setVolumeDefaults is setDefaults for what VolumeBinding reads.
func setVolumeDefaults(object cluster.Object) {
	switch x := object.(type) {
	case *corev1.PersistentVolume:
		if x.Spec.VolumeMode == nil {
			x.Spec.VolumeMode = ptr.To(corev1.PersistentVolumeFilesystem)
		}
		if x.Status.Phase == "" {
			x.Status.Phase = corev1.VolumePending
		}
	case *corev1.PersistentVolumeClaim:
		if x.Spec.VolumeMode == nil {
			x.Spec.VolumeMode = ptr.To(corev1.PersistentVolumeFilesystem)
		}
		if x.Status.Phase == "" {
			x.Status.Phase = corev1.ClaimPending
		}
	case *storagev1.StorageClass:
		if x.VolumeBindingMode == nil {
			x.VolumeBindingMode = ptr.To(storagev1.VolumeBindingImmediate)
		}
	case *storagev1.CSIDriver:
		if x.Spec.AttachRequired == nil {
			x.Spec.AttachRequired = ptr.To(true)
		}
		if x.Spec.StorageCapacity == nil {
			x.Spec.StorageCapacity = ptr.To(false)
		}
	}
}

// setDeviceDefaults is setDefaults for what DynamicResources reads.
func setDeviceDefaults(object cluster.Object) {
	var requests []resourcev1.DeviceRequest
	switch x := object.(type) {
	case *resourcev1.ResourceClaim:
		requests = x.Spec.Devices.Requests
	case *resourcev1.ResourceClaimTemplate:
		requests = x.Spec.Spec.Devices.Requests
	}
	for i := range requests {
		if exactly := requests[i].Exactly; exactly != nil {
			setCount(&exactly.AllocationMode, &exactly.Count)
		}
		for j := range requests[i].FirstAvailable {
			sub := &requests[i].FirstAvailable[j]
			setCount(&sub.AllocationMode, &sub.Count)
		}
	}
}

func setCount(mode *resourcev1.DeviceAllocationMode, count *int64) {
	if *mode == "" {
		*mode = resourcev1.DeviceAllocationModeExactCount
	}
	if *mode == resourcev1.DeviceAllocationModeExactCount && *count == 0 {
		*count = 1
	}
}
