package fakeapi

import (
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// Writes is an API server that accepts every call and only remembers that it
// was made; the cluster changes through its Put and Remove alone.
type Writes struct {
	Pods *Cluster // where a pod of a get request is found; nil: nowhere

	mu    sync.Mutex
	calls []string
}

// Client is a client of it.
func (w *Writes) Client() *fake.Clientset {
	c := &fake.Clientset{}
	c.AddReactor("*", "*", w.accept)
	return c
}

func (w *Writes) accept(action clienttesting.Action) (bool, runtime.Object, error) {
	if pod, there := w.pod(action); there {
		return true, pod, nil
	}
	var object runtime.Object
	name := ""
	switch a := action.(type) {
	case clienttesting.PatchAction:
		name = a.GetName()
	case clienttesting.DeleteAction:
		name = a.GetName()
	case clienttesting.UpdateAction: // a CreateAction has the same methods
		object = a.GetObject()
		if accessor, err := meta.Accessor(object); err == nil {
			name = accessor.GetName()
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, fmt.Sprintf(
		"%s %s %s/%s", action.GetVerb(), action.GetResource().Resource, action.GetNamespace(), name,
	))
	return true, object, nil
}

// pod is the pod of a get request.
func (w *Writes) pod(action clienttesting.Action) (runtime.Object, bool) {
	get, is := action.(clienttesting.GetAction)
	if !is || w.Pods == nil || action.GetVerb() != "get" {
		return nil, false
	}
	wanted := &corev1.Pod{}
	wanted.Namespace, wanted.Name = get.GetNamespace(), get.GetName()
	pod, there := w.Pods.Stored(wanted)
	if !there {
		return nil, false
	}
	return pod.DeepCopyObject(), true
}

// Take returns the calls since the last Take, sorted.
func (w *Writes) Take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	calls := w.calls
	w.calls = nil
	slices.Sort(calls)
	return calls
}
