package cluster

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
)

// Store holds the objects of one kind by Key, as the API server shows them, and what is assumed of some of them; copies
// share what neither changed.
type Store[T Object] struct{ stock }

// stock is a Store without its type.
type stock struct {
	byKey   table[Object]
	assumed table[belief]
	written table[Object] // NoteWrite
}

// Find is the object with that key, as the API server last showed it.
func (s *Store[T]) Find(key string) (T, bool) {
	o, ok := s.byKey.Get(key)
	return typed[T](o), ok
}

// Len is the number of objects.
func (s *Store[T]) Len() int { return s.byKey.Len() }

// Each calls f with every object in the order of keys until f returns false.
func (s *Store[T]) Each(f func(T) bool) {
	s.byKey.Scan(func(_ string, o Object) bool { return f(o.(T)) })
}

// EachIn calls f with every object of a namespace in the order of names until f returns false.
func (s *Store[T]) EachIn(namespace string, f func(T) bool) {
	s.byKey.Ascend(namespace+"/", func(_ string, o Object) bool { return o.GetNamespace() == namespace && f(o.(T)) })
}

// apply carries the event out and returns the object that was there before.
func (s *Store[T]) apply(action Action, o T) (old T, had bool) {
	was, had := s.replace(action, o)
	return typed[T](was), had
}

func (s *Store[T]) copy() Store[T] { return Store[T]{s.stock.copy()} }

// typed is an object as what its Store holds; the zero value for none.
func typed[T Object](o Object) T {
	t, _ := o.(T)
	return t
}

func (s *stock) copy() stock {
	c := stock{byKey: s.byKey.copy(), assumed: s.assumed.copy()}
	if s.written.Len() > 0 {
		c.written = s.written.copy()
	}
	return c
}

func (s *stock) replace(action Action, o Object) (old Object, had bool) {
	s.news(action, o)
	if action == Delete {
		return s.byKey.Delete(Key(o))
	}
	return s.byKey.Set(Key(o), o)
}

// Objects is everything the scheduler knows besides pods and nodes. Read it; only a State changes it.
type Objects struct {
	namesAre bool // Reading.NamesAre

	Namespaces             Store[*corev1.Namespace]
	Services               Store[*corev1.Service]
	ReplicationControllers Store[*corev1.ReplicationController]
	ReplicaSets            Store[*appsv1.ReplicaSet]
	StatefulSets           Store[*appsv1.StatefulSet]
	PriorityClasses        Store[*schedulingv1.PriorityClass]
	DisruptionBudgets      Store[*policyv1.PodDisruptionBudget]
	Volumes                Store[*corev1.PersistentVolume]
	VolumeClaims           Store[*corev1.PersistentVolumeClaim]
	StorageClasses         Store[*storagev1.StorageClass]
	CSINodes               Store[*storagev1.CSINode]
	CSIDrivers             Store[*storagev1.CSIDriver]
	CSIStorageCapacities   Store[*storagev1.CSIStorageCapacity]
	volumeAttachments      Store[*storagev1.VolumeAttachment]
	ResourceClaims         Store[*resourcev1.ResourceClaim]
	resourceSlices         Store[*resourcev1.ResourceSlice]
	DeviceClasses          Store[*resourcev1.DeviceClass]
	deviceTaintRules       Store[*resourcev1.DeviceTaintRule]
	podGroups              Store[*schedulingv1beta1.PodGroup]

	custom   table[Object] // of CustomResourceDefinitions, by kind and Key
	services serviceIndex
	storage  storageIndex
	devices  deviceIndex
}

// apply stores, replaces or drops one object, and returns what was there before (nil: nothing). The kinds it names have
// an index as well.
func (s *Objects) apply(action Action, o Object) (old Object) {
	switch o := o.(type) {
	case *corev1.Service:
		return s.applyService(action, o)
	case *corev1.PersistentVolume:
		return s.applyVolume(action, o)
	case *storagev1.CSIStorageCapacity:
		return s.applyCapacity(action, o)
	case *storagev1.VolumeAttachment:
		return s.applyAttachment(action, o)
	case *resourcev1.ResourceClaim:
		return s.applyClaim(action, o)
	case *resourcev1.ResourceSlice:
		return s.applySlice(action, o)
	case *resourcev1.DeviceTaintRule:
		return s.applyRule(action, o)
	}
	kind, _ := KindOf(o)
	if kind.IsCustom() {
		return s.applyCustom(kind, action, o)
	}
	if of := s.of(kind); of != nil {
		return applied(of, action, o)
	}
	return nil
}

func (s *Objects) applyService(action Action, o *corev1.Service) Object {
	old, had := s.Services.apply(action, o)
	if action == Delete {
		o = nil
	}
	s.services.replace(old, o)
	if !had {
		return nil
	}
	return old
}

func applied(s *stock, action Action, o Object) Object {
	old, _ := s.replace(action, o)
	return old
}

func (s *Objects) copy() Objects {
	return Objects{
		namesAre:   s.namesAre,
		Namespaces: s.Namespaces.copy(), Services: s.Services.copy(),
		ReplicationControllers: s.ReplicationControllers.copy(), ReplicaSets: s.ReplicaSets.copy(),
		StatefulSets: s.StatefulSets.copy(), PriorityClasses: s.PriorityClasses.copy(),
		DisruptionBudgets: s.DisruptionBudgets.copy(), Volumes: s.Volumes.copy(), VolumeClaims: s.VolumeClaims.copy(),
		StorageClasses: s.StorageClasses.copy(), CSINodes: s.CSINodes.copy(), CSIDrivers: s.CSIDrivers.copy(),
		CSIStorageCapacities: s.CSIStorageCapacities.copy(), volumeAttachments: s.volumeAttachments.copy(),
		ResourceClaims: s.ResourceClaims.copy(), resourceSlices: s.resourceSlices.copy(),
		DeviceClasses: s.DeviceClasses.copy(), deviceTaintRules: s.deviceTaintRules.copy(), podGroups: s.podGroups.copy(),
		services: serviceIndex{byLabel: s.services.byLabel.copy()}, devices: s.devices.copy(),
		storage: s.storage.copy(), custom: s.custom.copy(),
	}
}
