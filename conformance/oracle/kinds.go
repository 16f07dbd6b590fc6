package oracle

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Kinds has an empty object of every kind that the scheduler watches.
func Kinds() []runtime.Object {
	return append(
		kindsOfRelease(), &corev1.Namespace{}, &corev1.Node{}, &corev1.Pod{}, &corev1.Service{},
		&corev1.ReplicationController{}, &corev1.PersistentVolume{}, &corev1.PersistentVolumeClaim{},
		&appsv1.ReplicaSet{}, &appsv1.StatefulSet{}, &policyv1.PodDisruptionBudget{}, &storagev1.StorageClass{},
		&storagev1.CSINode{}, &storagev1.CSIDriver{}, &storagev1.CSIStorageCapacity{}, &storagev1.VolumeAttachment{},
	)
}
