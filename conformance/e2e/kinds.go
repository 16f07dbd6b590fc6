package e2e

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/schedstep/schedstep/core/cluster"
)

// resources are the kinds the workload uses and a dump holds, with their places in the API.
var resources = map[string]schema.GroupVersionResource{
	"Namespace":             {Version: "v1", Resource: "namespaces"},
	"Node":                  {Version: "v1", Resource: "nodes"},
	"Pod":                   {Version: "v1", Resource: "pods"},
	"Service":               {Version: "v1", Resource: "services"},
	"ReplicationController": {Version: "v1", Resource: "replicationcontrollers"},
	"LimitRange":            {Version: "v1", Resource: "limitranges"},
	"PersistentVolume":      {Version: "v1", Resource: "persistentvolumes"},
	"PersistentVolumeClaim": {Version: "v1", Resource: "persistentvolumeclaims"},
	"ReplicaSet":            {Group: "apps", Version: "v1", Resource: "replicasets"},
	"StatefulSet":           {Group: "apps", Version: "v1", Resource: "statefulsets"},
	"PodDisruptionBudget":   {Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
	"PriorityClass":         {Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses"},
	"RuntimeClass":          {Group: "node.k8s.io", Version: "v1", Resource: "runtimeclasses"},
	"StorageClass":          {Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses"},
	"CSINode":               {Group: "storage.k8s.io", Version: "v1", Resource: "csinodes"},
	"CSIDriver":             {Group: "storage.k8s.io", Version: "v1", Resource: "csidrivers"},
	"CSIStorageCapacity":    {Group: "storage.k8s.io", Version: "v1", Resource: "csistoragecapacities"},
	"VolumeAttachment":      {Group: "storage.k8s.io", Version: "v1", Resource: "volumeattachments"},
	"DeviceClass":           {Group: "resource.k8s.io", Version: "v1", Resource: "deviceclasses"},
	"ResourceClaim":         {Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaims"},
	"ResourceSlice":         {Group: "resource.k8s.io", Version: "v1", Resource: "resourceslices"},
}

// kindOf is an object's kind and its place in the API.
func kindOf(o runtime.Object) (schema.GroupVersionKind, schema.GroupVersionResource, error) {
	kinds, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		return schema.GroupVersionKind{}, schema.GroupVersionResource{}, err
	}
	resource, ok := resources[kinds[0].Kind]
	if !ok {
		return kinds[0], resource, fmt.Errorf("the workload has no place for a %s", kinds[0].Kind)
	}
	return kinds[0], resource, nil
}

// typed is an object as a Go type of k8s.io/api.
func typed(content map[string]any) (cluster.Object, error) {
	kind := fmt.Sprint(content["kind"])
	o, err := scheme.Scheme.New(resources[kind].GroupVersion().WithKind(kind))
	if err != nil {
		return nil, err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, o); err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return o.(cluster.Object), nil
}
