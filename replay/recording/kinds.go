package recording

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/schedstep/schedstep/core/cluster"
)

// blank is an object of a kind with nothing in it but its kind and the version it is written in; nil for a kind that
// is not of cluster.Kinds.
func blank(kind cluster.Kind) cluster.Object {
	group, o := groupOf(kind)
	if o != nil {
		o.GetObjectKind().SetGroupVersionKind(group.WithKind(string(kind)))
	}
	return o
}

func groupOf(kind cluster.Kind) (schema.GroupVersion, cluster.Object) {
	switch kind {
	case cluster.KindPod:
		return corev1.SchemeGroupVersion, &corev1.Pod{}
	case cluster.KindNode:
		return corev1.SchemeGroupVersion, &corev1.Node{}
	case cluster.KindNamespace:
		return corev1.SchemeGroupVersion, &corev1.Namespace{}
	case cluster.KindService:
		return corev1.SchemeGroupVersion, &corev1.Service{}
	case cluster.KindReplicationController:
		return corev1.SchemeGroupVersion, &corev1.ReplicationController{}
	case cluster.KindVolume:
		return corev1.SchemeGroupVersion, &corev1.PersistentVolume{}
	case cluster.KindVolumeClaim:
		return corev1.SchemeGroupVersion, &corev1.PersistentVolumeClaim{}
	case cluster.KindReplicaSet:
		return appsv1.SchemeGroupVersion, &appsv1.ReplicaSet{}
	case cluster.KindStatefulSet:
		return appsv1.SchemeGroupVersion, &appsv1.StatefulSet{}
	case cluster.KindPriorityClass:
		return schedulingv1.SchemeGroupVersion, &schedulingv1.PriorityClass{}
	case cluster.KindPodGroup:
		return schedulingv1beta1.SchemeGroupVersion, &schedulingv1beta1.PodGroup{}
	case cluster.KindDisruptionBudget:
		return policyv1.SchemeGroupVersion, &policyv1.PodDisruptionBudget{}
	case cluster.KindStorageClass:
		return storagev1.SchemeGroupVersion, &storagev1.StorageClass{}
	case cluster.KindCSINode:
		return storagev1.SchemeGroupVersion, &storagev1.CSINode{}
	case cluster.KindCSIDriver:
		return storagev1.SchemeGroupVersion, &storagev1.CSIDriver{}
	case cluster.KindCSIStorageCapacity:
		return storagev1.SchemeGroupVersion, &storagev1.CSIStorageCapacity{}
	case cluster.KindVolumeAttachment:
		return storagev1.SchemeGroupVersion, &storagev1.VolumeAttachment{}
	case cluster.KindResourceClaim:
		return resourcev1.SchemeGroupVersion, &resourcev1.ResourceClaim{}
	case cluster.KindResourceSlice:
		return resourcev1.SchemeGroupVersion, &resourcev1.ResourceSlice{}
	case cluster.KindDeviceClass:
		return resourcev1.SchemeGroupVersion, &resourcev1.DeviceClass{}
	case cluster.KindDeviceTaintRule:
		return resourcev1.SchemeGroupVersion, &resourcev1.DeviceTaintRule{}
	}
	return schema.GroupVersion{}, nil
}
