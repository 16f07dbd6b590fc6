package recording

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/schedstep/schedstep/core/cluster"
)

// Kept is text that redaction leaves in the objects of a kind.
type Kept struct {
	Kind  cluster.Kind
	Field string // with [] for every element of a list; all below it stays too, unless a Rule names it
	Why   string
}

// KeptText is all text that redaction leaves in objects, kind by kind: what some scheduler reads, and what is shown of
// it. Text that is not in the list is taken out, with all beside it that means nothing without it. Numbers, times,
// amounts and truth values stay where they are not below such a field. Of annotations, see rules.go.
func KeptText() []Kept {
	var all []Kept
	for _, kind := range append(cluster.Kinds(), cluster.KindEvent) {
		for _, of := range slices.Concat(keptOfEvery, keptText[kind]) {
			for _, field := range of.fields {
				if _, err := placeOf(reflect.TypeOf(blank(kind)), field); err == nil { // lists are shared by kinds
					all = append(all, Kept{kind, field, of.why})
				}
			}
		}
	}
	return all
}

// reason is why some fields stay.
type reason struct {
	why    string
	fields []string
}

var keptOfEvery = []reason{
	{"it names the object, and others refer to it", []string{
		"apiVersion", "kind", "metadata.name", "metadata.generateName", "metadata.namespace", "metadata.uid",
		"metadata.resourceVersion", "metadata.ownerReferences", "metadata.finalizers",
	}},
	{"selectors choose by it", []string{"metadata.labels"}},
	{"those that some scheduler has read: affinity, tolerations, taints and classes before they had fields", []string{
		"metadata.annotations",
	}},
}

// under puts every field below a prefix.
func under(prefix string, all []reason) []reason {
	moved := make([]reason, len(all))
	for i, r := range all {
		moved[i].why = r.why
		for _, field := range r.fields {
			moved[i].fields = append(moved[i].fields, prefix+"."+field)
		}
	}
	return moved
}

const (
	byPlugins = "plugins of a scheduler read it"
	identical = "volumes are counted and compared by it: the same disk, share or handle is the same volume"
	condition = "the kind, state and reason of a condition are words of an API"
)

var keptContainer = []reason{{byPlugins, []string{
	"name", "image", "ports[].hostIP", "ports[].protocol", "resources", "resizePolicy", "restartPolicy",
	"restartPolicyRules", "volumeMounts[].name", "volumeDevices[].name",
}}}

// keptDisk are the fields that identify a volume, in a PersistentVolume or in a pod.
var keptDisk = []reason{{identical, []string{
	"gcePersistentDisk.pdName", "awsElasticBlockStore.volumeID", "azureDisk.diskName", "azureDisk.diskURI",
	"azureDisk.kind", "azureFile.secretName", "azureFile.secretNamespace", "azureFile.shareName", "cinder.volumeID",
	"vsphereVolume.volumePath", "portworxVolume.volumeID", "csi.driver", "csi.volumeHandle",
}}}

var keptPodVolume = slices.Concat(keptDisk, []reason{
	{identical, []string{"rbd.monitors", "rbd.pool", "rbd.image", "iscsi.iqn"}},
	{byPlugins, []string{
		"name", "persistentVolumeClaim.claimName", "emptyDir.medium", "image.reference",
		"ephemeral.volumeClaimTemplate.metadata.labels", "ephemeral.volumeClaimTemplate.metadata.annotations",
	}},
}, under("ephemeral.volumeClaimTemplate.spec", keptClaimSpec))

var keptClaimSpec = []reason{{byPlugins, []string{
	"accessModes", "selector", "resources", "volumeName", "storageClassName", "volumeMode", "volumeAttributesClassName",
	"dataSource", "dataSourceRef",
}}}

var keptPodSpec = slices.Concat([]reason{{byPlugins, []string{
	"schedulerName", "priorityClassName", "preemptionPolicy", "nodeName", "tolerations", "nodeSelector", "affinity",
	"topologySpreadConstraints", "overhead", "resources", "resourceClaims", "schedulingGates", "schedulingGroup", "os",
	"restartPolicy", "runtimeClassName",
}}}, under("containers[]", keptContainer), under("initContainers[]", keptContainer),
	under("ephemeralContainers[]", keptContainer), under("volumes[]", keptPodVolume))

var keptTemplate = slices.Concat([]reason{{"pods are made with it", []string{
	"spec.template.metadata.labels", "spec.template.metadata.annotations",
}}}, under("spec.template.spec", keptPodSpec))

var keptConditions = []reason{{condition, []string{
	"status.conditions[].type", "status.conditions[].status", "status.conditions[].reason",
}}}

var keptVolumeSpec = slices.Concat(keptDisk, []reason{{byPlugins, []string{
	"capacity", "accessModes", "claimRef", "storageClassName", "volumeMode", "nodeAffinity", "volumeAttributesClassName",
	"persistentVolumeReclaimPolicy", "local.fsType",
}}})

var keptText = map[cluster.Kind][]reason{
	cluster.KindPod: slices.Concat(under("spec", keptPodSpec), keptConditions, []reason{
		{
			"what its scheduler said of nodes is compared; of other conditions, and addresses in it, nothing stays",
			[]string{"status.conditions[].message"},
		},
		{byPlugins, []string{
			"status.phase", "status.nominatedNodeName", "status.resourceClaimStatuses", "status.extendedResourceClaimStatus",
			"status.resources", "status.allocatedResources", "status.resize",
			"status.containerStatuses[].name", "status.containerStatuses[].resources",
			"status.containerStatuses[].allocatedResources", "status.initContainerStatuses[].name",
			"status.initContainerStatuses[].resources", "status.initContainerStatuses[].allocatedResources",
		}},
	}),
	cluster.KindNode: slices.Concat(keptConditions, []reason{
		{byPlugins, []string{
			"spec.taints", "spec.podPreemptionPolicy", "status.allocatable", "status.capacity", "status.images",
			"status.declaredFeatures", "status.runtimeHandlers", "status.nodeInfo.architecture",
			"status.nodeInfo.operatingSystem",
		}},
		{"the release of the cluster shows in it", []string{"status.nodeInfo.kubeletVersion"}},
	}),
	cluster.KindService:               {{byPlugins, []string{"spec.selector"}}},
	cluster.KindReplicationController: slices.Concat([]reason{{byPlugins, []string{"spec.selector"}}}, keptTemplate),
	cluster.KindReplicaSet:            slices.Concat([]reason{{byPlugins, []string{"spec.selector"}}}, keptTemplate),
	cluster.KindStatefulSet: slices.Concat([]reason{{byPlugins, []string{"spec.selector"}}}, keptTemplate,
		under("spec.volumeClaimTemplates[].spec", keptClaimSpec), []reason{{"claims are made with it", []string{
			"spec.volumeClaimTemplates[].metadata.name", "spec.volumeClaimTemplates[].metadata.labels",
			"spec.volumeClaimTemplates[].metadata.annotations",
		}}}),
	cluster.KindPriorityClass: {{byPlugins, []string{"preemptionPolicy"}}},
	cluster.KindDisruptionBudget: {{byPlugins, []string{
		"spec.selector", "spec.minAvailable", "spec.maxUnavailable", "spec.unhealthyPodEvictionPolicy",
		"status.disruptedPods",
	}}, {"what a budget allows is worked out again", []string{
		"status.currentHealthy", "status.desiredHealthy", "status.expectedPods", "status.observedGeneration",
	}}},
	cluster.KindVolume: slices.Concat(under("spec", keptVolumeSpec), []reason{{byPlugins, []string{"status.phase"}}}),
	cluster.KindVolumeClaim: slices.Concat(under("spec", keptClaimSpec), []reason{{byPlugins, []string{
		"status.phase", "status.capacity", "status.accessModes",
	}}}),
	cluster.KindStorageClass: {{byPlugins, []string{
		"provisioner", "volumeBindingMode", "allowedTopologies", "reclaimPolicy",
	}}},
	cluster.KindCSINode: {{byPlugins, []string{"spec.drivers[].name", "spec.drivers[].topologyKeys"}}},
	cluster.KindCSIDriver: {{byPlugins, []string{
		"spec.attachRequired", "spec.storageCapacity", "spec.preventPodSchedulingIfMissing",
	}}},
	cluster.KindCSIStorageCapacity: {{byPlugins, []string{"nodeTopology", "storageClassName"}}},
	cluster.KindVolumeAttachment: slices.Concat([]reason{{byPlugins, []string{
		"spec.attacher", "spec.nodeName", "spec.source.persistentVolumeName", "status.attached",
	}}}, under("spec.source.inlineVolumeSpec", keptVolumeSpec)),
	cluster.KindResourceClaim: {
		{byPlugins, []string{
			"spec.devices.requests", "spec.devices.constraints", "status.allocation.nodeSelector",
			"status.allocation.devices.results", "status.reservedFor", "status.devices[].driver", "status.devices[].pool",
			"status.devices[].device", "status.devices[].shareID",
		}},
		{condition, []string{
			"status.devices[].conditions[].type", "status.devices[].conditions[].status", "status.devices[].conditions[].reason",
		}},
	},
	cluster.KindResourceSlice:   {{byPlugins, []string{"spec"}}},
	cluster.KindDeviceClass:     {{byPlugins, []string{"spec.selectors", "spec.extendedResourceName"}}},
	cluster.KindDeviceTaintRule: {{byPlugins, []string{"spec"}}},
	cluster.KindPodGroup:        slices.Concat([]reason{{byPlugins, []string{"spec"}}}, keptConditions),
	cluster.KindEvent: {{"what a scheduler said of a pod is compared", []string{
		"action", "reason", "note", "type", "regarding", "related", "reportingController", "deprecatedSource.component",
	}}},
}

// shelf is a list of volumes in a pod: the kind of a volume is part of what makes pods alike, so that a volume of which
// no text stays is still there.
const shelf = "volumes[]"

const unread = "no scheduler reads it"

// unkept are rules for the text of a kind that no field of kept has at or below it.
func unkept(kind cluster.Kind, kept []string) []Rule {
	var rules []Rule
	var visit func(t reflect.Type, path string)
	visit = func(t reflect.Type, path string) {
		is := func(field string) bool { return field == path }
		below := func(field string) bool {
			return strings.HasPrefix(field, path+".") || strings.HasPrefix(field, path+"[].")
		}
		switch {
		case slices.ContainsFunc(kept, is) || !holdsText(t, nil):
			return
		case !slices.ContainsFunc(kept, below) && !onShelf(path):
			rules = append(rules, Rule{kind, path, unread})
			return
		}
		if t = pointedTo(t); t.Kind() == reflect.Slice {
			t, path = t.Elem(), path+"[]"
		}
		eachMember(pointedTo(t), path, visit)
	}
	eachMember(reflect.TypeOf(blank(kind)).Elem(), "", visit)
	return rules
}

// onShelf reports whether a path leads to a kind of volume in a pod.
func onShelf(path string) bool {
	before, name, found := strings.Cut(path, shelf+".")
	return found && (before == "" || strings.HasSuffix(before, ".")) && !strings.Contains(name, ".") && name != "name"
}

// eachMember visits the members of a struct by their JSON names, those of embedded ones included.
func eachMember(t reflect.Type, path string, visit func(reflect.Type, string)) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			eachMember(f.Type, path, visit)
		case name != "" && name != "-" && path == "":
			visit(f.Type, name)
		case name != "" && name != "-":
			visit(f.Type, path+"."+name)
		}
	}
}

// textless are types of structs without text, although their fields have some.
var textless = []reflect.Type{
	reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime](), reflect.TypeFor[metav1.Duration](),
	reflect.TypeFor[resource.Quantity](),
}

// textual are types of structs with text in a form of their own.
var textual = []reflect.Type{
	reflect.TypeFor[runtime.RawExtension](), reflect.TypeFor[intstr.IntOrString](), reflect.TypeFor[metav1.FieldsV1](),
	reflect.TypeFor[json.RawMessage](),
}

// holdsText reports whether a value of a type may hold text.
func holdsText(t reflect.Type, within []reflect.Type) bool {
	switch t = pointedTo(t); {
	case slices.Contains(textless, t) || slices.Contains(within, t):
		return false
	case slices.Contains(textual, t):
		return true
	}
	switch t.Kind() {
	case reflect.String, reflect.Map, reflect.Interface:
		return true
	case reflect.Slice:
		return t.Elem().Kind() == reflect.Uint8 || holdsText(t.Elem(), within)
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsText(t.Field(i).Type, append(within, t)) {
				return true
			}
		}
	}
	return false
}
