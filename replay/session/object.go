package session

import (
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Object is the API object that a user means at the cursor, a copy: the name of a node or a pod, or KIND/NAME with a
// kind as kubectl takes it. A name without a namespace is looked for in default.
func (k *At) Object(name string) (cluster.Object, error) {
	state := k.player.Scheduler().State()
	word, rest, _ := strings.Cut(name, "/")
	for _, row := range cluster.KindRows() {
		if rest == "" || !row.IsCalled(strings.ToLower(word)) {
			continue
		}
		key := rest
		if row.Namespaced && !strings.Contains(rest, "/") {
			key = corev1.NamespaceDefault + "/" + rest
		}
		if o, there := state.Find(row.Kind, key); there {
			return described(o, row), nil
		}
		return nil, phrase.Errorf("there is no %s %q here", row.Kind, rest)
	}
	if slices.Contains(k.Names().Nodes, name) {
		o, _ := state.Find(cluster.KindNode, name)
		return described(o, cluster.RowOf(cluster.KindNode)), nil
	}
	key, err := k.Pod(name)
	if err != nil {
		return nil, err
	}
	o, there := state.Find(cluster.KindPod, key)
	if !there {
		return nil, phrase.Errorf("there is no pod %q here", key)
	}
	return described(o, cluster.RowOf(cluster.KindPod)), nil
}

// described is a copy of an object with its apiVersion and kind, without what the API server keeps for itself.
func described(o cluster.Object, row *cluster.KindRow) cluster.Object {
	c := o.DeepCopyObject().(cluster.Object)
	c.GetObjectKind().SetGroupVersionKind(row.GroupVersion().WithKind(string(row.Kind)))
	c.SetManagedFields(nil)
	return c
}

// Replace puts an object in the place of the one with its kind and name. A pod without a node keeps its place in the
// queue if an API server would allow the change; otherwise it is deleted, and created as it is to be.
func Replace(o cluster.Object) Edit { return Edit{"edit", []deed{{Do: "replace", Object: o}}} }

// anew is the word of a pod that was replaced by another one: a saved session has not all of what was edited, and could
// take the edit for one that an API server allows.
const anew = "anew"

// replace puts the object of a deed in the place of the one that is there, and notes in the deed that a pod is another
// one.
func (c *change) replace(d *deed) error {
	kind, _ := cluster.KindOf(d.Object)
	was, there := c.state().Find(kind, cluster.Key(d.Object))
	if !there {
		return phrase.Errorf("edit: there is no %s %q here: the kind, the name and the namespace stay", kind,
			cluster.Key(d.Object))
	}
	changed := d.Object.DeepCopyObject().(cluster.Object)
	changed.SetUID(was.GetUID())
	c.said = phrase.New("%s %s is edited", kind, cluster.Key(d.Object))
	if pod, is := changed.(*corev1.Pod); is {
		old := was.(*corev1.Pod)
		if old.Spec.NodeName == "" && !isAllowed(old, pod) {
			d.With = []string{anew}
		}
		return c.replacePod(old, pod, slices.Contains(d.With, anew))
	}
	c.do(cluster.Update, changed)
	c.last(changed, func(e cluster.Event) (cluster.Event, bool) {
		if e.Action != cluster.Delete {
			e.Object = changed
		}
		return e, true
	})
	return nil
}

// replacePod updates a pod, or, where that is not allowed, puts a new one in its place.
func (c *change) replacePod(was, pod *corev1.Pod, isNew bool) error {
	if pod.Spec.NodeName != was.Spec.NodeName {
		return phrase.Errorf("edit: the node of pod %q stays (bind and evict change it)", cluster.Key(pod))
	}
	if isNew {
		fresh := again(pod)
		c.do(cluster.Delete, was)
		c.last(was, gone)
		c.do(cluster.Add, fresh)
		return nil
	}
	p, err := c.pod(cluster.Key(pod))
	if err != nil {
		return err
	}
	return c.updatePod(p, func(api *corev1.Pod) error {
		api.Labels, api.Annotations = pod.Labels, pod.Annotations
		node := api.Spec.NodeName
		pod.Spec.DeepCopyInto(&api.Spec)
		api.Spec.NodeName = node
		return nil
	})
}

// isAllowed reports whether an API server lets a pod be changed so: labels, annotations, requests, tolerations that are
// added and gates that are removed.
func isAllowed(was, pod *corev1.Pod) bool {
	a, b := was.Spec.DeepCopy(), pod.Spec.DeepCopy()
	for _, t := range a.Tolerations {
		if !slices.ContainsFunc(b.Tolerations, func(o corev1.Toleration) bool { return reflect.DeepEqual(t, o) }) {
			return false
		}
	}
	if len(b.SchedulingGates) > len(a.SchedulingGates) || len(a.Containers) != len(b.Containers) {
		return false
	}
	for i := range a.Containers {
		a.Containers[i].Resources, b.Containers[i].Resources = corev1.ResourceRequirements{}, corev1.ResourceRequirements{}
	}
	a.Tolerations, b.Tolerations, a.SchedulingGates, b.SchedulingGates = nil, nil, nil, nil
	return reflect.DeepEqual(a, b)
}
