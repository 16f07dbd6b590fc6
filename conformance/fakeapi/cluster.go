// Package fakeapi is the cluster around a kube-scheduler that runs one call at a time: informers without a goroutine,
// and an API server that records requests and changes nothing. It is compiled with the client of each release from 1.19
// on, and uses what all of them have.
package fakeapi

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

// Cluster holds every API object the scheduler can see, one informer per kind.
type Cluster struct {
	informers map[reflect.Type]*Informer
	version   uint64
}

// NewCluster claims the informers of factory for the kinds, given as empty objects, before any other code requests
// them. An informer of the client's release is made of each of ours.
func NewCluster(
	factory informers.SharedInformerFactory, kinds []runtime.Object, of func(*Informer) cache.SharedIndexInformer,
) *Cluster {
	c := &Cluster{informers: map[reflect.Type]*Informer{}}
	for _, kind := range kinds {
		ours := newInformer()
		theirs := of(ours)
		c.informers[reflect.TypeOf(kind)] = ours
		factory.InformerFor(kind, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return theirs })
	}
	return c
}

// Stored is the current object with object's kind and key.
func (c *Cluster) Stored(object runtime.Object) (runtime.Object, bool) {
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

// Put adds object or replaces the one with its key.
func (c *Cluster) Put(object runtime.Object) error {
	i, err := c.informerOf(object)
	if err != nil {
		return err
	}
	if pod, ok := object.(*corev1.Pod); ok && ended(pod) {
		return c.Remove(object)
	}
	fresh := object.DeepCopyObject()
	c.version++
	accessor, err := meta.Accessor(fresh)
	if err != nil {
		return fmt.Errorf("object %T: %w", object, err)
	}
	accessor.SetResourceVersion(strconv.FormatUint(c.version, 10))
	before, ok := c.Stored(object)
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

// Remove deletes the object with object's kind and key; one that is not there
// is no error.
func (c *Cluster) Remove(object runtime.Object) error {
	i, err := c.informerOf(object)
	if err != nil {
		return err
	}
	before, ok := c.Stored(object)
	if !ok {
		return nil
	}
	return i.remove(before)
}

// Appear delivers an object that was not known, as it is.
func (c *Cluster) Appear(object runtime.Object) error {
	i, err := c.informerOf(object)
	if err != nil {
		return err
	}
	return i.add(object)
}

// Change delivers an object in place of the one that was known.
func (c *Cluster) Change(before, after runtime.Object) error {
	i, err := c.informerOf(after)
	if err != nil {
		return err
	}
	return i.update(before, after)
}

// Vanish delivers that an object is gone, as it was last. Unseen: it went while nothing was watched.
func (c *Cluster) Vanish(last runtime.Object, unseen bool) error {
	i, err := c.informerOf(last)
	if err != nil {
		return err
	}
	if !unseen {
		return i.remove(last)
	}
	key, err := cache.MetaNamespaceKeyFunc(last)
	if err != nil {
		return fmt.Errorf("object %T: %w", last, err)
	}
	return i.remove(cache.DeletedFinalStateUnknown{Key: key, Obj: last})
}

func (c *Cluster) informerOf(object runtime.Object) (*Informer, error) {
	i, ok := c.informers[reflect.TypeOf(object)]
	if !ok {
		return nil, fmt.Errorf("object %T: not a kind the scheduler watches", object)
	}
	return i, nil
}

// moved reports that a pod went from one node to another, as only a new pod under an old name can: kube-scheduler ends
// its process when it sees an update do so.
func moved(before, after runtime.Object) bool {
	old, ok := before.(*corev1.Pod)
	if !ok || old.Spec.NodeName == "" {
		return false
	}
	node := after.(*corev1.Pod).Spec.NodeName
	return node != "" && node != old.Spec.NodeName
}

// ended reports that the scheduler's field selector hides the pod.
func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}
