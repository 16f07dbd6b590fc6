package cluster

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// customRow stands for every kind of a CustomResourceDefinition. Such objects are kept as they are, for plugins that
// were not written for schedstep; nothing here reads what is in them. Their Kind has the group behind it:
// Quota.example.com.
var customRow = &KindRow{New: func() Object { return &unstructured.Unstructured{} }, Reader: ReadByScheduler}

// NewCustomRow is the row of one kind of a CustomResourceDefinition, by which a live cluster is read.
func NewCustomRow(at schema.GroupVersionResource, kind string, namespaced bool) *KindRow {
	return &KindRow{
		Kind: Kind(kind + "." + at.Group), Group: at.Group, Version: at.Version, plural: at.Resource,
		Namespaced: namespaced, New: customRow.New, Reader: customRow.Reader,
	}
}

// IsCustom reports whether a kind is one of a CustomResourceDefinition.
func (k Kind) IsCustom() bool { return strings.Contains(string(k), ".") }

// customKind is the kind of an object of a CustomResourceDefinition; false for any other object.
func customKind(o Object) (Kind, bool) {
	custom, is := o.(*unstructured.Unstructured)
	if !is {
		return "", false
	}
	gvk := custom.GroupVersionKind()
	return Kind(gvk.Kind + "." + gvk.Group), gvk.Group != ""
}

// customResource is what a plugin calls the resource in the events that it registers: quotas.v1.example.com.
func customResource(o Object) Resource {
	gvk := o.GetObjectKind().GroupVersionKind()
	plural, _ := meta.UnsafeGuessKindToResource(gvk)
	return Resource(plural.Resource + "." + gvk.Version + "." + gvk.Group)
}

// IsCustom reports whether a resource is one of a CustomResourceDefinition, as customResource names it.
func (r Resource) IsCustom() bool {
	return !strings.Contains(string(r), "/") && strings.Count(string(r), ".") > 1
}

// applyCustom stores, replaces or drops an object of a CustomResourceDefinition, and returns what was there before.
func (s *Objects) applyCustom(kind Kind, action Action, o Object) Object {
	key := string(kind) + " " + Key(o)
	var old Object
	if action == Delete {
		old, _ = s.custom.Delete(key)
	} else {
		old, _ = s.custom.Set(key, o)
	}
	return old
}

// Custom is an object of a CustomResourceDefinition as the API server last showed it; false: it is not there.
func (s *Objects) Custom(kind Kind, key string) (Object, bool) {
	return s.custom.Get(string(kind) + " " + key)
}
