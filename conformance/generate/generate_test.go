package generate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podapi "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/policy"
	policyvalidation "k8s.io/kubernetes/pkg/apis/policy/validation"
	"k8s.io/kubernetes/pkg/apis/resource"
	resourcevalidation "k8s.io/kubernetes/pkg/apis/resource/validation"
	"k8s.io/kubernetes/pkg/apis/storage"
	storagevalidation "k8s.io/kubernetes/pkg/apis/storage/validation"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/conformance/generate"
	"github.com/schedstep/schedstep/internal/law"
)

func TestEveryObjectWouldPassAnAPIServer(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		c := generate.Cases().Draw(t, "case")
		for _, object := range everything(c) {
			if errs := validate(t, object); len(errs) > 0 {
				t.Fatalf("%T: %v", object, errs.ToAggregate())
			}
		}
	})
}

func everything(c generate.Case) []runtime.Object {
	objects := append([]runtime.Object(nil), c.Objects...)
	for _, pod := range c.Pending {
		objects = append(objects, pod)
	}
	for _, change := range c.Churn {
		if change.After != nil {
			objects = append(objects, change.After)
		}
	}
	return objects
}

func convert[T any](t *rapid.T, object runtime.Object) *T {
	internal := new(T)
	if err := legacyscheme.Scheme.Convert(object, internal, nil); err != nil {
		t.Fatalf("%T: %v", object, err)
	}
	return internal
}

func validate(t *rapid.T, object runtime.Object) field.ErrorList {
	switch o := object.(type) {
	case *corev1.Pod:
		pod := convert[core.Pod](t, o)
		options := podapi.GetValidationOptionsFromPodSpecAndMeta(&pod.Spec, nil, &pod.ObjectMeta, nil)
		options.ResourceIsPod = true
		if o.Spec.NodeName != "" || o.DeletionTimestamp != nil {
			pod.Spec.NodeName, pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = "", nil, nil
		}
		return corevalidation.ValidatePodCreate(pod, options)
	case *corev1.Node:
		return corevalidation.ValidateNode(convert[core.Node](t, o))
	case *corev1.Namespace:
		return corevalidation.ValidateNamespace(convert[core.Namespace](t, o))
	case *corev1.PersistentVolume:
		pv := convert[core.PersistentVolume](t, o)
		return corevalidation.ValidatePersistentVolume(pv, corevalidation.ValidationOptionsForPersistentVolume(pv, nil))
	case *corev1.PersistentVolumeClaim:
		pvc := convert[core.PersistentVolumeClaim](t, o)
		return corevalidation.ValidatePersistentVolumeClaim(
			pvc, corevalidation.ValidationOptionsForPersistentVolumeClaim(pvc, nil),
		)
	case *policyv1.PodDisruptionBudget:
		return policyvalidation.ValidatePodDisruptionBudget(
			convert[policy.PodDisruptionBudget](t, o), policyvalidation.PodDisruptionBudgetValidationOptions{},
		)
	case *storagev1.StorageClass:
		return storagevalidation.ValidateStorageClass(convert[storage.StorageClass](t, o))
	case *storagev1.CSINode:
		return storagevalidation.ValidateCSINode(convert[storage.CSINode](t, o))
	case *storagev1.CSIDriver:
		return storagevalidation.ValidateCSIDriver(convert[storage.CSIDriver](t, o))
	case *storagev1.VolumeAttachment:
		return storagevalidation.ValidateVolumeAttachment(convert[storage.VolumeAttachment](t, o))
	case *storagev1.CSIStorageCapacity:
		return storagevalidation.ValidateCSIStorageCapacity(
			convert[storage.CSIStorageCapacity](t, o), storagevalidation.CSIStorageCapacityValidateOptions{},
		)
	case *resourcev1.DeviceClass:
		return resourcevalidation.ValidateDeviceClass(convert[resource.DeviceClass](t, o))
	case *resourcev1.ResourceSlice:
		return resourcevalidation.ValidateResourceSlice(convert[resource.ResourceSlice](t, o))
	case *resourcev1.ResourceClaim:
		return resourcevalidation.ValidateResourceClaim(convert[resource.ResourceClaim](t, o))
	case *corev1.Service, *corev1.ReplicationController, *appsv1.ReplicaSet, *appsv1.StatefulSet:
		return nil // the scheduler reads only their selectors
	}
	t.Fatalf("%T: no validation known", object)
	return nil
}

func TestSeedsAreTheSameEveryTimeAndDiffer(t *testing.T) {
	whole := cmp.AllowUnexported(generate.Case{})
	first, again, other := generate.FromSeed(7), generate.FromSeed(7), generate.FromSeed(8)
	if diff := cmp.Diff(first, again, whole); diff != "" {
		t.Errorf("seed 7 drawn twice (-first +second):\n%s", diff)
	}
	if cmp.Equal(first, other, whole) {
		t.Error("seeds 7 and 8 draw the same case")
	}
}

func TestEveryFeatureShowsUp(t *testing.T) {
	var pods, nodes, large, churn, pending int
	kinds := map[string]int{}
	const seeds = 300
	for seed := range seeds {
		c := generate.FromSeed(seed)
		n := 0
		for _, object := range everything(c) {
			switch object.(type) {
			case *corev1.Pod:
				pods++
			case *corev1.Node:
				n++
			}
			kinds[kind(object)]++
		}
		nodes += n
		if n >= 100 {
			large++
		}
		churn += len(c.Churn)
		pending += len(c.Pending)
	}
	t.Logf(
		"%d seeds: %d nodes, %d pods, %d pending, %d large, %d changes, %v", seeds, nodes, pods, pending, large, churn,
		kinds,
	)
	for _, name := range []string{
		"Node", "Pod", "Namespace", "Service", "ReplicaSet", "StatefulSet", "ReplicationController", "PodDisruptionBudget",
		"PersistentVolume", "PersistentVolumeClaim", "StorageClass", "CSINode", "CSIDriver", "CSIStorageCapacity",
		"VolumeAttachment", "DeviceClass", "ResourceSlice", "ResourceClaim",
	} {
		if kinds[name] == 0 {
			t.Errorf("no %s in %d seeds", name, seeds)
		}
	}
	if large == 0 || large > seeds/5 {
		t.Errorf("%d of %d clusters are large", large, seeds)
	}
}

func kind(object runtime.Object) string {
	kinds, _, err := legacyscheme.Scheme.ObjectKinds(object)
	if err != nil || len(kinds) == 0 {
		return "unknown"
	}
	return kinds[0].Kind
}
