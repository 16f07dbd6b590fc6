package generate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
)

// changeOthers changes storage, devices or what surrounds them. A change whose
// object does not exist is none.
func (w *world) changeOthers() []Change {
	var choices []func() []Change
	if w.hasVolumes() {
		choices = append(
			choices, w.addLocalVolume, w.relabelVolume, w.bindSomeClaim, w.addClaim, w.raiseLimit, w.detach,
			w.changeCapacity, w.addClass, w.changeDriver,
		)
	}
	if w.hasDevices() {
		choices = append(
			choices, w.freeSomeClaim, w.addDevices, w.changeDevices, w.dropDevices, w.changeDeviceClass,
			w.addDeviceClaim,
		)
	}
	if len(choices) == 0 {
		return nil
	}
	return pick(&w.dice, choices)()
}

func (w *world) addLocalVolume() []Change {
	if len(w.nodes) == 0 {
		return nil
	}
	return []Change{{After: stored(w.localVolume(pick(&w.dice, w.nodes)))}}
}

func (w *world) relabelVolume() []Change {
	if len(w.pvs) == 0 {
		return nil
	}
	at := w.below(len(w.pvs))
	before, changed := stored(w.pvs[at].DeepCopy()), w.pvs[at].DeepCopy()
	changed.Labels = map[string]string{corev1.LabelTopologyZone: pick(&w.dice, zones)}
	w.pvs[at] = changed
	return []Change{{Before: before, After: stored(changed.DeepCopy())}}
}

func (w *world) bindSomeClaim() []Change {
	for at, claim := range w.pvcs {
		if claim.Spec.VolumeName != "" || claim.DeletionTimestamp != nil || !w.percent(30) {
			continue
		}
		before, bound := stored(claim.DeepCopy()), claim.DeepCopy()
		pv := w.volume(*claim.Spec.StorageClassName)
		pv.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: "handle-" + pv.Name}
		pv.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: claim.Spec.Resources.Requests[corev1.ResourceStorage]}
		w.bind(bound, pv)
		w.pvcs[at] = bound
		w.pvs = append(w.pvs, pv)
		return []Change{{After: stored(pv.DeepCopy())}, {Before: before, After: stored(bound.DeepCopy())}}
	}
	return nil
}

// addClaim makes the claim that a broken pod misses, at most once.
func (w *world) addClaim() []Change {
	if slices.ContainsFunc(w.pvcs, func(claim *corev1.PersistentVolumeClaim) bool { return claim.Name == "missing" }) {
		return nil
	}
	claim := w.freeClaim(w.spaces[0], delayedClass)
	claim.Name = "missing"
	return []Change{{After: stored(claim.DeepCopy())}}
}

func (w *world) raiseLimit() []Change {
	return replaceOne(w, func(node *storagev1.CSINode) bool {
		if len(node.Spec.Drivers) == 0 || node.Spec.Drivers[0].Allocatable == nil {
			return false
		}
		count := *node.Spec.Drivers[0].Allocatable.Count + int32(w.between(-1, 2))
		node.Spec.Drivers[0].Allocatable.Count = &count
		return count > 0
	})
}

func (w *world) detach() []Change {
	return removeOne[*storagev1.VolumeAttachment](w)
}

func (w *world) changeCapacity() []Change {
	return replaceOne(w, func(capacity *storagev1.CSIStorageCapacity) bool {
		free := resource.MustParse(pick(&w.dice, []string{"200Gi", "1Gi"}))
		capacity.Capacity = &free
		return true
	})
}

// addClass makes the class that a broken claim misses, at most once.
func (w *world) addClass() []Change {
	for _, object := range w.others {
		if class, ok := object.(*storagev1.StorageClass); ok && class.Name == missingClass {
			return nil
		}
	}
	wait := storagev1.VolumeBindingWaitForFirstConsumer
	class := stored(
		&storagev1.StorageClass{Provisioner: driver, VolumeBindingMode: &wait, ObjectMeta: w.meta("", missingClass)},
	)
	w.add(class)
	return []Change{{After: class}}
}

func (w *world) changeDriver() []Change {
	return replaceOne(w, func(csi *storagev1.CSIDriver) bool {
		counted := !*csi.Spec.StorageCapacity
		csi.Spec.StorageCapacity = &counted
		return true
	})
}

func (w *world) freeSomeClaim() []Change {
	for at, claim := range w.claims {
		if claim.Status.Allocation == nil || !w.percent(50) {
			continue
		}
		before, freed := stored(claim.DeepCopy()), claim.DeepCopy()
		freed.Status.Allocation, freed.Status.ReservedFor, freed.Finalizers = nil, nil, nil
		w.claims[at] = freed
		return []Change{{Before: before, After: stored(freed.DeepCopy())}}
	}
	return nil
}

func (w *world) addDevices() []Change {
	for _, node := range w.nodes {
		known := slices.ContainsFunc(w.slices, func(slice *resourcev1.ResourceSlice) bool {
			return *slice.Spec.NodeName == node.Name
		})
		if known || !w.percent(50) {
			continue
		}
		before := len(w.others)
		w.slice(node)
		var changes []Change
		for _, object := range w.others[before:] {
			changes = append(changes, Change{After: object})
		}
		return changes
	}
	return nil
}

// changeDevices heals a node's devices and makes them whole.
func (w *world) changeDevices() []Change {
	if len(w.slices) == 0 {
		return nil
	}
	at := w.below(len(w.slices))
	before := w.slices[at]
	changed := before.DeepCopy()
	changed.Spec.Pool.Generation++
	changed.Spec.Pool.ResourceSliceCount = 1
	for i := range changed.Spec.Devices {
		changed.Spec.Devices[i].Taints, changed.Spec.Devices[i].ConsumesCounters = nil, nil
	}
	w.slices[at] = stored(changed)
	w.substitute(before, w.slices[at])
	return []Change{{Before: before, After: w.slices[at]}}
}

func (w *world) dropDevices() []Change {
	if len(w.slices) == 0 {
		return nil
	}
	at := w.below(len(w.slices))
	before := w.slices[at]
	w.slices = slices.Delete(slices.Clone(w.slices), at, at+1)
	w.substitute(before, nil)
	return []Change{{Before: before}}
}

func (w *world) changeDeviceClass() []Change {
	return replaceOne(w, func(class *resourcev1.DeviceClass) bool {
		if class.Spec.ExtendedResourceName != nil {
			class.Spec.ExtendedResourceName = nil
			return true
		}
		served := gpuResource
		class.Spec.ExtendedResourceName = &served
		return class.Name == gpuClass
	})
}

// addDeviceClaim makes the claim that a broken pod misses, at most once.
func (w *world) addDeviceClaim() []Change {
	if slices.ContainsFunc(w.claims, func(claim *resourcev1.ResourceClaim) bool { return claim.Name == "missing" }) {
		return nil
	}
	claim := w.newClaim(w.spaces[0])
	claim.Name = "missing"
	return []Change{{After: stored(claim.DeepCopy())}}
}

// replaceOne lets edit change a copy of one of the other objects of type T; an
// edit that returns false is dropped.
func replaceOne[T interface {
	comparable
	runtime.Object
}](w *world, edit func(T) bool) []Change {
	var known []T
	for _, object := range w.others {
		if typed, ok := object.(T); ok {
			known = append(known, typed)
		}
	}
	if len(known) == 0 {
		return nil
	}
	before := pick(&w.dice, known)
	changed := before.DeepCopyObject().(T)
	if !edit(changed) {
		return nil
	}
	changed = stored(changed)
	w.substitute(before, changed)
	return []Change{{Before: before, After: changed}}
}

func removeOne[T interface {
	comparable
	runtime.Object
}](w *world) []Change {
	for _, object := range w.others {
		if _, ok := object.(T); ok {
			w.substitute(object, nil)
			return []Change{{Before: object}}
		}
	}
	return nil
}

// substitute keeps the other objects as of the last change; a nil after
// deletes. Objects already handed out in a Case are not touched.
func (w *world) substitute(before, after runtime.Object) {
	var others []runtime.Object
	for _, object := range w.others {
		switch {
		case object != before:
			others = append(others, object)
		case after != nil:
			others = append(others, after)
		}
	}
	w.others = others
}
