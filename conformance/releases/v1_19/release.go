package main

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"

	"github.com/schedstep/schedstep/conformance/releases/early"
)

// kinds has an empty object of every kind that the scheduler watches.
func kinds() []runtime.Object {
	return early.Kinds(&storagev1.CSIDriver{})
}

// stored has a pod lose the volumes that it brings along, which are not stored while their gate is off.
func stored(pod *corev1.Pod) {
	if !utilfeature.DefaultFeatureGate.Enabled(features.GenericEphemeralVolume) {
		pod.Spec.Volumes = slices.DeleteFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Ephemeral != nil })
	}
}
