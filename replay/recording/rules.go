package recording

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
)

// Rule takes one field out of the objects of a kind. Everything no rule names is kept: names, namespaces, labels,
// owners, requests, images and their sizes, and the names of what a pod mounts.
type Rule struct {
	Kind  cluster.Kind
	Field string // with [] for every element of a list
	Why   string
}

// Annotation is a group of annotations that are kept; all others are taken out, kubectl's last-applied first of all.
type Annotation struct {
	Prefix string
	Why    string
}

// Annotations lists what is kept of annotations: what some scheduler has read.
func Annotations() []Annotation { return slices.Clone(annotations) }

var annotations = []Annotation{
	{"pv.kubernetes.io/", "VolumeBinding: how a claim and a volume were bound"},
	{"volume.kubernetes.io/", "VolumeBinding: the node selected for a claim, its provisioner"},
	{"volume.beta.kubernetes.io/", "VolumeBinding: the class and the provisioner of old claims and volumes"},
	{"volume.alpha.kubernetes.io/", "VolumeBinding before 1.6: class and node affinity of old volumes"},
	{"storage.alpha.kubernetes.io/migrated-plugins", "NodeVolumeLimits, VolumeBinding: what a CSINode has migrated"},
	{"storageclass.kubernetes.io/is-default-class", "which class a claim without one gets"},
	{"storageclass.beta.kubernetes.io/is-default-class", "which class a claim without one gets"},
	{"kubernetes.io/azure-file-resource-group", "the handle of a migrated volume"},
	{"resource.kubernetes.io/", "DynamicResources: claims made for extended resources"},
	{"scheduler.alpha.kubernetes.io/", "affinity, tolerations and avoidance before they had fields"},
}

// Rules is everything that redaction takes out, kind by kind in the order of cluster.Kinds.
func Rules() []Rule {
	var rules []Rule
	for _, kind := range cluster.Kinds() {
		for _, f := range slices.Concat(everyObject, kindFields(kind)) {
			rules = append(rules, Rule{Kind: kind, Field: f.path, Why: f.why})
		}
	}
	return rules
}

// fields is a list of places to empty.
type fields []struct{ path, why string }

// under puts every path below a prefix.
func (f fields) under(prefix string) fields {
	moved := make(fields, len(f))
	for i, one := range f {
		moved[i].path, moved[i].why = prefix+"."+one.path, one.why
	}
	return moved
}

const (
	address  = "an address"
	secret   = "may hold a secret"
	content  = "content of a file or a program, not a matter of placement"
	prose    = "free text"
	identity = "identifies a machine outside the cluster"
	noise    = "bookkeeping of the API server"
)

var everyObject = fields{
	{"metadata.managedFields", noise},
	{"metadata.selfLink", noise},
}

// kindFields are the fields of one kind to empty, besides those of everyObject.
func kindFields(kind cluster.Kind) fields {
	switch kind {
	case cluster.KindPod:
		return slices.Concat(podSpecFields().under("spec"), podStatusFields())
	case cluster.KindReplicationController, cluster.KindReplicaSet, cluster.KindStatefulSet:
		return slices.Concat(podSpecFields().under("spec.template.spec"), conditionText)
	case cluster.KindNode:
		return slices.Concat(nodeFields, conditionText)
	case cluster.KindNamespace, cluster.KindDisruptionBudget, cluster.KindVolumeClaim, cluster.KindDeviceTaintRule,
		cluster.KindPodGroup:
		return conditionText
	case cluster.KindService:
		return slices.Concat(serviceFields, conditionText)
	case cluster.KindVolume:
		return slices.Concat(volumeFields.under("spec"), fields{{"status.message", prose}})
	case cluster.KindVolumeAttachment:
		return slices.Concat(volumeFields.under("spec.source.inlineVolumeSpec"), attachmentFields)
	case cluster.KindPriorityClass:
		return fields{{"description", prose}}
	case cluster.KindStorageClass:
		return fields{{"parameters", secret}, {"mountOptions", secret}}
	case cluster.KindCSINode:
		return fields{{"spec.drivers[].nodeID", identity}}
	case cluster.KindCSIDriver:
		return fields{{"spec.tokenRequests", secret}}
	case cluster.KindResourceClaim:
		return claimFields
	case cluster.KindDeviceClass:
		return fields{{"spec.config[].opaque.parameters", secret}}
	case cluster.KindCSIStorageCapacity, cluster.KindResourceSlice:
		return nil
	}
	return nil
}

var conditionText = fields{{"status.conditions[].message", prose}}

// podSpecFields are those of a pod, relative to its spec.
func podSpecFields() fields {
	all := append(fields{
		{"imagePullSecrets", secret},
		{"hostAliases", address},
		{"dnsConfig", address},
	}, inlineVolumeFields.under("volumes[]")...)
	for _, list := range []string{"containers[]", "initContainers[]", "ephemeralContainers[]"} {
		all = append(all, containerFields.under(list)...)
	}
	return all
}

var containerFields = fields{
	{"command", secret},
	{"args", secret},
	{"workingDir", content},
	{"env[].value", secret},
	{"livenessProbe", secret},
	{"readinessProbe", secret},
	{"startupProbe", secret},
	{"lifecycle.postStart", secret},
	{"lifecycle.preStop", secret},
	{"terminationMessagePath", content},
}

// inlineVolumeFields keep what VolumeRestrictions and the volume limits compare: disk names, and of rbd the monitors,
// pool and image.
var inlineVolumeFields = fields{
	{"secret.items", content},
	{"configMap.items", content},
	{"downwardAPI.items", content},
	{"projected.sources[].secret.items", content},
	{"projected.sources[].configMap.items", content},
	{"projected.sources[].downwardAPI.items", content},
	{"projected.sources[].serviceAccountToken.audience", address},
	{"hostPath.path", content},
	{"gitRepo", address},
	{"nfs.server", address},
	{"nfs.path", content},
	{"iscsi.targetPortal", address},
	{"iscsi.portals", address},
	{"iscsi.initiatorName", identity},
	{"iscsi.secretRef", secret},
	{"rbd.keyring", secret},
	{"rbd.user", secret},
	{"rbd.secretRef", secret},
	{"cephfs", address},
	{"cinder.secretRef", secret},
	{"flexVolume.options", secret},
	{"flexVolume.secretRef", secret},
	{"glusterfs", address},
	{"quobyte", address},
	{"scaleIO", address},
	{"storageos.secretRef", secret},
	{"csi.volumeAttributes", secret},
	{"csi.nodePublishSecretRef", secret},
}

func podStatusFields() fields {
	all := fields{
		{"status.message", prose},
		{"status.hostIP", address},
		{"status.hostIPs", address},
		{"status.podIP", address},
		{"status.podIPs", address},
	}
	for _, list := range []string{"containerStatuses[]", "initContainerStatuses[]", "ephemeralContainerStatuses[]"} {
		all = append(all, fields{
			{"state", prose},
			{"lastState", prose},
			{"imageID", identity},
			{"containerID", identity},
		}.under("status."+list)...)
	}
	return all
}

var nodeFields = fields{
	{"spec.podCIDR", address},
	{"spec.podCIDRs", address},
	{"spec.providerID", identity},
	{"spec.externalID", identity},
	{"spec.configSource", noise},
	{"status.addresses", address},
	{"status.daemonEndpoints", address},
	{"status.config", noise},
	{"status.nodeInfo.machineID", identity},
	{"status.nodeInfo.systemUUID", identity},
	{"status.nodeInfo.bootID", identity},
	{"status.volumesAttached[].devicePath", identity},
}

var serviceFields = fields{
	{"spec.clusterIP", address},
	{"spec.clusterIPs", address},
	{"spec.externalIPs", address},
	{"spec.loadBalancerIP", address},
	{"spec.loadBalancerSourceRanges", address},
	{"spec.externalName", address},
	{"status.loadBalancer", address},
}

// volumeFields are those of a PersistentVolume, relative to its spec. The handle of a CSI volume is kept: volume limits
// count different handles.
var volumeFields = fields{
	{"mountOptions", secret},
	{"hostPath.path", content},
	{"local.path", content},
	{"nfs.server", address},
	{"nfs.path", content},
	{"iscsi.targetPortal", address},
	{"iscsi.portals", address},
	{"iscsi.initiatorName", identity},
	{"iscsi.secretRef", secret},
	{"rbd.monitors", address},
	{"rbd.keyring", secret},
	{"rbd.user", secret},
	{"rbd.secretRef", secret},
	{"cephfs", address},
	{"cinder.secretRef", secret},
	{"flexVolume.options", secret},
	{"flexVolume.secretRef", secret},
	{"glusterfs", address},
	{"quobyte", address},
	{"scaleIO", address},
	{"storageos.secretRef", secret},
	{"csi.volumeAttributes", secret},
	{"csi.controllerPublishSecretRef", secret},
	{"csi.nodeStageSecretRef", secret},
	{"csi.nodePublishSecretRef", secret},
	{"csi.controllerExpandSecretRef", secret},
	{"csi.nodeExpandSecretRef", secret},
}

var attachmentFields = fields{
	{"status.attachmentMetadata", identity},
	{"status.attachError.message", prose},
	{"status.detachError.message", prose},
}

var claimFields = fields{
	{"spec.devices.config[].opaque.parameters", secret},
	{"status.allocation.devices.config[].opaque.parameters", secret},
	{"status.devices[].data", identity},
	{"status.devices[].networkData", address},
	{"status.devices[].conditions[].message", prose},
}
