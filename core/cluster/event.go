package cluster

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Action is what happened to an object.
type Action uint8

// The actions of a watch.
const (
	Add Action = iota
	Update
	Delete
)

var actionNames = [...]string{"Add", "Update", "Delete"}

// String is the action's name.
func (a Action) String() string { return actionNames[a] }

// ActionNamed finds an action by its name.
func ActionNamed(name string) (Action, bool) {
	for i, n := range actionNames {
		if n == name {
			return Action(i), true
		}
	}
	return 0, false
}

// Event is something that happened to the cluster: an object is there, changed, or is gone. A Delete may carry
// nothing but the object's kind, namespace and name. The object belongs to the event and is never written.
type Event struct {
	Action Action
	Object Object
}

// Object is an API object: a pointer to a struct of k8s.io/api.
type Object interface {
	runtime.Object
	metav1.Object
}

// Key is namespace/name, or the name alone for an object without a namespace.
func Key(o metav1.Object) string {
	if o.GetNamespace() == "" {
		return o.GetName()
	}
	return o.GetNamespace() + "/" + o.GetName()
}

// String is the event in one line.
func (e Event) String() string {
	kind, _ := KindOf(e.Object)
	return fmt.Sprintf("%s %s %s", kind, e.Action, Key(e.Object))
}
