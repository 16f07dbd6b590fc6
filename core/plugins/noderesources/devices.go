package noderesources

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// deviceClassOf is the DeviceClass that stands for an extended resource; nil when there is none. A class stands for
// the name in its spec and for deviceclass.resource.kubernetes.io/ with its own name. Of several with the same name in
// their specs the newest counts, then the first by name.
func deviceClassOf(name corev1.ResourceName, objects *cluster.Objects) *resourcev1.DeviceClass {
	classes := &objects.DeviceClasses
	if classes.Len() == 0 {
		return nil
	}
	if own, implicit := strings.CutPrefix(string(name), resourcev1.ResourceDeviceClassPrefix); implicit {
		if class, ok := classes.Find(own); ok {
			return class
		}
	}
	var found *resourcev1.DeviceClass
	classes.Each(func(class *resourcev1.DeviceClass) bool {
		named := class.Spec.ExtendedResourceName != nil && *class.Spec.ExtendedResourceName == string(name)
		if named && (found == nil || class.CreationTimestamp.After(found.CreationTimestamp.Time)) {
			found = class
		}
		return true
	})
	return found
}
