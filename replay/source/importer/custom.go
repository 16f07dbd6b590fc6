package importer

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// keepCustom keeps an object of a CustomResourceDefinition as it is; false: it is none, or they are not wanted.
func (d *decoder) keepCustom(h head, raw []byte) bool {
	group, _, grouped := strings.Cut(h.apiVersion, "/")
	if !d.custom || !grouped || !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") ||
		whyLeft(h.kind) != "" {
		return false
	}
	if d.compact { // which may lack what nothing here reads
		d.again = true
		return true
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(raw); err != nil || object.GetName() == "" {
		return false
	}
	dropCopies(object)
	d.found.objects = append(d.found.objects, Object{Object: object, Source: d.place.source(NameOf(object))})
	return true
}
