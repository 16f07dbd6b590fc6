package host

import (
	"maps"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"

	"github.com/schedstep/schedstep/core/cluster"
)

// seen is a change of an object that informers and watches show.
type seen struct {
	kind     cluster.Kind
	action   cluster.Action
	old, new cluster.Object
}

// objects is what the API server of an instance has: the objects of the State as events brought them.
type objects struct {
	of      *instance
	byKind  map[cluster.Kind]*informer
	custom  map[schema.GroupVersionKind]*informer
	watches []*watch
	version uint64
	written map[string]cluster.Object // by path: what plugins wrote, until an event about the object comes
	known   map[string]string         // by path: the resourceVersion that the State knows, where here it is another
	wanted  map[string]bool           // the custom resources that plugins named, as in their events
	opening map[cluster.Object]bool   // what was there before the plugins were made, until its event comes
}

func newObjects(of *instance) *objects {
	o := &objects{
		of: of, byKind: map[cluster.Kind]*informer{}, custom: map[schema.GroupVersionKind]*informer{},
		written: map[string]cluster.Object{}, known: map[string]string{}, wanted: map[string]bool{},
		opening: map[cluster.Object]bool{},
	}
	for _, row := range cluster.KindRows() {
		o.byKind[row.Kind] = newInformer()
	}
	return o
}

// claim makes the informers of a factory those of the objects.
func (o *objects) claim(factory informers.SharedInformerFactory) {
	for _, row := range cluster.KindRows() {
		ours := o.byKind[row.Kind]
		factory.InformerFor(row.New(), func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return ours })
	}
}

// store is where the objects of a kind are.
func (o *objects) store(kind cluster.Kind, object cluster.Object) *informer {
	custom, is := object.(*unstructured.Unstructured)
	if !is {
		return o.byKind[kind]
	}
	return o.define(custom.GroupVersionKind())
}

// define has a kind of a CustomResourceDefinition served.
func (o *objects) define(gvk schema.GroupVersionKind) *informer {
	if o.custom[gvk] == nil {
		o.custom[gvk] = newInformer()
	}
	return o.custom[gvk]
}

// open has objects of CustomResourceDefinitions there before the plugins are made, as they are in a cluster whose
// scheduler starts: a plugin may read them in its New.
func (o *objects) open(objects []cluster.Object) {
	for _, object := range objects {
		kind, _ := cluster.KindOf(object)
		o.apply(seen{kind: kind, action: cluster.Add, new: object})
		o.opening[object] = true
	}
}

// apply takes in a change. Informers have it when it returns; watches have it in their channels.
func (o *objects) apply(c seen) {
	object := c.new
	if object == nil {
		object = c.old
	}
	i := o.store(c.kind, object)
	if i == nil {
		return
	}
	if o.opening[c.new] {
		delete(o.opening, c.new)
		return
	}
	c.new = o.versioned(c.new)
	key, _ := cache.MetaNamespaceKeyFunc(object)
	before, known, _ := i.indexer.GetByKey(key)
	switch {
	case c.new == nil && known:
		i.remove(before)
		o.show("DELETED", before.(cluster.Object))
	case c.new == nil:
	case known:
		i.update(before, c.new)
		o.show("MODIFIED", c.new)
	default:
		i.add(c.new)
		o.show("ADDED", c.new)
	}
}

// versioned is an object as the API server shows it. Its resourceVersion is a number that grows, by which caches of
// plugins know what is newer; that of the State may be anything. Pods and nodes stay as they are.
func (o *objects) versioned(object cluster.Object) cluster.Object {
	switch object := object.(type) {
	case nil:
		return nil
	case *corev1.Node:
		return object
	case *corev1.Pod:
		return identified(object)
	}
	own := object.DeepCopyObject().(cluster.Object)
	own.SetResourceVersion(o.next())
	o.known[o.pathOf(object)] = object.GetResourceVersion()
	return own
}

// next is a resourceVersion that no object has yet.
func (o *objects) next() string {
	o.version++
	return strconv.FormatUint(o.version, 10)
}

// show ends what plugins wrote of an object, which the cluster has now, and informs the watches.
func (o *objects) show(kind string, object cluster.Object) {
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	delete(o.written, o.pathOf(object))
	o.notify(kind, object)
}

// pathOf is where the API serves an object.
func (o *objects) pathOf(object cluster.Object) string {
	r, namespaced := resourceOf(object)
	return r.path(object.GetNamespace(), object.GetName(), namespaced)
}

// resource is a resource of the API.
type resource struct{ group, version, plural string }

// resourceOf is the resource of an object, and whether it has namespaces.
func resourceOf(object cluster.Object) (resource, bool) {
	if kind, known := cluster.KindOf(object); known {
		if row := cluster.RowOf(kind); row != nil {
			if _, custom := object.(*unstructured.Unstructured); !custom {
				r := row.GroupVersionResource()
				return resource{r.Group, r.Version, r.Resource}, row.Namespaced
			}
		}
	}
	return customResource(object.GetObjectKind().GroupVersionKind()), object.GetNamespace() != ""
}

// customResource is the resource of a kind of a CustomResourceDefinition.
func customResource(gvk schema.GroupVersionKind) resource {
	plural, _ := meta.UnsafeGuessKindToResource(gvk)
	return resource{gvk.Group, gvk.Version, plural.Resource}
}

// root is where the API serves the resources of a group and version.
func (r resource) root() string {
	if r.group == "" {
		return "/api/" + r.version
	}
	return "/apis/" + r.group + "/" + r.version
}

func (r resource) path(namespace, name string, namespaced bool) string {
	if namespaced {
		return r.root() + "/namespaces/" + namespace + "/" + r.plural + "/" + name
	}
	return r.root() + "/" + r.plural + "/" + name
}

// rowOf is the kind that a resource of the API has; false when it is none that the State reads.
func rowOf(r resource) (*cluster.KindRow, bool) {
	for _, row := range cluster.KindRows() {
		served := row.GroupVersionResource()
		if served.Group == r.group && served.Version == r.version && served.Resource == r.plural {
			return row, true
		}
	}
	return nil, false
}

// of is the objects of a resource, and how to make one: nil where nothing of the kind was ever there.
func (o *objects) ofResource(r resource) *informer {
	if row, is := rowOf(r); is {
		return o.byKind[row.Kind]
	}
	if gvk, defined := o.definition(r); defined {
		return o.custom[gvk]
	}
	return nil
}

// definition is the kind of a CustomResourceDefinition that a resource has; false: none is served there.
func (o *objects) definition(r resource) (schema.GroupVersionKind, bool) {
	for gvk := range o.custom {
		if customResource(gvk) == r {
			return gvk, true
		}
	}
	return schema.GroupVersionKind{}, false
}

// kindOf is the kind of the objects of a resource: that of the table, of an object that is there, or of a type that
// client-go knows. What no one knows has any name, except for those that mean something else.
func (o *objects) kindOf(r resource) string {
	if row, is := rowOf(r); is {
		return string(row.Kind)
	}
	if gvk, defined := o.definition(r); defined {
		return gvk.Kind
	}
	version := schema.GroupVersion{Group: r.group, Version: r.version}
	for _, kind := range slices.Sorted(maps.Keys(scheme.Scheme.KnownTypes(version))) {
		if plural, _ := meta.UnsafeGuessKindToResource(version.WithKind(kind)); plural.Resource == r.plural {
			return kind
		}
	}
	return "Custom"
}

// blank is an object of a resource with nothing in it.
func blank(r resource) cluster.Object {
	if row, is := rowOf(r); is {
		return row.New()
	}
	return &unstructured.Unstructured{}
}

// typeOf is the name and group of the kind of an object.
func typeOf(object cluster.Object) schema.GroupVersionKind {
	_, custom := object.(*unstructured.Unstructured)
	if kind, known := cluster.KindOf(object); known && !custom {
		return cluster.RowOf(kind).GroupVersion().WithKind(string(kind))
	}
	return object.GetObjectKind().GroupVersionKind()
}
