package main

import (
	"fmt"
	"reflect"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// cluster holds every API object the scheduler can see, one informer per kind.
type cluster struct {
	informers map[reflect.Type]*informer
	version   uint64
}

// newCluster claims the informers of factory before anyone asks for them.
func newCluster(factory informers.SharedInformerFactory) *cluster {
	c := &cluster{informers: map[reflect.Type]*informer{}}
	for _, kind := range kinds() {
		mine := newInformer()
		c.informers[reflect.TypeOf(kind)] = mine
		factory.InformerFor(kind, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return mine })
	}
	return c
}

// stored returns the current object with object's kind and key.
func (c *cluster) stored(object runtime.Object) (runtime.Object, bool) {
	i, ok := c.informers[reflect.TypeOf(object)]
	if !ok {
		return nil, false
	}
	found, ok, err := i.indexer.Get(object)
	if err != nil || !ok {
		return nil, false
	}
	return found.(runtime.Object), true
}

// put adds object or replaces the one with its key.
func (c *cluster) put(object runtime.Object) error {
	i, ok := c.informers[reflect.TypeOf(object)]
	if !ok {
		return fmt.Errorf("object %T: not a kind the scheduler watches", object)
	}
	if pod, ok := object.(*corev1.Pod); ok && ended(pod) {
		return c.remove(object)
	}
	fresh := object.DeepCopyObject()
	c.version++
	accessor, err := meta.Accessor(fresh)
	if err != nil {
		return fmt.Errorf("object %T: %w", object, err)
	}
	accessor.SetResourceVersion(strconv.FormatUint(c.version, 10))
	before, ok := c.stored(object)
	if !ok {
		return i.add(fresh)
	}
	if moved(before, fresh) {
		if err := i.remove(before); err != nil {
			return err
		}
		return i.add(fresh)
	}
	return i.update(before, fresh)
}

// remove deletes the object with object's kind and key; one that is not there
// is no error.
func (c *cluster) remove(object runtime.Object) error {
	i, ok := c.informers[reflect.TypeOf(object)]
	if !ok {
		return fmt.Errorf("object %T: not a kind the scheduler watches", object)
	}
	before, ok := c.stored(object)
	if !ok {
		return nil
	}
	return i.remove(before)
}

// moved says that a pod went from one node to another, as only a new pod under
// an old name can: kube-scheduler ends its process when it sees an update do so.
func moved(before, after runtime.Object) bool {
	old, ok := before.(*corev1.Pod)
	if !ok || old.Spec.NodeName == "" {
		return false
	}
	node := after.(*corev1.Pod).Spec.NodeName
	return node != "" && node != old.Spec.NodeName
}

// ended says that the scheduler's field selector hides the pod.
func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}
