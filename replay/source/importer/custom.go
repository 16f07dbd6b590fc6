package importer

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ownGroups are the groups of the API that are not of a CustomResourceDefinition: those of Kubernetes itself, and those
// that a server beside it serves. Others end in k8s.io, too: topology.node.k8s.io is one of a definition.
var ownGroups = map[string]bool{
	"admission.k8s.io": true, "admissionregistration.k8s.io": true, "apiextensions.k8s.io": true,
	"apiregistration.k8s.io": true, "authentication.k8s.io": true, "authorization.k8s.io": true,
	"certificates.k8s.io": true, "coordination.k8s.io": true, "discovery.k8s.io": true, "events.k8s.io": true,
	"flowcontrol.apiserver.k8s.io": true, "imagepolicy.k8s.io": true, "internal.apiserver.k8s.io": true,
	"networking.k8s.io": true, "node.k8s.io": true, "rbac.authorization.k8s.io": true, "resource.k8s.io": true,
	"scheduling.k8s.io": true, "storage.k8s.io": true, "storagemigration.k8s.io": true,

	"metrics.k8s.io": true, "custom.metrics.k8s.io": true, "external.metrics.k8s.io": true,
}

// keepCustom keeps an object of a CustomResourceDefinition as it is; false: it is none, or they are not wanted.
func (d *decoder) keepCustom(h head, raw []byte) bool {
	group, _, grouped := strings.Cut(h.apiVersion, "/")
	if !d.custom || !grouped || !strings.Contains(group, ".") || ownGroups[group] || whyLeft(h.kind) != "" {
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
