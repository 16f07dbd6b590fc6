package main

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

// writes is an API server that accepts every call and only remembers that it
// was made; the cluster changes through Oracle.Put and Oracle.Remove alone.
type writes struct {
	mu      sync.Mutex
	calls   []string
	cluster *cluster // where a pod is looked up: preemption reads it once more
}

func (w *writes) client() *fake.Clientset {
	c := &fake.Clientset{}
	c.AddReactor("*", "*", w.accept)
	return c
}

func (w *writes) accept(action clienttesting.Action) (bool, runtime.Object, error) {
	var object runtime.Object
	name := ""
	switch a := action.(type) {
	case clienttesting.PatchAction:
		name = a.GetName()
	case clienttesting.GetAction:
		wanted := &corev1.Pod{}
		wanted.Namespace, wanted.Name = a.GetNamespace(), a.GetName()
		if pod, there := w.cluster.stored(wanted); there && action.GetVerb() == "get" {
			return true, pod.DeepCopyObject(), nil
		}
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

// take returns the calls since the last take, sorted.
func (w *writes) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	calls := w.calls
	w.calls = nil
	slices.Sort(calls)
	return calls
}
